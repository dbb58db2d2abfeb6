package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/tlaplus/config"
)

// TestActions: the disjuncts of Next are named by the actions that they call, and
// have the conjuncts around them.
func TestActions(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"called", `
A == x' = 1
B(v) == x' = v
Next == A \/ \E v \in {1, 2} : B(v)`, "A: x' = 1; B: x' = v"},
		{"around", `
Line(v) == x < v
A == x' = 1
B == x' = 2
Step == x' # 7
Some == /\ \/ Line(1) /\ A
           \/ /\ Line(2)
              /\ B
        /\ Step
Next == \/ x = 0 /\ Some
        \/ x = 9 /\ Step`, "A: x = 0, x < v, x' = 1, x' # 7; B: x = 0, x < v, x' = 2, x' # 7; Next!2: x = 9, x' # 7"},
		{"choices around", `
A == x' = 1
B == x' = 2 \/ x' = 3
Some == /\ x = 1 \/ x = 2
        /\ A \/ B
Next == Some`, "A: x = 1 \\/ x = 2, x' = 1; B: x = 1 \\/ x = 2, x' = 2 \\/ x' = 3 [x' = 2 | x' = 3]; around: Some [x = 1 | x = 2]"},
		{"one", `
Next == x < 3 /\ (x' = 1 \/ x' = 2)`, "Next: x < 3, x' = 1 \\/ x' = 2 [x' = 1 | x' = 2]"},
		{"one that is called", `
A(v) == x' = v
B == A(1)
Next == \E v \in {1, 2} : (B)`, "B: x' = v"},
		{"one that is called in a conjunction", `
A == x' = 1
Next == x < 3 /\ A`, "Next: x < 3, x' = 1"},
		{"within", `
A == \/ x' = 1
     \/ x = 1 /\ (x' = 2 \/ x' = 3)
B == IF x = 1 THEN x' = 1 \/ x' = 4 ELSE FALSE
Next == A \/ B \/ A`, "A: \\/ x' = 1 \\/ x = 1 /\\ (x' = 2 \\/ x' = 3) [x' = 1 | x = 1 /\\ (x' = 2 \\/ x' = 3) | x' = 2 | x' = 3]; " +
			"B: IF x = 1 THEN x' = 1 \\/ x' = 4 ELSE FALSE [x' = 1 | x' = 4]"},
		{"let", `
A == LET Two == 2 IN x' = Two
RECURSIVE R(_)
R(n) == \/ x' = n
        \/ R(n + 1)
Next == A \/ R(1)`, "A: x' = Two; R: \\/ x' = n \\/ R(n + 1) [x' = n | R(n + 1)]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := loadText(t, "VARIABLE x\nInit == x = 0"+c.text, "INIT Init\nNEXT Next\n")
			var list []string
			for _, a := range spec.Actions() {
				text := a.Name + ": " + joined(a.Clauses, ", ")
				if len(a.Disjuncts) > 0 {
					text += " [" + joined(a.Disjuncts, " | ") + "]"
				}
				list = append(list, text)
			}
			for _, a := range spec.Around() {
				if len(a.Disjuncts) > 0 {
					list = append(list, "around: "+a.Name+" ["+joined(a.Disjuncts, " | ")+"]")
				}
			}
			if got := strings.Join(list, "; "); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

func joined(list []Clause, with string) string {
	var texts []string
	for _, c := range list {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, with)
}

// loadText loads a module T with a body and a cfg.
func loadText(t *testing.T, body, cfg string) *Spec {
	t.Helper()
	return loadWithout(t, body, cfg, 0)
}

// loadWithout is loadText without some short cuts.
func loadWithout(t testing.TB, body, cfg string, without Shortcuts) *Spec {
	t.Helper()
	file := filepath.Join(t.TempDir(), "T.tla")
	if err := os.WriteFile(file, []byte("---- MODULE T ----\nEXTENDS Naturals\n"+body+"\n====\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	parsed, err := config.Parse("T.cfg", []byte(cfg))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := LoadSpec(file, parsed, Options{Without: without})
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// TestDoc: a definition's comment is the one that ends above it.
func TestDoc(t *testing.T) {
	spec := loadText(t, `VARIABLE x
\* Not of Init.

\* Begins at
\* nothing (0).
Init == x = 0
(* Counts
 * up. *)
Next == x' = x + 1`, "INIT Init\nNEXT Next\n")
	for name, want := range map[string]string{"Init": "Begins at nothing (0).", "Next": "Counts up."} {
		if _, _, got := spec.Definition(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestManyCalls: definitions that call each other very often are outlined all the
// same, as far as the bound goes.
func TestManyCalls(t *testing.T) {
	text := "VARIABLE x\nInit == x = 0\nA0 == x' = 1\n"
	for i := range 40 {
		text += fmt.Sprintf("A%d == (A%d /\\ A%d) \\/ A%d\n", i+1, i, i, i)
	}
	if spec := loadText(t, text+"Next == A40", "INIT Init\nNEXT Next\n"); len(spec.Actions()) == 0 {
		t.Error("no action")
	}
}
