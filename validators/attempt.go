package validators

import (
	"sort"

	"tracecheck/trace"
)

// Prober is a Machine that can say how a step would fare, without taking it.
type Prober interface {
	Machine
	// Probe tries the step in the state as it is, and leaves that as it was. It
	// returns the parts of the step that actions are tried for; none where the
	// step changes nothing, or where no state like this one could see it. Claims
	// do not count.
	Probe(*trace.Step) []Part
}

// Part is what some action would have to explain: a step as a whole or, where a
// step may be the sum of several actions, what it does to some objects.
type Part struct {
	What     string    // in words
	Line     int       // an event of it, an index into the step
	Whole    bool      // it is all that the step changes
	Attempts []Attempt // every action that could have been meant, nearest first
}

// Attempt is an action that could have been meant, with all its clauses.
type Attempt struct {
	Action  string  `json:"action"`
	Actor   string  `json:"actor,omitempty"`
	Clauses []Tried `json:"clauses"`           // in the module's order
	Stopped string  `json:"stopped,omitempty"` // of a module that was read: why the clauses after these were not tried
}

// Tried is a clause as it was found.
type Tried struct {
	Text   string `json:"clause"`
	Holds  bool   `json:"holds"`
	Effect bool   `json:"effect,omitempty"` // it says what changes
	Values string `json:"values,omitempty"` // what it saw, where it says so
	Place  string `json:"place,omitempty"`  // of a module that was read: file:line:column
}

// Failed counts the clauses that do not hold, and those of them that are effects.
func (a *Attempt) Failed() (clauses, effects int) {
	for i := range a.Clauses {
		if c := &a.Clauses[i]; !c.Holds {
			clauses++
			if c.Effect {
				effects++
			}
		}
	}
	return clauses, effects
}

// Attempts returns every action that could have been meant, in the order of
// Nearest.
func (r Relation[P]) Attempts(p *P) []Attempt {
	list := []Attempt{}
	for _, a := range r {
		if !a.Bind(p) {
			continue
		}
		try := Attempt{Action: a.Name, Actor: a.Actor}
		for i := range a.Clauses {
			c := &a.Clauses[i]
			t := Tried{Text: c.Text, Holds: c.Holds(p), Effect: c.Effect}
			if c.Shows != nil && !(t.Holds && c.Refute) {
				t.Values = c.Shows(p)
			}
			try.Clauses = append(try.Clauses, t)
		}
		list = append(list, try)
	}
	sort.SliceStable(list, func(i, j int) bool {
		failed, effects := list[i].Failed()
		otherFailed, otherEffects := list[j].Failed()
		if effects != otherEffects {
			return effects < otherEffects
		}
		return failed < otherFailed
	})
	return list
}
