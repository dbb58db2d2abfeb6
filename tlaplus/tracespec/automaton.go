package tracespec

import (
	"fmt"
	"math/bits"
	"slices"

	"tracecheck/tlaplus/eval"
)

// automaton follows a behaviour and keeps what a temporal formula still asks of it.
type automaton struct {
	root  *part
	timed []*part // of the formula, by their numbers
	steps []*part // the same
	*search
}

// part is a subformula.
type part struct {
	*eval.Temporal
	of     []*part
	number int            // of [], <>, or a predicate of steps
	plain  bool           // it is about a state alone
	holds  map[*node]bool // of a predicate of states, where that is known
}

// choice is one of the ways to meet obligations in a state.
type choice struct {
	next uint64 // what is [] or <> that is left for the states after it
	step uint64 // predicates that the step from it has to fulfil
}

// mostBits is how many bits a choice has for each.
const mostBits = 64

func newAutomaton(s *search, f *eval.Temporal) (*automaton, error) {
	a := &automaton{search: s}
	a.root = a.part(f)
	if max(len(a.timed), len(a.steps)) > mostBits {
		return nil, fmt.Errorf("a property with more than %d temporal operators is not judged", mostBits)
	}
	return a, nil
}

func (a *automaton) part(f *eval.Temporal) *part {
	p := &part{Temporal: f, plain: f.Op < eval.Always && f.Op != eval.StepLeaf}
	for _, f := range f.Of {
		q := a.part(f)
		p.of, p.plain = append(p.of, q), p.plain && q.plain
	}
	number := func(list *[]*part) {
		p.number = len(*list)
		*list = append(*list, p)
	}
	switch f.Op {
	case eval.Always, eval.Eventually:
		number(&a.timed)
	case eval.StepLeaf:
		number(&a.steps)
	case eval.StateLeaf:
		p.holds = map[*node]bool{}
	}
	return p
}

// left is what is [] or <> of a choice.
func (a *automaton) left(c choice) (list []*part) {
	for b := c.next; b != 0; b &= b - 1 {
		list = append(list, a.timed[bits.TrailingZeros64(b)])
	}
	return list
}

// choices are the ways to meet all of the formulas from a state on.
func (a *automaton) choices(n *node, todo []*part, so choice) ([]choice, error) {
	if len(todo) == 0 {
		return []choice{so}, nil
	}
	p, todo := todo[len(todo)-1], todo[:len(todo)-1]
	todo = slices.Clip(todo)
	if p.plain {
		if ok, err := a.satisfied(n, p); err != nil || !ok {
			return nil, err
		}
		return a.choices(n, todo, so)
	}
	later := so
	switch p.Op {
	case eval.StepLeaf:
		so.step |= 1 << p.number
		return a.choices(n, todo, so)
	case eval.Conjunction:
		return a.choices(n, append(todo, p.of...), so)
	case eval.Always:
		so.next |= 1 << p.number
		return a.choices(n, append(todo, p.of...), so)
	case eval.Eventually:
		if p.of[0].plain {
			if ok, err := a.satisfied(n, p.of[0]); err != nil || ok {
				if err != nil {
					return nil, err
				}
				return a.choices(n, todo, so)
			}
		}
		later.next |= 1 << p.number
	}
	var all []choice
	add := func(todo []*part, so choice) error {
		list, err := a.choices(n, todo, so)
		for _, c := range list {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
		return err
	}
	if p.Op == eval.Eventually {
		if err := add(todo, later); err != nil {
			return nil, err
		}
	}
	if p.Op == eval.Disjunction || !p.of[0].plain {
		for _, q := range p.of {
			if err := add(append(todo, q), so); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// satisfied reports whether what is about a state alone holds.
func (a *automaton) satisfied(n *node, p *part) (bool, error) {
	if p.Op != eval.StateLeaf {
		for _, q := range p.of {
			if ok, err := a.satisfied(n, q); err != nil || ok == (p.Op == eval.Disjunction) {
				return ok, err
			}
		}
		return p.Op == eval.Conjunction, nil
	}
	holds, known := p.holds[n]
	if !known {
		a.stand(n)
		var err error
		if holds, err = p.P.Holds(a.run, n.state, nil); err != nil {
			return false, err
		}
		p.holds[n] = holds
	}
	return holds != p.Not, nil
}

// allows reports whether a step fulfils the predicates of a choice.
func (a *automaton) allows(c choice, from, to *node) (bool, error) {
	for b := c.step; b != 0; b &= b - 1 {
		p := a.steps[bits.TrailingZeros64(b)]
		a.stand(from)
		if ok, err := p.P.Holds(a.run, from.state, to.state); err != nil || ok == p.Not {
			return false, err
		}
	}
	return true, nil
}

// fulfils reports whether each <> is met again and again where a behaviour goes round: in
// some place it is not left for later.
func (a *automaton) fulfils(round []*vertex) bool {
	for _, p := range a.timed {
		if p.Op == eval.Eventually && !slices.ContainsFunc(round, func(v *vertex) bool { return v.next>>p.number&1 == 0 }) {
			return false
		}
	}
	return true
}
