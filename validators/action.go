package validators

import (
	"fmt"
	"strings"

	"tracecheck/trace"
)

// Clause is one conjunct of an action or invariant. It reads the pair, and
// changes nothing. It must be defined even if an earlier clause is false, so
// that a report can list all failed clauses.
type Clause[P any] struct {
	Text   string          // the conjunct in the module's words
	Holds  func(*P) bool   //
	Shows  func(*P) string // optional: the values that it read, for a report
	Refute bool            // Shows gives a counterexample, which exists only if the clause fails
	Effect bool            // constrains primed variables: it helps to find the intended action
	_      struct{}        // keyed literals only
}

// Action is a disjunct of a module's Next: a relation between the old and the
// new state of the pair P.
type Action[P any] struct {
	Name    string        // the definition's name
	Actor   string        // the component that an event's "actor" names; "" if the module has none
	Doc     string        // one sentence
	Bind    func(*P) bool // \E: finds the witnesses in what changed; false: the step does not resemble this action
	Clauses []Clause[P]   // the conjuncts, in the module's order
	Stutter func(*P) bool // whether the action, enabled in the old state, may leave it unchanged; nil: never

	// Of an action in a Relation that is Prepared:
	place  int
	guards []func(*P) bool // the clauses that read the old state only
}

// Title is an action's name and its actor, "" where it has none.
type Title struct{ Name, Actor string }

// Meets says that the action is what the line claims.
func (t Title) Meets(ev *trace.Event) bool {
	return (ev.Action == "" || ev.Action == t.Name) && (ev.Actor == "" || ev.Actor == t.Actor)
}

// Title is what a line may claim of the action.
func (a *Action[P]) Title() Title { return Title{a.Name, a.Actor} }

// Match reports whether the action explains the pair.
func (a *Action[P]) Match(p *P) bool {
	if !a.Bind(p) {
		return false
	}
	clauses := a.Clauses
	for i := range clauses {
		if !clauses[i].Holds(p) {
			return false
		}
	}
	return true
}

// Enabled reports whether all guards of an action in a Prepared Relation hold. p has the
// witnesses of the action, and its two states are equal.
func (a *Action[P]) Enabled(p *P) bool {
	for _, holds := range a.guards {
		if !holds(p) {
			return false
		}
	}
	return true
}

// Near is an action that nearly explains a step.
type Near struct {
	Action string   `json:"action"`
	Actor  string   `json:"actor"`
	Failed []string `json:"failed"`
	Values []string `json:"values,omitempty"` // the values that each failed clause read; "" if it does not report them
	Held   []string `json:"held,omitempty"`
	Places []string `json:"places,omitempty"` // of the failed clauses in a module's text: file:line:column

	effects int // how many of the failed clauses are effects
}

// as reports whether the two actions are equally near.
func (n *Near) as(other *Near) bool {
	return n.effects == other.effects && len(n.Failed) == len(other.Failed)
}

// NearestText returns the end of the message of a step that no action explains. It names
// the nearest action with its first failed clause, and the actions that are equally near.
// It is "" for an empty list. Call it before the list is saved.
func NearestText(list []Near) string {
	if len(list) == 0 || len(list[0].Failed) == 0 {
		return ""
	}
	n := &list[0]
	text := fmt.Sprintf(". Nearest is %s, but not: %s", n.Action, n.Failed[0])
	if n.Values[0] != "" {
		text += " (" + n.Values[0] + ")"
	}
	var names []string
	for i := 1; i < len(list) && list[i].as(n); i++ {
		names = append(names, list[i].Action)
	}
	return text + AsNear(names)
}

// AsNear returns the part of a message that names equally near actions.
func AsNear(names []string) string {
	switch last := len(names) - 1; {
	case last < 0:
		return ""
	case last == 0:
		return "; equally near is " + names[0]
	default:
		return "; equally near are " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
}

// Relation is a module's Next: its actions, in the module's order.
type Relation[P any] []*Action[P]

// Prepared has Place and Enabled answer at once. Each action is of one such relation only.
func (r Relation[P]) Prepared() Relation[P] {
	for i, a := range r {
		a.place = i
		for k := range a.Clauses {
			if c := &a.Clauses[k]; !c.Effect {
				a.guards = append(a.guards, c.Holds)
			}
		}
	}
	return r
}

// Match returns the first action that explains the pair, nil if none does.
func (r Relation[P]) Match(p *P) *Action[P] {
	for _, a := range r {
		if a.Match(p) {
			return a
		}
	}
	return nil
}

// Nearest returns the n nearest candidate actions, and those that are as near as the
// first. Actions whose effects hold come first. The number of failed clauses decides next.
func (r Relation[P]) Nearest(p *P, n int) []Near {
	found := []Near{}
	for _, a := range r.attempts(p, false) {
		near := a.near()
		if len(found) >= n && !near.as(&found[0]) {
			break
		}
		found = append(found, near)
	}
	return found
}

// Describe documents the actions.
func (r Relation[P]) Describe() []ActionDoc {
	docs := make([]ActionDoc, len(r))
	for i, a := range r {
		docs[i] = ActionDoc{Name: a.Name, Actor: a.Actor, Doc: a.Doc, Clauses: texts(a.Clauses), Stutters: a.Stutter != nil}
	}
	return docs
}

func texts[P any](clauses []Clause[P]) []string {
	t := make([]string, len(clauses))
	for i := range clauses {
		t[i] = clauses[i].Text
	}
	return t
}

// Invariant is a state predicate, evaluated on what a step changed.
type Invariant[P any] struct {
	Name    string
	Kind    ViolationKind // OfInvariant or OfType
	Doc     string
	Clauses []Clause[P]
}

// Broken returns the first clause that fails, or nil.
func (v *Invariant[P]) Broken(p *P) *Clause[P] {
	clauses := v.Clauses
	for i := range clauses {
		if !clauses[i].Holds(p) {
			return &clauses[i]
		}
	}
	return nil
}

// Finding reports that the clause fails for the object. p is the pair of this object.
func (v *Invariant[P]) Finding(c *Clause[P], p *P, object string, at trace.Pos) Finding {
	text := fmt.Sprintf("%s breaks %s: %s", object, v.Name, c.Text)
	if c.Shows != nil {
		text += " (" + c.Shows(p) + ")"
	}
	return Finding{Kind: v.Kind, Rule: v.Name, Pos: at, Message: text}
}

// TypeRule documents a rule about the types of values.
func TypeRule(name, doc string, clauses ...string) RuleDoc {
	return RuleDoc{Name: name, Kind: OfType, Doc: doc, Clauses: clauses}
}

// Describe documents the invariant.
func (v *Invariant[P]) Describe() RuleDoc {
	return RuleDoc{Name: v.Name, Kind: v.Kind, Doc: v.Doc, Clauses: texts(v.Clauses)}
}
