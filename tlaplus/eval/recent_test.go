package eval

import (
	"fmt"
	"strings"
	"testing"

	"tracecheck/tlaplus/value"
)

// walk is the steps of a spec with the variables x and y, up to a depth: the states
// after each, in the order in which they are made, and what is printed on the way.
func walk(t *testing.T, units string, depth int) (*Run, string) {
	t.Helper()
	s := loadText(t, "INSTANCE TLC\nINSTANCE Sequences\nINSTANCE FiniteSets\nVARIABLES x, y\n"+units, "INIT Init\nNEXT Next\n")
	r := s.NewRun()
	var list []string
	r.Print = func(text string) { list = append(list, "print "+text) }
	var states []*State
	add := func(st *State) bool {
		states = append(states, st)
		list = append(list, fmt.Sprintf("%s %s", value.Show(st.Vals[0]), value.Show(st.Vals[1])))
		return true
	}
	err := s.Initial(r, add)
	for range depth {
		list = append(list, "|")
		from := states
		states = nil
		for _, st := range from {
			if err == nil {
				err = s.Successors(r, st, add)
			}
		}
	}
	if err != nil {
		list = append(list, "error")
	}
	return r, strings.Join(list, ", ")
}

// TestKeptValues: a value is kept only as long as what it depends on: that of a name
// of a LET or an argument, and that of a call with the same arguments.
func TestKeptValues(t *testing.T) {
	const init = "Init == x = 0 /\\ y = 0\n"
	for _, c := range []struct {
		name, units, want string
		depth             int
	}{
		{"a LET, before and after", init + `
Next == LET a == x + 1
            b == x' + a
            c == b + 1
        IN x' \in {1, 2} /\ y' = <<a, b, c>>`, "0 0, |, 1 <<1, 2, 3>>, 2 <<1, 3, 4>>", 1},
		{"an argument with a prime", init + `
Both(v) == x' \in {1, 2} /\ y' = v
Next == Both(x' + x)`, "0 0, |, 1 1, 2 2", 1},
		{"a function that is not tabulated", init + `
Next == LET f == [n \in Nat |-> n + x'] IN x' \in {1, 2} /\ y' = f[10]`, "0 0, |, 1 11, 2 12", 1},
		{"an infinite set", init + `
Next == LET s == {n \in Nat : n > x'} IN x' \in {1, 2} /\ y' = (2 \in s)`, "0 0, |, 1 TRUE, 2 FALSE", 1},
		{"what is kept for both", init + `
Next == LET a == x'
            b == a
        IN x' \in {1, 2} /\ y' = <<b, a>>`, "0 0, |, 1 <<1, 1>>, 2 <<2, 2>>", 1},
		{"ENABLED", init + `
Next == LET p == x'
            e == ENABLED (x' = 7 /\ y' = p /\ p = 7)
        IN x' \in {1, 2} /\ y' = <<p, e, p>>`, "0 0, |, 1 <<1, TRUE, 1>>, 2 <<2, TRUE, 2>>", 1},
		{"in several states", init + `
Plus(v) == x + v
Next == \E m \in {1, 2} : x' = m /\ y' = Plus(10)`, "0 0, |, 1 10, 2 10, |, 1 11, 2 11, 1 12, 2 12", 2},
		{"in the next state", init + `
Plus(v) == x + v
Next == x' \in {1, 2} /\ y' = Plus(10)'`, "0 0, |, 1 11, 2 12", 1},
		{"while the first state is made", `
Plus(v) == x + v
Init == x \in {1, 2} /\ y = Plus(10)
Next == FALSE`, "1 11, 2 12", 0},
		{"FALSE, then TRUE", init + `
Is(v) == x = v
Next == (Is(0) /\ x' = 1 /\ y' = 3) \/ (Is(1) /\ x' = 0 /\ y' = 4)`, "0 0, |, 1 3, |, 0 4, |, 1 3", 3},
		{"other arguments", init + `
Is(v, w) == v = w
Next == \E m, n \in {1, 2} : Is(m, n) /\ x' = m /\ y' = n`, "0 0, |, 1 1, 2 2", 1},
		{"TRUE in two ways", init + `
Two(v) == v > 0 \/ v < 9
Next == \E m \in {1, 2} : Two(5) /\ x' = m /\ y' = 0`, "0 0, |, 1 0, 1 0, 2 0, 2 0", 1},
		{"a call that makes the step", init + `
Set(v) == x' = v /\ y' = v
Next == \E m \in {1, 2} : Set(7)`, "0 0, |, 7 7, 7 7", 1},
		{"a name that exists for a prime", init + `
Is(v) == v = 3
Pass(v) == Is(v) /\ y' = v
Next == Pass(x')`, "0 0, |, 3 3", 1},
		{"what is printed", init + `
Seen(v) == PrintT(v)
Next == \E m \in {1, 2} : Seen(7) /\ x' = m /\ y' = 0`, "0 0, |, print 7, 1 0, print 7, 2 0", 1},
		{"a register", init + `
Count(v) == TLCSet(1, v + TLCGet(1))
Next == TLCSet(1, 0) /\ \E m \in {1, 2} : Count(5) /\ x' = m /\ y' = TLCGet(1)`, "0 0, |, 1 5, 2 10", 1},
		{"an error of no element", init + `
Bad(v) == v.a = 1
Next == (\E m \in {} : Bad(1)) \/ (x' = Cardinality({m \in {} : Bad(1)}) /\ y' = (\A m \in {} : Bad(1)))`, "0 0, |, 0 TRUE", 1},
		{"an error behind what is FALSE", init + `
Bad(v) == v.a = 1
Next == (\E m \in {1, 2} : m > 2 /\ Bad(1)) \/ (x' = 1 /\ y' = {m \in {1, 2} : m > 2 /\ Bad(1)})`, "0 0, |, 1 {}", 1},
		{"an error", init + `
Bad(v) == v.a = 1
Next == \E m \in {1, 2} : (m = 1 \/ Bad(1)) /\ x' = m /\ y' = 0`, "0 0, |, 1 0, error", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, got := walk(t, c.units, c.depth); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestEvaluatedOnce: what is the same for all elements of a loop, or for all states
// that a step makes, is evaluated once.
func TestEvaluatedOnce(t *testing.T) {
	for _, c := range []struct{ name, next string }{
		{"FALSE", `\E m \in 1..100 : None(200) /\ x' = m /\ y' = 0`},
		{"a value", `x' = 0 /\ y' = {m \in 1..100 : m < Most(200)}`},
		{"a LET", `LET most == Cardinality({k \in 1..100 : k > x}) IN x' \in 1..100 /\ y' = most`},
		{"an argument", `To(Cardinality({k \in 1..100 : k > x}))`},
	} {
		r, _ := walk(t, `
None(v) == \E k \in 1..100 : k > v + x
Most(v) == Cardinality({k \in 1..100 : k < v + x})
To(v) == x' \in 1..100 /\ y' = v
Init == x = 0 /\ y = 0
Next == `+c.next, 1)
		if r.Work > 400 {
			t.Errorf("%s: the work is %d", c.name, r.Work)
		}
	}
}

// TestWorkOfGrowth: what an invariant says of a sequence that grows, or of a function
// that changes, is evaluated for what is new, also where the sequence is copied for more
// space.
func TestWorkOfGrowth(t *testing.T) {
	s := loadText(t, `INSTANCE Sequences
INSTANCE FiniteSets
VARIABLES log, other, cell
Init == log = <<>> /\ other = <<>> /\ cell = [i \in 1..40 |-> 0]
Next == /\ log' = Append(log, [t |-> Len(log) % 3])
        /\ other' = Append(other, [t |-> 0])
        /\ cell' = [cell EXCEPT ![(Len(log) % 40) + 1] = Len(log)]
Twice(n) == 2 * n
Cells == \A i \in 1..40 : Twice(cell[i]) >= 0
Filtered == Cardinality({n \in DOMAIN log : log[n].t = 0}) * 3 >= Len(log)
Common == \A n \in (1..Len(log)) \cap (1..Len(other)) : log[n].t = 0 => SubSeq(other, 1, n) # <<>>`,
		"INIT Init\nNEXT Next\nINVARIANTS Filtered Common Cells")
	r := s.NewRun()
	var at *State
	add := func(st *State) bool { at = st; return true }
	if err := s.Initial(r, add); err != nil {
		t.Fatal(err)
	}
	const steps, most = 500, 25
	for step := range steps {
		if err := s.Successors(r, at, add); err != nil {
			t.Fatal(err)
		}
		for i := range s.Invariants {
			p := &s.Invariants[i]
			work := r.Work
			if holds, err := p.HoldsAgain(r, at); !holds || err != nil {
				t.Fatalf("step %d: %s is %v, %v", step, p.Name, holds, err)
			}
			if did := r.Work - work; did > most && step > 2 {
				t.Errorf("step %d: the work of %s is %d", step, p.Name, did)
			}
		}
	}
}

// TestSteps: that an action does not explain a step says nothing of another step from
// the same state.
func TestSteps(t *testing.T) {
	s := loadText(t, `VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = 7 /\ y' \in {1, 0, 1}
Keep(v) == x' = v /\ UNCHANGED y
Same(v, w) == v = w
Prop == [][\E m \in {1, 2} : Keep(7) /\ Same(m, y' + 1)]_<<x, y>>`, "INIT Init\nNEXT Next\nPROPERTY Prop")
	r := s.NewRun()
	first := &State{Vals: []value.Value{value.Of(0), value.Of(0)}}
	for _, step := range []struct {
		x, y int64
		want bool
	}{{7, 1, false}, {7, 0, true}, {7, 1, false}, {6, 0, false}, {7, 0, true}} {
		to := &State{Vals: []value.Value{value.Of(step.x), value.Of(step.y)}}
		if got, err := s.Properties[0].Steps[0].Explains(r, first, to, nil); got != step.want || err != nil {
			t.Errorf("to %d, %d: %v, %v, want %v", step.x, step.y, got, err, step.want)
		}
	}
}

// TestEnabledOfAStep: in a property, ENABLED asks for any next state, not for that of the step.
func TestEnabledOfAStep(t *testing.T) {
	s := loadText(t, `INSTANCE Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = x + 1 /\ y' = y
Add == y < 3 /\ y' = y + 1 /\ UNCHANGED x
Reset == (\A i \in {1, 2} : x' = 0) /\ UNCHANGED y
MayAdd == [][ENABLED Add]_<<x, y>>
MayReset == [][ENABLED Reset]_<<x, y>>
MayStep == [][ENABLED (y < 2 /\ \E i \in {1, 2} : y' = y + i /\ UNCHANGED x) /\ x' = x + 1]_<<x, y>>`,
		"INIT Init\nNEXT Next\nPROPERTIES MayAdd MayReset MayStep")
	r := s.NewRun()
	for y, want := range [][]bool{{true, true, true}, {true, true, true}, {true, true, false}, {false, true, false}} {
		from := &State{Vals: []value.Value{value.Of(0), value.Of(int64(y))}}
		to := &State{Vals: []value.Value{value.Of(1), value.Of(int64(y))}}
		for i, p := range s.Properties {
			if got, err := p.Steps[0].Explains(r, from, to, nil); got != want[i] || err != nil {
				t.Errorf("%s with y = %d: %v, %v, want %v", p.Name, y, got, err, want[i])
			}
		}
	}
}
