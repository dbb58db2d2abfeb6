package model

import (
	"fmt"
	"slices"

	"tracecheck/validators"
)

// Clause is a guard: a conjunct without primes. The engine may evaluate it although an earlier one
// does not hold. It must change nothing.
type Clause[S, P any] struct {
	Text   string // in the module's words
	Holds  func(s *S, p *P) bool
	Shows  func(s *S, p *P) string // optional: the values it saw
	Refute bool                    // Shows returns a counterexample, so only for a clause that does not hold

	on   Table[S] // of a clause of Is: whose status is one of from
	from Statuses
	_    struct{} // keyed literals only
}

// Is returns the clause that a row's status is one of the values: term = "value", or term \in {…}.
// The status is the first enumeration of the kind. The action's Some must choose the row from the
// rows that the step changes. The engine skips the action if none of them has such a status.
func Is[S, P any, R comparable, V ~uint8](k *Kind[S, R], term string, row func(*P) *Change[R], of ...V) Clause[S, P] {
	status := k.firstEnum()
	names := Names{""}
	c := Clause[S, P]{on: k, from: In(of...)}
	for _, v := range of {
		names = append(names, status.names[v])
	}
	if c.Text = term + " \\in " + names.Set(); len(of) == 1 {
		c.Text = fmt.Sprintf("%s = %q", term, names[1])
	}
	from := c.from
	c.Holds = func(_ *S, p *P) bool { return from.has(status.value(row(p).Now)) }
	c.Shows = func(_ *S, p *P) string { return term + " = " + status.names[status.value(row(p).Now)] }
	return c
}

// Primed documents a conjunct with primes, for reports. The action's Effect is what implements it.
type Primed[S, P any] struct {
	Text   string
	Of     []Group[S]              // the columns that it is about
	If     func(s *S, p *P) bool   // optional: the condition of the conjunct
	Shows  func(s *S, p *P) string // optional
	Refute bool
	_      struct{}
}

// Unchanged returns the conjunct that the columns keep their values.
func Unchanged[S, P any](text string, of ...Group[S]) Primed[S, P] {
	return Primed[S, P]{Text: text, Of: of}
}

// Action is a disjunct of Next. What Effect does not write is UNCHANGED.
type Action[S, P any] struct {
	Name  string // the definition's name
	Actor string // the component, as an event's "actor" names it; "" where the module has none
	Doc   string // one sentence

	// Some is the quantifiers. It calls try for each possible witness, until try
	// returns true. nil: the action has no quantifier, and P is its zero value.
	Some   func(s *S, try func(P) bool)
	Guards []Clause[S, P]
	// Effect writes the rows after the action. The engine also calls it if guards
	// do not hold.
	Effect func(s *S, p *P)
	Primed []Primed[S, P]

	// Stutters reports whether the action is enabled and changes nothing, for some
	// witness; nil: never. Stuttered is called for such a step that claims the action.
	Stutters  func(s *S) bool
	Stuttered func(s *S)
	// Before returns an action that came before in the same step, unlogged; nil: none.
	Before func(s *S, p *P) *Action[S, P]

	place int // in Next; beyond: it is a profile's
	on    int // the place of a table of which the step must change a row with a status of from, if that has any
	from  Statuses
	_     struct{}
}

// beyond is in place of an action that the text does not have.
const beyond = -1

// Changed is the quantifier \E of an action on one object of the kind. It tries each object that the
// step changes.
func Changed[S any, R comparable](k *Kind[S, R]) func(s *S, try func(*Change[R]) bool) {
	return ChangedAs(k, func(_ *S, c *Change[R], try func(*Change[R]) bool) bool { return try(c) })
}

// ChangedAs is Changed for an action with other witnesses: of tries those with one object, until try
// returns true.
func ChangedAs[S, P any, R comparable](
	k *Kind[S, R], of func(s *S, c *Change[R], try func(P) bool) bool,
) func(s *S, try func(P) bool) {
	return func(s *S, try func(P) bool) {
		for _, c := range k.Rows(s).Changed() {
			if of(s, c, try) {
				return
			}
		}
	}
}

// prepare takes from the guards where the action need not be tried.
func (a *Action[S, P]) prepare(m *Model[S, P]) {
	if a.Some == nil {
		a.Some = func(_ *S, try func(P) bool) {
			var none P
			try(none)
		}
	}
	for i := range a.Guards {
		if g := &a.Guards[i]; g.on != nil {
			a.on, a.from = slices.Index(m.Tables, g.on), g.from
			return
		}
	}
}

