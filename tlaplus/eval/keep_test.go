package eval

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tracecheck/tlaplus/value"
)

// swarm is a module with large sets: its steps change few elements, and all that it says
// of them is about all of them.
const swarm = `INSTANCE TLC
INSTANCE Sequences
INSTANCE Integers
INSTANCE FiniteSets
VARIABLES tasks, services, out
Range(f) == {f[i] : i \in DOMAIN f}
Task(i, s) == [id |-> i, of |-> s, at |-> 0, on |-> "n" \o ToString(i % 3)]
Of(s) == {t \in tasks : t.of = s}
OfOn(s, n) == {t \in Of(s) : t.on = n}
Find(S, i) == LET all == {t \in S : <<t.of, t.id>> = i} IN IF all = {} THEN -1 ELSE (CHOOSE t \in all : TRUE).at
Ids(S) == {<<t.of, t.id>> : t \in S}
Replace(f) == /\ Assert(\A t \in DOMAIN f : t \in tasks, "an element that is not there")
              /\ tasks' = (tasks \ DOMAIN f) \union Range(f)
Same == UNCHANGED <<services, out>>
Init == /\ tasks = {[Task(i, IF i % 2 = 0 THEN "a" ELSE "b") EXCEPT !.at = IF i < 6 THEN 1 ELSE 0] : i \in 1..60}
        /\ services = [s \in {"a", "b", "c"} |-> 0]
        /\ out = 0
Advance == Same /\ \E t \in tasks, to \in 1..2 : t.at < 2 /\ to = t.at + 1 /\ Replace(t :> [t EXCEPT !.at = to])
Move == Same /\ \E t \in tasks : t.at = 1 /\ t.id < 8 /\ \E n \in {"n1", "n2"} : Replace(t :> [t EXCEPT !.on = n])
Remove == Same /\ \E t \in tasks : t.at = 2 /\ tasks' = tasks \ {t}
Add == Same /\ \E s \in DOMAIN services : \E i \in {61, 62} : {t \in Of(s) : t.id = i} = {} /\ tasks' = tasks \union {Task(i, s)}
Clear == Same /\ \E s \in DOMAIN services : \E n \in {t.on : t \in Of(s)} :
           Replace([t \in {u \in OfOn(s, n) : u.at = 1} |-> [t EXCEPT !.at = 0]])
End == Same /\ \E ts \in SUBSET {t \in tasks : t.at = 1 /\ t.id < 6} :
         \E f \in [ts -> {0, 2}] : Replace([t \in ts |-> [t EXCEPT !.at = f[t]]])
Serve == /\ UNCHANGED <<tasks, out>>
         /\ \E s \in {"a", "d"} : services' = (s :> 1) @@ services
Look == /\ UNCHANGED <<tasks, services>>
        /\ out' = <<{[t EXCEPT !.at = services[t.of]] : t \in tasks}, [t \in tasks |-> t.at + services[t.of]],
                    {t \in tasks : t.of \in DOMAIN services /\ services[t.of] = 0}, [s \in DOMAIN services |-> Cardinality(OfOn(s, "n1"))]>>
Work == Advance \/ Move \/ Clear \/ End
Next == Work \/ Remove \/ Add \/ Serve \/ Look
Inv == \A t \in tasks : /\ t.of \in DOMAIN services
                        /\ \A u \in tasks : t.id = u.id => t.of # u.of \/ t = u
Few == \A t \in tasks : \E u \in tasks : u.id = 3 /\ u.at < 2
Step == LET allowed == IF Work THEN {0, 1, 2} ELSE IF Remove THEN {-1} ELSE {}
        IN  \A i \in Ids(tasks) \union Ids(tasks') : Find(tasks, i) = Find(tasks', i) \/ Find(tasks', i) \in allowed
Stepped == [][Step]_<<tasks, services, out>>
Nexted == [][Next]_<<tasks, services, out>>
`

