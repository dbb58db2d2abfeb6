package config

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/tlaplus/syntax"
)

var update = flag.Bool("update", false, "rewrite what the cases in testdata expect")

// divider is between a case's text and what is expected of it.
const divider = "\n%%%%\n"

// TestCases reads each text of testdata/cases and compares what it says, or its errors,
// with what follows the divider.
func TestCases(t *testing.T) {
	for _, file := range cases(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text, want, _ := strings.Cut(string(data), divider)
			got := outcome(t, text)
			if *update {
				if err := os.WriteFile(file, []byte(text+divider+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("%s\nis\n%s\nexpected\n%s", text, got, want)
			}
		})
	}
}

func cases(t testing.TB) []string {
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cases: %v", len(files), err)
	}
	return files
}

// outcome prints a model file, or its errors: a line for each part.
func outcome(t *testing.T, text string) string {
	c, err := Parse("M.cfg", []byte(text))
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for _, x := range c.Constants {
		fmt.Fprintf(&b, "%s%s =%s %s\n", place(x.Name), args(x.Args), within(x.Module), show(x.Value))
	}
	for _, s := range c.Substitutions {
		fmt.Fprintf(&b, "%s <-%s %s\n", place(s.Name), within(s.Module), place(s.By))
	}
	one := func(name string, id *syntax.Ident) {
		if id != nil {
			fmt.Fprintf(&b, "%s %s\n", name, place(*id))
		}
	}
	one("specification", c.Specification)
	one("init", c.Init)
	one("next", c.Next)
	one("view", c.View)
	one("symmetry", c.Symmetry)
	one("alias", c.Alias)
	one("periodic", c.Periodic)
	one("reward", c.Reward)
	many := func(name string, ids []syntax.Ident) {
		for i := range ids {
			one(name, &ids[i])
		}
	}
	many("invariant", c.Invariants)
	many("property", c.Properties)
	many("constraint", c.Constraints)
	many("action constraint", c.ActionConstraints)
	many("postcondition", c.Postconditions)
	many("possible", c.Possible)
	if c.CheckDeadlock != nil {
		fmt.Fprintf(&b, "deadlock %v\n", c.CheckDeadlock.Check)
	}
	return b.String()
}

func place(id syntax.Ident) string {
	return fmt.Sprintf("%s@%d:%d-%d", id.Name, id.From.Line, id.From.Col, id.To.Col)
}

func within(module *syntax.Ident) string {
	if module == nil {
		return ""
	}
	return " [" + module.Name + "]"
}

func args(values []Value) string {
	if values == nil {
		return ""
	}
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = show(v)
	}
	return "(" + strings.Join(all, ", ") + ")"
}

func show(v Value) string {
	switch v := v.(type) {
	case *Int:
		return fmt.Sprintf("%d", v.Value)
	case *Bool:
		return fmt.Sprintf("%v", v.Value)
	case *String:
		quoted, _ := json.Marshal(v.Value)
		return string(quoted)
	case *Model:
		return "model value " + v.Name
	case *Set:
		return fmt.Sprintf("{%s}@%d:%d-%d", strings.TrimSuffix(strings.TrimPrefix(args(v.Items), "("), ")"), v.From.Line, v.From.Col, v.To.Col)
	}
	return "?"
}

// TestMaterial reads every model file of the folder that TRACECHECK_TLA names.
func TestMaterial(t *testing.T) {
	dir := os.Getenv("TRACECHECK_TLA")
	if dir == "" {
		t.Skip("needs TRACECHECK_TLA, a folder of TLA+ modules with their model files")
	}
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".cfg") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		if _, err := Parse(path, text); err != nil {
			t.Errorf("%v", err)
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d files: %v", n, err)
	}
	t.Logf("%d files", n)
}

// TestDepth reads sets that are nested deeper than the parser goes.
func TestDepth(t *testing.T) {
	text := "CONSTANT A = " + strings.Repeat("{", 100_000)
	if _, err := Parse("M.cfg", []byte(text)); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("error %v, expected one of the nesting", err)
	}
}

// FuzzParse reads any text; every error has a place.
func FuzzParse(f *testing.F) {
	for _, file := range cases(f) {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.Split(string(text), divider)[0])
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse("Fuzz.cfg", []byte(text))
		if err == nil {
			if c == nil {
				t.Fatal("neither a model nor an error")
			}
			return
		}
		var errs syntax.Errors
		if !errors.As(err, &errs) || len(errs) == 0 {
			t.Fatalf("%T %v, expected Errors", err, err)
		}
		for _, e := range errs {
			if e.From.Line < 1 || e.From.Col < 1 || e.To.Line < e.From.Line {
				t.Errorf("no place: %+v", e)
			}
		}
	})
}
