package eval

import "testing"

// BenchmarkSet makes steps that exchange an element of a set of 1,000, and evaluates an
// invariant over it in each state: with all short cuts, and without one of them.
func BenchmarkSet(b *testing.B) {
	for _, c := range []struct {
		name    string
		without Shortcuts
	}{{"all", 0}, {"no-exchanges", Exchanges}, {"no-additions", Additions}} {
		b.Run(c.name, func(b *testing.B) {
			s := loadWithout(b, `INSTANCE TLC
VARIABLES tasks, n
Task(i, s) == [id |-> i, at |-> s]
Init == n = 0 /\ tasks = {Task(i, 0) : i \in 1..1000}
Swap(f) == tasks' = {IF t \in DOMAIN f THEN f[t] ELSE t : t \in tasks}
Next == n' = n + 1 /\ Swap(Task((n % 1000) + 1, n \div 1000) :> Task((n % 1000) + 1, (n \div 1000) + 1))
Inv == \A t \in tasks : t.id > 0 /\ t.at >= 0 /\ t.at < 1000`, "INIT Init\nNEXT Next\nINVARIANT Inv", c.without)
			r := s.NewRun()
			var at *State
			add := func(st *State) bool { at = st; return true }
			if err := s.Initial(r, add); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := s.Successors(r, at, add); err != nil {
					b.Fatal(err)
				}
				if holds, err := s.Invariants[0].HoldsAgain(r, at); !holds || err != nil {
					b.Fatal(holds, err)
				}
			}
		})
	}
}
