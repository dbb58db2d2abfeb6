package eval

import (
	"fmt"
	"strings"
	"testing"
)

// TestExcluded: where a step gives an element another value than an action does, the action
// is not evaluated. Where the values may be the same, it is, with its error.
func TestExcluded(t *testing.T) {
	const module = `INSTANCE TLC
INSTANCE Integers
VARIABLE tasks
Range(f) == {f[i] : i \in DOMAIN f}
Replace(f) == tasks' = (tasks \ DOMAIN f) \union Range(f)
stopped == "stopped"
Task(i) == [id |-> i, at |-> [state |-> "new"], on |-> 0]
Init == tasks = {Task(i) : i \in 1..9}
Next == \/ \E t \in tasks : t.id = 1 /\ Replace(t :> [t EXCEPT !.at.state = "stopped"])
        \/ \E t \in tasks : t.id = 1 /\ Replace(t :> [t EXCEPT !.at.state = "started", !.on = 1])
        \/ tasks' = tasks \union {Task(10)}
        \/ tasks' = tasks \union {[Task(11) EXCEPT !.at = "new"]}
Bad == 1 \div 0 = 1
Stop == \E n \in 1..2 : Bad /\ \E t \in tasks : Replace(t :> [t EXCEPT !.at.state = stopped])
StopSome == \E n \in 1..2 : Bad /\ Replace([t \in {u \in tasks : u.id < 3} |-> [t EXCEPT !.at.state = stopped]])
Count == \E n \in 0..1 : Bad /\ \E t \in tasks : Replace(t :> [t EXCEPT !.at.state = "stopped", !.on = n])
Add == \E n \in 1..2 : Bad /\ tasks' = tasks \union {[id |-> 10 + n, at |-> [state |-> stopped], on |-> 0]}
Stops == [][Stop]_tasks
StopsSome == [][StopSome]_tasks
Counts == [][Count]_tasks
Adds == [][Add]_tasks
`
	const cfg = "INIT Init\nNEXT Next\nPROPERTIES Stops StopsSome Counts Adds"
	with, without := loadWithout(t, module, cfg, 0), loadWithout(t, module, cfg, Narrows)
	r, plain := with.NewRun(), without.NewRun()
	var first *State
	if err := with.Initial(r, func(st *State) bool { first = st; return true }); err != nil {
		t.Fatal(err)
	}
	var steps []*State
	if err := with.Successors(r, first, func(st *State) bool { steps = append(steps, st); return true }); err != nil || len(steps) != 4 {
		t.Fatal(len(steps), err)
	}
	for i, evaluated := range []string{"Stops StopsSome Counts", "", "", "Stops StopsSome Counts Adds"} {
		for k, p := range with.Properties {
			holds, err := p.Steps[0].Explains(r, first, steps[i], nil)
			if want := strings.Contains(" "+evaluated+" ", " "+p.Name+" "); holds || (err != nil) != want {
				t.Errorf("step %d, %s: %v, %v, want an error: %v", i+1, p.Name, holds, err, want)
			}
			if _, err := without.Properties[k].Steps[0].Explains(plain, first, steps[i], nil); err == nil {
				t.Errorf("step %d, %s: no error without the short cut", i+1, p.Name)
			}
		}
	}
}

// TestSubsetsOfAStep: a step that changes no element does not make \E try all subsets.
func TestSubsetsOfAStep(t *testing.T) {
	const module = `INSTANCE TLC
INSTANCE Integers
VARIABLES tasks, x
Range(f) == {f[i] : i \in DOMAIN f}
Replace(f) == tasks' = (tasks \ DOMAIN f) \union Range(f)
Init == tasks = {[id |-> i, at |-> 1] : i \in 1..40} /\ x = 0
Next == \/ x' = 1 /\ UNCHANGED tasks
        \/ x' = 2 /\ tasks' = tasks \union {[id |-> 41, at |-> 3]}
End == \E ts \in SUBSET {t \in tasks : t.at = 1} :
         \E f \in [ts -> {0, 2}] : Replace([t \in ts |-> [t EXCEPT !.at = f[t]]])
Ends == [][End]_<<tasks, x>>
`
	s := loadWithout(t, module, "INIT Init\nNEXT Next\nPROPERTY Ends", 0)
	r := s.NewRun()
	var first *State
	if err := s.Initial(r, func(st *State) bool { first = st; return true }); err != nil {
		t.Fatal(err)
	}
	var steps []*State
	if err := s.Successors(r, first, func(st *State) bool { steps = append(steps, st); return true }); err != nil || len(steps) != 2 {
		t.Fatal(len(steps), err)
	}
	r.MostWork = 100_000
	for i, want := range []bool{true, false} {
		r.Work = 0
		if holds, err := s.Properties[0].Steps[0].Explains(r, first, steps[i], nil); holds != want || err != nil {
			t.Errorf("step %d: %v, %v, want %v", i+1, holds, err, want)
		}
	}
}