// TestKeptAgree: what short cuts keep, look up or leave out makes no difference. In random
// walks, the next states are the same in the same order, and so are the invariants, and the
// properties of these steps and of others, which no action makes.
func TestKeptAgree(t *testing.T) {
	const cfg = "INIT Init\nNEXT Next\nINVARIANT Inv\nINVARIANT Few\nPROPERTY Stepped\nPROPERTY Nexted"
	type side struct {
		name       string
		s          *Spec
		r          *Run
		before, at *State
		next       []*State
	}
	var sides []*side // the first is without any short cut
	for _, c := range []struct {
		name    string
		without Shortcuts
	}{{"none", ^Shortcuts(0)}, {"all", 0}, {"no-indexes", Indexes}, {"no-keeps", Keeps}, {"no-narrows", Narrows}, {"no-comparisons", Comparisons}} {
		s := loadWithout(t, swarm, cfg, c.without)
		sides = append(sides, &side{name: c.name, s: s, r: s.NewRun()})
	}
	says := func(of *side, from, to *State) string {
		text := ""
		for i := range of.s.Invariants {
			holds, err := of.s.Invariants[i].HoldsAgain(of.r, to)
			text += fmt.Sprint(holds, err, " ")
		}
		for _, p := range of.s.Properties {
			holds, err := p.Steps[0].Explains(of.r, from, to, nil)
			text += fmt.Sprint(holds, err, " ")
		}
		return text
	}
	next := func(of *side) (list []*State) {
		add := func(st *State) bool { list = append(list, st); return len(list) < 400 }
		var err error
		if of.at == nil {
			err = of.s.Initial(of.r, add)
		} else {
			err = of.s.Successors(of.r, of.at, add)
		}
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	// same compares what each side comes to.
	same := func(what string, is func(of *side) string) {
		t.Helper()
		want := is(sides[0])
		for _, of := range sides[1:] {
			if got := is(of); got != want {
				t.Fatalf("%s: %s is\n%s\nwant\n%s", of.name, what, got, want)
			}
		}
	}
	for _, of := range sides {
		of.at = next(of)[0]
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 12 {
		for _, of := range sides {
			of.next = next(of)
		}
		same("the number of next states", func(of *side) string { return fmt.Sprint(len(of.next)) })
		n := len(sides[0].next)
		for i := range n {
			same("a next state", func(of *side) string { return value.Show(value.NewTuple(of.next[i].Vals...)) })
		}
		for range 4 {
			i, k := random.IntN(n), random.IntN(n)
			same("a step", func(of *side) string { return says(of, of.at, of.next[i]) })
			same("two steps' difference", func(of *side) string { return says(of, of.next[k], of.next[i]) })
			if sides[0].before != nil {
				same("two steps as one", func(of *side) string { return says(of, of.before, of.next[i]) })
			}
		}
		i := random.IntN(n)
		for _, of := range sides {
			of.before, of.at = of.at, of.next[i]
		}
	}
}

// TestKeptWork: the work for a step and the state after it does not grow with the sets.
func TestKeptWork(t *testing.T) {
	const cfg = "INIT Init\nNEXT Next\nINVARIANT Inv\nPROPERTY Stepped\nPROPERTY Nexted"
	workOf := func(elements int) (work int) {
		s := loadWithout(t, strings.Replace(swarm, "1..60", fmt.Sprint("1..", elements), 1), cfg, 0)
		r := s.NewRun()
		var at *State
		if err := s.Initial(r, func(st *State) bool { at = st; return true }); err != nil {
			t.Fatal(err)
		}
		for range 12 {
			var to *State
			steps := 0
			if err := s.Successors(r, at, func(st *State) bool {
				to = st
				steps++
				return steps < 7 // of another element than those that are looked at first
			}); err != nil {
				t.Fatal(err)
			}
			r.Work = 0
			holds, err := s.Invariants[0].HoldsAgain(r, to)
			for _, p := range s.Properties {
				if is, bad := p.Steps[0].Explains(r, at, to, nil); !is || bad != nil {
					holds, err = is, bad
				}
			}
			if !holds || err != nil {
				t.Fatal(holds, err)
			}
			work, at = r.Work, to
		}
		return work
	}
	if few, many := workOf(100), workOf(800); many > 2*few {
		t.Errorf("%d pieces of work with 100 elements, %d with 800", few, many)
	}
}
