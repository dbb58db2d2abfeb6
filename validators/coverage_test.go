package validators

import (
	"fmt"
	"testing"

	"tracecheck/internal/kinds"
)

// Counts are of conforming steps, of all streams, and of the specs that judge:
// not of one that only reads kinds which another has for its own.
func TestCoverage(t *testing.T) {
	specs := []*Spec{tally("one", kinds.Node), tally("two", kinds.Node, kinds.Task)}
	r := runShort(t, Options{Specs: specs, KeepGoing: true, Coverage: true},
		"a:s n1 b\na:u n1 c\na:u n1 a\na:u task/t1 a\na:u n1 d\nb:u n1 c\nb:u task/t2 b")
	// a: c, t1 and d conform; b: both. The kind node is shared, task is two's.
	want := []Coverage{{Spec: "two", Actions: []ActionCount{{"twoStep", 5}}}}
	if fmt.Sprint(r.Coverage) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", r.Coverage, want)
	}
}

// A spec has clauses under a profile that it does not have without: both are
// kept, each counted once.
func TestMergeCoverage(t *testing.T) {
	of := func(clauses ...string) []Coverage {
		c := Coverage{Spec: "s"}
		for _, text := range clauses {
			c.Clauses = append(c.Clauses, ClauseCount{ActionClause{"A", text}, 1})
		}
		return []Coverage{c}
	}
	got := MergeCoverage(MergeCoverage(nil, of("x", "y")), of("y", "z"))
	want := []ClauseCount{{ActionClause{"A", "x"}, 1}, {ActionClause{"A", "y"}, 2}, {ActionClause{"A", "z"}, 1}}
	if len(got) != 1 || fmt.Sprint(got[0].Clauses) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A clause decides where it alone of its action's does not hold.
func TestCoverCountsClausesAlone(t *testing.T) {
	type numbers struct{ a, b int }
	positive := func(text string, of func(*numbers) int) Clause[numbers] {
		return Clause[numbers]{Text: text, Holds: func(n *numbers) bool { return of(n) > 0 }}
	}
	a := positive("a > 0", func(n *numbers) int { return n.a })
	b := positive("b > 0", func(n *numbers) int { return n.b })
	relation := Relation[numbers]{
		{Name: "Both", Bind: func(*numbers) bool { return true }, Clauses: []Clause[numbers]{a, b}},
		{Name: "Never", Bind: func(*numbers) bool { return false }, Clauses: []Clause[numbers]{a}},
	}
	for _, c := range []struct {
		numbers
		want string
	}{
		{numbers{1, 1}, "map[]"}, {numbers{0, 0}, "map[]"},
		{numbers{0, 1}, "map[{Both a > 0}:1]"}, {numbers{1, 0}, "map[{Both b > 0}:1]"},
	} {
		cover := NewCover()
		if relation.Cover(&c.numbers, cover); fmt.Sprint(cover.clauses) != c.want {
			t.Errorf("%v: got %v, want %s", c.numbers, cover.clauses, c.want)
		}
	}
}

// The end of a stream that needs no allowance reads nothing of the spec's documentation,
// which is the same for all streams.
func TestEndReadsNoDocumentation(t *testing.T) {
	spec := tally("one", kinds.Node)
	spec.Profiles = []Profile{{Name: "real", Allows: make([]AllowanceDoc, 10)}}
	j := &judge{spec: spec, by: &settings{}}
	r, counted := &Runner{}, map[law]bool{j.law(): true}
	if n := testing.AllocsPerRun(100, func() {
		if uses, coverage := j.uses.addTo(nil, spec), r.coverage(nil, j, counted); uses != nil || coverage != nil {
			t.Errorf("got %v and %v", uses, coverage)
		}
	}); n > 0 {
		t.Errorf("%.1f allocations", n)
	}
}