// TestTurns: an action is not evaluated for elements that it would make other ones than those
// that the step has. Each property is FALSE of each step; an error shows where it is evaluated.
func TestTurns(t *testing.T) {
	const module = `INSTANCE TLC
INSTANCE Integers
VARIABLES tasks, x
Range(f) == {f[i] : i \in DOMAIN f}
Replace(f) == tasks' = (tasks \ DOMAIN f) \union Range(f)
Task(i, s) == [id |-> i, at |-> [state |-> s], on |-> 0]
Init == tasks = {Task(i, "new") : i \in 1..9} \union {Task(1, "stopped"), Task(10, "old")} /\ x = 0
Next == \/ x' = 1 /\ UNCHANGED tasks
        \/ x' = 2 /\ tasks' = tasks \ {Task(1, "new")}
        \/ x' = 3 /\ tasks' = tasks \ {Task(2, "new")}
        \/ x' = 4 /\ tasks' = (tasks \ {Task(2, "new")}) \union {Task(2, "started")}
        \/ x' = 5 /\ tasks' = (tasks \ {Task(2, "new")}) \union {Task(2, "stopped"), Task(11, "new")}
        \/ x' = 6 /\ tasks' = tasks \union {Task(12, "new")}
Bad == 1 \div 0 = 1
Stop == \E n \in 1..2 : Bad /\ \E t \in tasks : Replace(t :> [t EXCEPT !.at.state = "stopped"])
StopEach == \E n \in 1..2 : Bad /\ Replace([t \in {u \in tasks : u.id < 3} |-> [t EXCEPT !.at.state = "stopped"]])
Restart == \E n \in 1..2 : Bad /\ \E t \in tasks : tasks' = (tasks \ {t}) \union {[t EXCEPT !.at.state = "stopped"], Task(n, "new")}
Finish == \E t \in tasks : (t.at.state = "done" \/ Bad) /\ Replace(t :> [t EXCEPT !.at.state = "done"])
Age == \E t \in tasks : Bad /\ Replace(t :> [t EXCEPT !.at.state = "old"])
Set == \E t \in tasks, s \in {"done", "gone"} : Bad /\ Replace(t :> [t EXCEPT !.on = 0, !.at.state = s])
SetOld == \E t \in tasks, s \in {"done", "old"} : Bad /\ Replace(t :> [t EXCEPT !.at.state = s])
Move == \E t \in tasks, s \in {"new", "old"}, n \in {1, 2} : Bad /\ Replace(t :> [t EXCEPT !.at.state = s, !.on = n])
`
	actions := []struct{ name, evaluated string }{
		{"Stop", "1 2"}, {"StopEach", "1 2"}, {"Restart", "1 2 5 6"},
		{"Finish", ""}, {"Age", "1"},
		{"Set", "2 3"}, {"SetOld", "1 2 3"}, {"Move", "2 3"}, // an element that is gone may have become one that there was
	}
	text, cfg := module, "INIT Init\nNEXT Next\nPROPERTIES"
	for _, a := range actions {
		text += a.name + "s == [][" + a.name + "]_<<tasks, x>>\n"
		cfg += " " + a.name + "s"
	}
	with, without := loadWithout(t, text, cfg, 0), loadWithout(t, text, cfg, Narrows)
	r, plain := with.NewRun(), without.NewRun()
	var states []*State
	add := func(st *State) bool { states = append(states, st); return true }
	if err := with.Initial(r, add); err != nil {
		t.Fatal(err)
	}
	if err := with.Successors(r, states[0], add); err != nil || len(states) != 7 {
		t.Fatal(len(states), err)
	}
	for k, a := range actions {
		for range 2 { // also with what is kept
			evaluated := ""
			for i, st := range states[1:] {
				if _, err := without.Properties[k].Steps[0].Explains(plain, states[0], st, nil); err == nil {
					t.Errorf("step %d, %s: no error without the short cut", i+1, a.name)
				}
				if holds, err := with.Properties[k].Steps[0].Explains(r, states[0], st, nil); holds {
					t.Errorf("step %d, %s: TRUE", i+1, a.name)
				} else if err != nil {
					evaluated += fmt.Sprintf(" %d", i+1)
				}
			}
			if evaluated = strings.TrimSpace(evaluated); evaluated != a.evaluated {
				t.Errorf("%s is evaluated in the steps %q, want %q", a.name, evaluated, a.evaluated)
			}
		}
	}
}
