package eval

import "tracecheck/tlaplus/value"

// Goal is what is looked for of a variable's next value, which is a set.
type Goal struct {
	Stay    *value.Set  // elements that it is to keep; nil: none
	Gone    value.Value // the element that a step takes out, if it changes the set; nil: any
	Come    value.Value // the one that it adds, which the set has not, likewise
	Changes bool        // it is another value than before
}

// Where the next state is to keep elements of a set, \E t \in S : v' = (v \ {t}) \union …
// needs not be tried with such a t that becomes another element; nor need SUBSET S be gone
// through with it. Where the step is to take out one element, t is that one.

// staying is a test of a quantifier's first name, which is taken out of the set.
type staying struct {
	*fact
	stay *value.Set
}

// leaves reports whether the next state would not have the element any more.
func (k *staying) leaves(r *Run, f *frame, slots []int) bool {
	e := r.get(f.vals[slots[0]])
	return k.stay.Index(e) >= 0 && (k.turn.first() && k.turn.changes(r, f, slots) || k.come.excluded(r, []value.Value{e}))
}

// toward leaves out of the choices those with which the next state does not meet its goals.
func (nw *narrowing) toward(r *Run, f *frame, list []binding, left *choices) {
	if r.next.goals == nil || r.why != nil {
		return
	}
	var of []int
	left.slots, of = flat(list)
	for i := range nw.facts {
		ft := &nw.facts[i]
		if r.next.Vals[ft.v] != nil {
			continue
		}
		goal := &r.next.goals[ft.v]
		if goal.Gone != nil && !nw.solve(r, f, ft.gone, goal.Gone, of, left) || goal.Come != nil && !nw.solve(r, f, ft.come, goal.Come, of, left) {
			left.none = true
			return
		}
		if ft.turn != nil && ft.turn.name == 1 && goal.Stay != nil && !left.solved[left.slots[0]] {
			left.stays = append(left.stays, staying{ft, goal.Stay})
		}
	}
	pw := nw.apart
	if pw == nil || pw.only || !pw.removes || r.next.Vals[pw.v.n] != nil || r.next.goals[pw.v.n].Stay == nil {
		return
	}
	if all, ok := left.sets[0].(*value.Subset); ok {
		if base, ok := all.Of.(*value.Set); ok && value.InOrder(base) {
			if some, ok := pw.leaving(r, f, base, r.next.goals[pw.v.n].Stay); ok {
				left.sets = []value.Value{&value.Subset{Of: some}}
			}
		}
	}
}

// solve gives the names their values with which the set has the element; false: none does.
func (nw *narrowing) solve(r *Run, f *frame, w *want, e value.Value, of []int, left *choices) bool {
	if w.impossible(r, []value.Value{e}) {
		return false
	}
	for _, s := range w.solves {
		if slot := left.slots[s.name]; !s.set && !left.solved[slot] {
			if v, is, known := s.value(r, e, left.sets[of[s.name]]); known && !left.give(f, slot, v, is) {
				return false
			}
		}
	}
	return true
}

// give gives a name its value, if that is an element of its set.
func (c *choices) give(f *frame, slot int, v value.Value, is bool) bool {
	if !is {
		return false
	}
	if c.solved == nil {
		c.solved = map[int]bool{}
	}
	f.vals[slot], c.solved[slot] = v, true
	return true
}

// leaving is the elements that the next state need not keep, or that come back; ok is false
// where that is not known.
func (pw *pointwise) leaving(r *Run, f *frame, elems, stay *value.Set) (some *value.Set, ok bool) {
	back := map[value.Value]bool{}
	ok = r.attempt(func() {
		for _, t := range elems.Each() {
			pw.added(r, f, t, func(e value.Value) bool {
				if i := stay.Index(e); i >= 0 {
					back[stay.At(i)] = true
				}
				return true
			})
		}
	})
	var list []value.Value
	for _, t := range elems.Each() {
		if i := stay.Index(t); i < 0 || back[stay.At(i)] {
			list = append(list, t)
		}
	}
	return value.Some(elems, list), ok
}

// added visits what may be added for an element, until visit is false.
func (pw *pointwise) added(r *Run, f *frame, t value.Value, visit func(e value.Value) bool) {
	f.vals[pw.slot] = t
	if pw.choice < 0 {
		visit(pw.e.code(r, f))
		return
	}
	dom := value.NewSet([]value.Value{t})
	r.through(pw.from.code(r, f), nil, func(c value.Value) bool {
		f.vals[pw.choice] = value.NewFcn(dom, []value.Value{c})
		return visit(pw.e.code(r, f))
	})
}
