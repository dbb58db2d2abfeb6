package eval

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/tlaplus/config"
)

var update = flag.Bool("update", false, "rewrite the expected values")

// TestCases evaluates Result in each module of testdata/cases. What is expected, a
// value or an error, follows the module's end; a cfg may lie beside it.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.tla")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".tla"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			end := strings.LastIndex(string(text), "\n====\n")
			if end < 0 {
				t.Fatalf("%s has no line ====", file)
			}
			module, want := string(text[:end]), string(text[end+len("\n====\n"):])
			got := result(t, file, 1_000_000)
			if *update {
				if err := os.WriteFile(file, []byte(module+"\n====\n"+got+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if got != strings.TrimSpace(want) {
				t.Errorf("%s\ngot:  %s\nwant: %s", module, got, strings.TrimSpace(want))
			}
		})
	}
}

// result is the value of Result in the module, or the error.
func result(t testing.TB, file string, mostWork int) string {
	var cfg *config.Config
	name := strings.TrimSuffix(file, ".tla") + ".cfg"
	if text, err := os.ReadFile(name); err == nil {
		if cfg, err = config.Parse(filepath.Base(name), text); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Load(file, cfg, Options{})
	if err != nil {
		return "error: " + err.Error()
	}
	r := p.NewRun()
	r.MostWork = mostWork
	return resultOf(p, r, "Result")
}

// FuzzEvaluate parses, compiles and evaluates expressions: nothing but a value or an
// error may come of it.
func FuzzEvaluate(f *testing.F) {
	files, err := filepath.Glob("testdata/cases/*.tla")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		_, expr, _ := strings.Cut(string(text), "Result == ")
		expr, _, _ = strings.Cut(expr, "\n====\n")
		f.Add(expr)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, expr string) {
		if len(expr) > 200 {
			t.Skip()
		}
		file := filepath.Join(dir, "Case.tla")
		module := "---- MODULE Case ----\nEXTENDS Integers, Sequences, FiniteSets, Bags, TLC, SequencesExt, FiniteSetsExt, Graphs, Bitwise\nResult == " + expr + "\n====\n"
		if err := os.WriteFile(file, []byte(module), 0o600); err != nil {
			t.Fatal(err)
		}
		result(t, file, 10_000)
	})
}
