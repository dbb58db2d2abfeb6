package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// TestAnswers evaluates the expressions of testdata/answers: what TLC says of them is
// what is expected. A file begins with what each of its modules begins with; its cases
// follow, with an empty line between two. A case is an expression, or definitions with
// one of Result. Its last line is TLC's answer: a value, "error: …" where TLC
// cannot evaluate it, or "refused: …" where TLC does not accept the text. Only the
// message may differ.
func TestAnswers(t *testing.T) {
	files, err := filepath.Glob("testdata/answers/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	dir := t.TempDir()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, cases, _ := strings.Cut(string(text), "\n\n")
			for _, c := range strings.Split(cases, "\n\n") {
				body, want, ok := strings.Cut(strings.TrimSpace(c), "\n-> ")
				if !ok {
					t.Fatalf("no answer: %s", c)
				}
				if got := answer(t, dir, head, body, want); got != "" {
					t.Errorf("%s\nTLC:  %s\ngot:  %s", body, want, got)
				}
			}
		})
	}
}

// answer evaluates the case, and returns what differs from TLC's answer; "" where
// nothing does.
func answer(t *testing.T, dir, head, body, want string) string {
	t.Helper()
	if !strings.Contains(body, "Result ==") {
		body = "Result ==\n  " + strings.ReplaceAll(body, "\n", "\n  ")
	}
	kind, _, _ := strings.Cut(want, ":")
	p, err := load(t, dir, head+"\n"+body)
	if err != nil {
		if kind == "refused" {
			return ""
		}
		return "refused: " + err.Error()
	}
	r := p.NewRun()
	r.MostWork = 1_000_000
	got := resultOf(p, r, "Result")
	switch {
	case got == want, kind == "error" && strings.HasPrefix(got, "error: "):
		return ""
	case kind == "error" || kind == "refused" || strings.HasPrefix(got, "error: "):
		return got
	}
	// TLC writes a set as it has come to be.
	p, err = load(t, dir, head+"\n"+body+"\nWanted ==\n  "+want+"\nSame == Result = Wanted")
	if err != nil {
		t.Fatalf("TLC's answer %s cannot be read: %v", want, err)
	}
	if resultOf(p, p.NewRun(), "Same") != "TRUE" {
		return got
	}
	return ""
}

func load(t *testing.T, dir, units string) (*Program, error) {
	t.Helper()
	file := filepath.Join(dir, "Case.tla")
	if err := os.WriteFile(file, []byte("---- MODULE Case ----\n"+units+"\n====\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(file, nil, Options{ReadFile: besides("testdata/answers/files")})
}

// resultOf is the value of a definition of the root module, or the error.
func resultOf(p *Program, r *Run, name string) (shown string) {
	err := r.protect(func() {
		x := p.compileIn(p.root.scope, &syntax.Op{Name: syntax.Ident{Name: name}})
		v := x.code(r, x.frame(nil))
		if s, ok := v.(*value.Set); ok {
			value.Size(s) // an error where elements cannot be compared
		}
		shown = value.Show(v)
	})
	if err != nil {
		return "error: " + err.Error()
	}
	return shown
}
