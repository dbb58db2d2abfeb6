package validators

import (
	"cmp"
	"slices"

	"tracecheck/trace"
)

// Prober is a Machine that can evaluate a step without taking it.
type Prober interface {
	Machine
	// Probe evaluates the step in the current state, which stays unchanged. It
	// returns the parts of the step that actions must explain. There is none if
	// the step changes nothing, or cannot occur in such a state. Claims are
	// ignored.
	Probe(*trace.Step) []Part
}

// Variables is a Machine whose objects are the variables of a module. A stream may have
// several possible states. The objects are those of one of them.
type Variables interface {
	Machine
	// Possible is the number of these states.
	Possible() int
	// Writes returns the last events that changed the variable, in order. It is nil if no
	// event has changed it.
	Writes(variable string) []Event
}

// Part is what one action must explain: a whole step or, in a batched step, its
// changes of some objects.
type Part struct {
	What     string    // a description
	Line     int       // an event of the part, as an index in the step
	Whole    bool      // the part is the whole step, or one of several that the module sees of it; not an object's alone
	Attempts []Attempt // every candidate action, nearest first
}

// Attempt is a candidate action with all its clauses.
type Attempt struct {
	Action  string  `json:"action"`
	Actor   string  `json:"actor,omitempty"`
	Clauses []Tried `json:"clauses"`           // in the module's order
	Stopped string  `json:"stopped,omitempty"` // of a module that was read: why the later clauses were not evaluated
}

// Tried is an evaluated clause.
type Tried struct {
	Text   string `json:"clause"`
	Holds  bool   `json:"holds"`
	Effect bool   `json:"effect,omitempty"` // it constrains primed variables
	Values string `json:"values,omitempty"` // the values that it read, if it reports them
	Place  string `json:"place,omitempty"`  // of a module that was read: file:line:column
}

// Failed counts the failed clauses, and the effects among them.
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

// near returns the attempt as a violation lists it.
func (a *Attempt) near() Near {
	near := Near{Action: a.Action, Actor: a.Actor, Failed: []string{}}
	for i := range a.Clauses {
		switch c := &a.Clauses[i]; {
		case c.Holds:
			near.Held = append(near.Held, c.Text)
		default:
			near.Failed, near.Values = append(near.Failed, c.Text), append(near.Values, c.Values)
		}
	}
	_, near.effects = a.Failed()
	return near
}

// Attempts returns every candidate action, in the order of Nearest.
func (r Relation[P]) Attempts(p *P) []Attempt { return r.attempts(p, true) }

// attempts evaluates every candidate action. held says whether clauses that hold show
// their values, too.
func (r Relation[P]) attempts(p *P, held bool) []Attempt {
	list := []Attempt{}
	for _, a := range r {
		if !a.Bind(p) {
			continue
		}
		try := Attempt{Action: a.Name, Actor: a.Actor}
		for i := range a.Clauses {
			c := &a.Clauses[i]
			t := Tried{Text: c.Text, Holds: c.Holds(p), Effect: c.Effect}
			if c.Shows != nil && (!t.Holds || held && !c.Refute) {
				t.Values = c.Shows(p)
			}
			try.Clauses = append(try.Clauses, t)
		}
		list = append(list, try)
	}
	slices.SortStableFunc(list, func(a, b Attempt) int {
		failed, effects := a.Failed()
		others, otherEffects := b.Failed()
		return cmp.Or(effects-otherEffects, failed-others)
	})
	return list
}
