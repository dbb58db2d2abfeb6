package eval

import "tracecheck/tlaplus/value"

// Where the next state is to keep elements of a set, \E t \in S : v' = (v \ {t}) \union …
// needs not be tried with such a t that becomes another element; nor need SUBSET S be gone
// through with it.

// staying is a test of a quantifier's first name.
type staying struct {
	turn *turn
	stay *value.Set
}

// leaves reports whether the next state would not have the element any more.
func (k *staying) leaves(r *Run, f *frame, slots []int) bool {
	return k.stay.Index(r.get(f.vals[slots[0]])) >= 0 && k.turn.changes(r, f, slots)
}

// keeping leaves out of the choices those with which the next state does not keep what it
// has to.
func (nw *narrowing) keeping(r *Run, f *frame, list []binding, left *choices) {
	if r.next.stays == nil || r.why != nil {
		return
	}
	stay := func(v int) *value.Set {
		if r.next.Vals[v] != nil {
			return nil
		}
		return r.next.stays[v]
	}
	left.slots, _ = flat(list)
	for i := range nw.facts {
		if ft := &nw.facts[i]; ft.turn.first() && stay(ft.v) != nil {
			left.stays = append(left.stays, staying{ft.turn, stay(ft.v)})
		}
	}
	pw := nw.apart
	if pw == nil || pw.only || !pw.removes || stay(pw.v.n) == nil {
		return
	}
	if all, ok := left.sets[0].(*value.Subset); ok {
		if base, ok := all.Of.(*value.Set); ok && value.InOrder(base) {
			if some, ok := pw.leaving(r, f, base, stay(pw.v.n)); ok {
				left.sets = []value.Value{&value.Subset{Of: some}}
			}
		}
	}
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