// enabled says that the guards hold.
func (a *Action[S, P]) enabled(s *S, p *P) bool {
	for i := range a.Guards {
		if !a.Guards[i].Holds(s, p) {
			return false
		}
	}
	return true
}

// unwrite forgets the effect that ran last.
func (m *Model[S, P]) unwrite(s *S, u *uses) {
	for set := u.written; set != 0; set = set.rest() {
		t := m.Tables[set.first()]
		t.unwrite(s)
	}
	u.written = 0
}

// run writes the action's effect, in place of the last one.
func (m *Model[S, P]) run(a *Action[S, P], s *S, p *P) {
	m.unwrite(s, m.uses(s))
	a.Effect(s, p)
}

// Try is a step together with a witness of an action, for reports.
type Try[S, P any] struct {
	s   *S
	p   P
	any bool // an action need not resemble the step: it is enough that it writes what that changes
}

// asRelation is the action as it is described and reported: the guards, then the
// conjuncts with primes.
func (m *Model[S, P]) asRelation(a *Action[S, P]) *validators.Action[Try[S, P]] {
	type try = Try[S, P]
	out := &validators.Action[try]{Name: a.Name, Actor: a.Actor, Doc: a.Doc, Bind: func(t *try) bool { return m.choose(a, t) }}
	for _, g := range a.Guards {
		c := validators.Clause[try]{Text: g.Text, Refute: g.Refute, Holds: func(t *try) bool { return g.Holds(t.s, &t.p) }}
		if g.Shows != nil {
			c.Shows = func(t *try) string { return g.Shows(t.s, &t.p) }
		}
		out.Clauses = append(out.Clauses, c)
	}
	for _, c := range a.Primed {
		out.Clauses = append(out.Clauses, m.asClause(&c))
	}
	if a.Stutters != nil {
		out.Stutter = func(t *try) bool { return a.Stutters(t.s) }
	}
	return out
}

func (m *Model[S, P]) asClause(c *Primed[S, P]) validators.Clause[Try[S, P]] {
	type try = Try[S, P]
	out := validators.Clause[try]{Text: c.Text, Refute: c.Refute, Effect: !isUnchanged(c.Text), Holds: func(t *try) bool {
		return c.If != nil && !c.If(t.s, &t.p) || agree(t.s, c.Of)
	}}
	if c.Shows != nil {
		out.Shows = func(t *try) string { return c.Shows(t.s, &t.p) }
	}
	return out
}

func agree[S any](s *S, groups []Group[S]) bool {
	return !slices.ContainsFunc(groups, func(g Group[S]) bool { return !g.table.agrees(s, g.of) })
}

// maxCompared bounds the witnesses that a report compares: a batched step may
// change very many objects.
const maxCompared = 64

// choose takes the witness that comes nearest to what the step shows, of those
// whose effect resembles it; false: none does. The action's effect is the last
// one that ran.
func (m *Model[S, P]) choose(a *Action[S, P], t *Try[S, P]) bool {
	least, left := -1, maxCompared
	var best P
	a.Some(t.s, func(p P) bool {
		failed := 0
		for i := range a.Guards {
			failed += BoolInt(!a.Guards[i].Holds(t.s, &p))
		}
		if m.run(a, t.s, &p); !m.resembles(t.s, t.any || failed == 0) {
			return false
		}
		for i := range a.Primed {
			switch c := &a.Primed[i]; {
			case c.If != nil && !c.If(t.s, &p) || agree(t.s, c.Of):
			case isUnchanged(c.Text):
				failed++
			default:
				failed += len(a.Guards) + len(a.Primed) // farther off than all else
			}
		}
		if least < 0 || failed < least {
			least, best = failed, p
		}
		left--
		return failed == 0 || left == 0
	})
	if least < 0 {
		return false
	}
	t.p = best
	m.run(a, t.s, &t.p)
	return true
}

// resembles says that the effect that ran last makes some of what the step
// shows; or it is of an action that is enabled, and writes what the step changes.
func (m *Model[S, P]) resembles(s *S, enabled bool) bool {
	return slices.ContainsFunc(m.Tables, func(t Table[S]) bool { return t.resembles(s, enabled) })
}

// BoolInt returns 1 for true and 0 for false.
func BoolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
