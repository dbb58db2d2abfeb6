package value

// Without is s \ {e}.
func (s *Set) Without(e Value) *Set {
	i, ok := s.find(e)
	switch {
	case !ok:
		return s
	case s.Len() == 1:
		return NoElements
	}
	n := &Set{list: s.list.with(i, i+1)}
	if h := known(&s.hash); h != 0 {
		n.hash = some(h - mix(Hash(e)+golden))
	}
	return n
}

// Extended is the function with that value there: (key :> v) @@ f. It is tabulated.
func Extended(f, key, v Value) Value {
	if g, ok := f.(*Fcn); ok {
		if i, found := g.Dom.find(key); found {
			return g.with(i, v)
		}
	}
	dom, vals := table(f)
	i, ok := dom.find(key)
	if ok {
		return With(f, key, func(Value) Value { return v })
	}
	return newFcn(dom.Add(key), vals.with(i, i, v))
}

// Restricted is the function without that argument. It is tabulated.
func Restricted(f, key Value) Value {
	dom, vals := table(f)
	i, ok := dom.find(key)
	if !ok {
		return f
	}
	return newFcn(dom.Without(key), vals.with(i, i+1))
}
