package value

// Without is s \ {e}.
func (s *Set) Without(e Value) *Set {
	i, ok := s.find(e)
	switch {
	case !ok:
		return s
	case len(s.Elems) == 1:
		return NoElements
	}
	n := &Set{Elems: without(s.Elems, i)}
	if h := known(&s.hash); h != 0 {
		n.hash = some(h - mix(Hash(e)+golden))
	}
	return n
}

func without(list []Value, i int) []Value {
	return append(append(make([]Value, 0, len(list)-1), list[:i]...), list[i+1:]...)
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
	list := append(make([]Value, 0, len(vals)+1), vals[:i]...)
	return NewFcn(dom.Add(key), append(append(list, v), vals[i:]...))
}

// Restricted is the function without that argument. It is tabulated.
func Restricted(f, key Value) Value {
	dom, vals := table(f)
	i, ok := dom.find(key)
	if !ok {
		return f
	}
	return NewFcn(dom.Without(key), without(vals, i))
}
