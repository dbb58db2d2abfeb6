package eval

import (
	"testing"

	"tracecheck/tlaplus/config"
)

// TestMade: a step that a definition has made needs no second evaluation of it; a
// step that it has made a part of, or with another argument, does.
func TestMade(t *testing.T) {
	for next, explained := range map[string][3]bool{
		"One": {true, true, false}, "Two": {false, true, false}, "Three": {false, true, true},
	} {
		cfg, err := config.Parse("Made.cfg", []byte("INIT Init NEXT "+next+" PROPERTIES IsOne IsAny IsThree"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := LoadSpec("testdata/memory/Made.tla", cfg, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := s.NewRun()
		steps := 0
		see := func(from *State) func(*State) bool {
			return func(to *State) bool {
				steps++
				for i, p := range s.Properties {
					for _, hints := range []Hints{r.Hints(), nil} {
						got, err := p.Steps[0].Explains(r.Fork(), from, to, hints)
						if err != nil || got != explained[i] {
							t.Errorf("%s, %s with %d hints: %v, %v; want %v", next, p.Name, len(hints), got, err, explained[i])
						}
					}
				}
				return true
			}
		}
		var first *State
		if err := s.Initial(r, func(st *State) bool { first = st; return true }); err != nil {
			t.Fatal(err)
		}
		if err := s.Successors(r, first, see(first)); err != nil || steps == 0 {
			t.Fatalf("%s: %d steps, %v", next, steps, err)
		}
	}
}
