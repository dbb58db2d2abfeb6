package eval

import (
	"fmt"
	"strings"
	"testing"
)

// TestExchangedErrors: of several errors of v' = (v \ A) \union B, the first one in the
// order of evaluation counts, with the short cut and without.
func TestExchangedErrors(t *testing.T) {
	for _, c := range []struct{ right, at string }{
		{`(v \ {"a"}) \union {f[0]}`, `v \`},
		{`(v \ {f[1]}) \union {f[0]}`, `f[1]`},
		{`(v \ {1}) \union {f[0]}`, `f[0]`},
		{`(v \ 1) \union {f[0]}`, `v \`},
		{`(v \ {1}) \union {"a"}`, `(v`},
	} {
		place := fmt.Sprintf("T.tla:6:%d: ", len("E == v' = ")+strings.Index(c.right, c.at)+1)
		for _, without := range []Shortcuts{0, Narrows} {
			s := loadWithout(t, "VARIABLES v, f\nInit == v = 1..20 \\ {0} /\\ f = <<>>\nNext == v' = v \\ {1} /\\ UNCHANGED f\nE == v' = "+c.right+"\nP == [][E]_v",
				"INIT Init\nNEXT Next\nPROPERTY P", without)
			r := s.NewRun()
			var states []*State
			add := func(st *State) bool { states = append(states, st); return true }
			if err := s.Initial(r, add); err != nil {
				t.Fatal(err)
			}
			if err := s.Successors(r, states[0], add); err != nil || len(states) != 2 {
				t.Fatal(len(states), err)
			}
			if _, err := s.Properties[0].Steps[0].Explains(r, states[0], states[1], nil); err == nil || !strings.Contains(err.Error(), place) {
				t.Errorf("%s without %b: the error is %v, want it at %s", c.right, without, err, place)
			}
		}
	}
}
