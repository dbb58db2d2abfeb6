package validators

import (
	"strings"
	"testing"
)

// The actions that are as near as the first are all listed, whatever the number that was
// asked for, and named by the message. B fails as many clauses as A, but an effect.
func TestNearestNamesThoseAsNear(t *testing.T) {
	type pair struct{}
	holds := func(is bool) func(*pair) bool { return func(*pair) bool { return is } }
	act := func(name string, effect bool, failed int) *Action[pair] {
		a := &Action[pair]{Name: name, Bind: holds(true)}
		for range failed {
			a.Clauses = append(a.Clauses, Clause[pair]{Text: "x" + name, Holds: holds(false), Effect: effect, Shows: func(*pair) string { return "0" }})
		}
		a.Clauses = append(a.Clauses, Clause[pair]{Text: "true", Holds: holds(true)})
		return a
	}
	for _, c := range []struct {
		relation Relation[pair]
		listed   string
		text     string
	}{
		{Relation[pair]{act("A", false, 1), act("B", true, 1)}, "A", ". Nearest is A, but not: xA (0)"},
		{Relation[pair]{act("E", false, 2), act("A", false, 1), act("C", false, 1)}, "A C", ". Nearest is A, but not: xA (0); equally near is C"},
		{Relation[pair]{act("A", false, 1), act("C", false, 1), act("D", false, 1)}, "A C D", ". Nearest is A, but not: xA (0); equally near are C and D"},
		{Relation[pair]{act("A", true, 2), act("C", true, 1)}, "C", ". Nearest is C, but not: xC (0)"},
		{nil, "", ""},
	} {
		near := c.relation.Nearest(&pair{}, 1)
		var names []string
		for _, n := range near {
			names = append(names, n.Action)
		}
		if got := strings.Join(names, " "); got != c.listed {
			t.Errorf("listed %q, want %q", got, c.listed)
		}
		if got := NearestText(near); got != c.text {
			t.Errorf("text %q, want %q", got, c.text)
		}
	}
}
