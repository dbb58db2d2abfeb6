package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Predicate is a formula with its name.
type Predicate struct {
	Name string
	x    *body

	act syntax.Expr // A of [A]_v
	in  *scope

	vars   []int // that it reads, once that is known
	always bool  // it may read more
	known  bool

	last *outcome // of HoldsAgain
	at   *place   // the same
}

// Place is where the predicate's definition is: file:line:column.
func (p *Predicate) Place() string {
	if op, ok := p.x.syn.(*syntax.Op); ok && len(op.Args) == 0 {
		if d, ok := p.x.scope.lookup(op.Name.Name).(*definition); ok && d.expr != nil {
			return d.scope.place(d.expr).String()
		}
	}
	return p.x.scope.place(p.x.syn).String()
}

// Explains reports whether the action of a property allows the step. A disjunct is
// not tried where the step changes what the disjunct leaves as it is.
func (p *Predicate) Explains(r *Run, cur, next *State, hints Hints) (holds bool, err error) {
	r.hints = hints
	err = r.protect(func() {
		r.cur, r.next, r.initial, r.checking = cur, next, false, true
		p.x.generate(r, p.x.frame(nil), &rest{done: func() bool {
			holds = true
			return false
		}})
	})
	r.hints = nil
	return holds, err
}

// Refuses records in why what stops each way in which the action of a property could
// allow the step.
func (p *Predicate) Refuses(r *Run, cur, next *State, why *Why) error {
	act := *p
	if p.act != nil { // not that the step is no stuttering
		act.x = r.compileIn(p.in, p.act)
	}
	end := why.begin(r, r.outline(p.Name, act.x))
	defer end()
	_, err := act.Explains(r, cur, next, nil)
	return err
}

// Fails records in why which conjunct of a predicate of states does not hold.
func (p *Predicate) Fails(r *Run, st *State, why *Why) error {
	end := why.begin(r, &outline{root: &Action{Name: p.Name}})
	defer end()
	_, err := p.Explains(r, st, nil, nil)
	return err
}

// Constant reports whether the predicate reads neither the state nor what TLCGet answers.
func (p *Predicate) Constant() bool { return p.x.level == constant }

// Depends reports whether the predicate may differ between two states, by the
// variables that it reads.
func (p *Predicate) Depends(r *Run, a, b *State) bool {
	if !p.known {
		p.known = true
		vars, ok := r.readsOf(p.x)
		if p.always = !ok; ok {
			for v := range vars {
				p.vars = append(p.vars, v)
			}
		}
	}
	for _, v := range p.vars {
		if !value.Same(a.Vals[v], b.Vals[v]) {
			return true
		}
	}
	return p.always
}

// Holds evaluates a predicate in a state, or of a step where next is not nil.
func (p *Predicate) Holds(r *Run, cur, next *State) (holds bool, err error) {
	err = r.protect(func() {
		r.cur, r.next, r.initial = cur, next, false
		holds = r.truth(p.x.code(r, p.x.frame(nil)), p.x.scope.place(p.x.syn))
	})
	return holds, err
}

// HoldsAgain is Holds for a predicate of states that is evaluated in many: what
// evaluations before came to counts where they read the same.
func (p *Predicate) HoldsAgain(r *Run, in *State) (holds bool, err error) {
	if p.last == nil {
		p.last, p.at = &outcome{whole: true}, p.x.scope.place(p.x.syn)
	}
	err = r.protect(func() {
		r.cur, r.next, r.initial = in, nil, false
		if o := p.last; !o.still(r) {
			o.begin(r)
			r.memory = o
			o.end(r.truth(p.x.code(r, p.x.frame(nil)), p.at))
		}
		holds = p.last.holds
	})
	return holds, err
}
