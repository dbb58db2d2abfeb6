package eval

import (
	"testing"

	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// TestPure: values are remembered of definitions that depend on their argument alone,
// and that begin with it.
func TestPure(t *testing.T) {
	cfg, err := config.Parse("Pure.cfg", []byte("INIT Init NEXT Next"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := LoadSpec("testdata/memory/Pure.tla", cfg, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"Quorum": true, "Up": true, "Below": false, "Random": false, "Logged": false, "None": false, "Later": false, "Twice": false,
	} {
		m := s.pureOf(s.root.scope.names[name].(*definition))
		if got := m != nil && m.first; got != want {
			t.Errorf("%s is remembered: %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]bool{"None": true, "Later": true, "Rank": true, "Below": false} {
		if got := s.pureOf(s.root.scope.names[name].(*definition)) != nil; got != want {
			t.Errorf("%s is remembered for arguments that are at hand: %v, want %v", name, got, want)
		}
	}
	r := s.NewRun()
	x := s.compileIn(s.root.scope, &syntax.Op{Name: syntax.Ident{Name: "Result"}})
	for n, want := range []string{"<<{{1, 2}}, {{1, 2}}, {}, {0}, FALSE, 1, 2, {}>>", "<<{{1, 2}}, {{1, 2}}, {}, {0, 5}, FALSE, 1, 2, {}>>"} {
		r.cur = &State{Vals: []value.Value{value.Of(int64(1 + 5*n))}}
		if got := value.Show(x.code(r, x.frame(nil))); got != want {
			t.Errorf("where x is %d: %s, want %s", 1+5*n, got, want)
		}
	}
}
