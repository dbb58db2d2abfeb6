package eval

import (
	"fmt"
	"strings"
	"testing"
)

// TestBeyond: with Full, the clauses after the first that failed are tried, too, on
// the path that breaks the fewest; what cannot be evaluated ends that, and changes
// nothing for the actions after it.
func TestBeyond(t *testing.T) {
	for _, c := range []struct{ name, next, want string }{
		{"straight", `x = 1 /\ x' = 2 /\ x' > 5 /\ UNCHANGED y`,
			"Next: !x = 1 (x = 0); +x' = 2 (x' = 2); !x' > 5 (x' = 2); +UNCHANGED y (y = 0)"},
		{"held", `x = 0 /\ x' = x + 2 /\ y' = 1 /\ y = x'`,
			"Next: +x = 0 (x = 0); +x' = x + 2 (x' = 2, x = 0); +y' = 1 (y' = 1); !y = x' (y = 0, x' = 2)"},
		{"fewest", `x = 1 /\ ((x' = 1 /\ x' > 1 /\ y' = 1) \/ (x' = 3 /\ y' = 1)) /\ y' = 1`,
			"Next: !x = 1 (x = 0); +x' = 3 (x' = 3); +y' = 1 (y' = 1); +y' = 1 (y' = 1)"},
		{"element", `x = 1 /\ \E v \in {1, 2, 3} : (v = 2 /\ x' = v) /\ UNCHANGED y`,
			"Next: !x = 1 (x = 0); +v = 2 (v = 2); +x' = v (x' = 2, v = 2); +UNCHANGED y (y = 0)"},
		{"error", `(x = 1 /\ x' = <<1>>[2] /\ UNCHANGED y) \/ (x = 0 /\ x' = 5 /\ y' = 9 /\ y' < x')`,
			"Next: +x = 0 (x = 0); +x' = 5 (x' = 5); +y' = 9 (y' = 9); !y' < x' (y' = 9, x' = 5)"},
		{"error alone", `x = 1 /\ y' = 4 /\ x' = <<1>>[2]`,
			"Next: !x = 1 (x = 0); +y' = 4 (y' = 4); stopped: the tuple <<1>> has no element 2"},
		{"enabled", `x = 1 /\ ENABLED (y = 1 /\ x' = 2) /\ UNCHANGED <<x, y>>`,
			"Next: !x = 1 (x = 0); !ENABLED (y = 1 /\\ x' = 2) (y = 0); +UNCHANGED <<x, y>> (x = 0, y = 0)"},
		{"none", `x = 1 /\ y' = 4 /\ \E v \in {} : x' = v`,
			"Next: !x = 1 (x = 0); +y' = 4 (y' = 4); !\\E v \\in {} : x' = v ()"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := loadText(t, "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == "+c.next, "INIT Init\nNEXT Next\n")
			r := spec.NewRun()
			why := &Why{Full: true}
			if err := spec.Initial(r, func(st *State) bool {
				if err := spec.Explain(r, st, why, func(*State) bool { return true }); err != nil {
					t.Fatal(err)
				}
				return true
			}); err != nil {
				t.Fatal(err)
			}
			var list []string
			for _, a := range why.Attempts() {
				var parts []string
				for _, c := range append(append(a.Held, a.Failed), a.Beyond...) {
					parts = append(parts, fmt.Sprintf("%s%s (%s)", map[bool]string{true: "+", false: "!"}[c.Holds], c.Text, c.Values))
				}
				if a.Stopped != "" {
					parts = append(parts, "stopped: "+a.Stopped)
				}
				list = append(list, a.Action+": "+strings.Join(parts, "; "))
			}
			if got := strings.Join(list, "\n"); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}
