package eval

import (
	"tracecheck/tlaplus/value"
)

// Key is what distinguishes states: the VIEW, or the variables, modulo SYMMETRY.
func (s *Spec) Key(r *Run, st *State) (key value.Value, err error) {
	err = r.protect(func() {
		r.cur, r.next, r.initial = st, nil, false
		if s.view != nil && len(s.perms) == 0 {
			key = s.view.code(r, s.view.frame(nil))
			return
		}
		all := value.NewTuple(st.Vals...)
		key = all
		for _, p := range s.perms {
			if k := value.Replace(all, p); value.Compare(k, key) < 0 {
				key = k
			}
		}
		if s.view != nil { // of the least state, as in TLC
			r.cur = &State{Vals: key.(*value.Tuple).Elems}
			key = s.view.code(r, s.view.frame(nil))
		}
	})
	return key, err
}

// group is the permutations that those of a set generate.
func group(set value.Value) []map[value.Value]value.Value {
	gens := value.Enumerate(set).Elems()
	known := map[uint64]bool{}
	var list []map[value.Value]value.Value
	todo := append([]value.Value(nil), gens...)
	for len(todo) > 0 {
		g := todo[0]
		todo = todo[1:]
		if h := value.Hash(g); known[h] {
			continue
		} else {
			known[h] = true
		}
		m := map[value.Value]value.Value{}
		dom := value.Enumerate(value.Domain(g))
		for _, e := range dom.Each() {
			to := value.Apply(g, e)
			for _, v := range []value.Value{e, to} {
				if _, ok := v.(*value.Model); !ok {
					value.Fail("SYMMETRY permutes model values, and %s is not one", value.Show(v))
				}
			}
			m[e] = to
		}
		list = append(list, m)
		for _, h := range gens {
			todo = append(todo, composed(m, h))
		}
	}
	return list
}

// composed is the permutation that applies h, then m.
func composed(m map[value.Value]value.Value, h value.Value) value.Value {
	all := []value.Value{}
	for e := range m {
		all = append(all, e)
	}
	dom := value.Combine(value.Union, value.NewSet(all), value.Domain(h)).(*value.Set)
	vals := make([]value.Value, dom.Len())
	for i, e := range dom.Each() {
		to := e
		if value.Contains(value.Domain(h), e) {
			to = value.Apply(h, e)
		}
		if t, ok := m[to]; ok {
			to = t
		}
		vals[i] = to
	}
	return value.NewFcn(dom, vals)
}
