package value

// Merge is f @@ g: both functions, f's values where both have one.
func Merge(f, g Value) Value {
	if function(f) == nil || function(g) == nil {
		Fail("%s @@ %s: both have to be functions", Show(f), Show(g))
	}
	return Zip(f, g, func(x, y Value) Value {
		if x != nil {
			return x
		}
		return y
	})
}

// Zip is the function with the arguments of both: of each the value that do makes of
// the two values, nil where a function has none. An argument of which do makes nil is
// left out. The arguments of the one with fewer are looked up in the other.
func Zip(f, g Value, do func(x, y Value) Value) Value {
	xd, xv := table(function(f))
	yd, yv := table(function(g))
	if xd.Len() < yd.Len() {
		xd, xv, yd, yv = yd, yv, xd, xv
		of := do
		do = func(x, y Value) Value { return of(y, x) }
	}
	at := xd.places(yd)
	xe, xs, ye, ys := xd.Elems(), xv.All(), yd.Elems(), yv.All()
	keys := make([]Value, 0, xd.Len()+yd.Len())
	vals := make([]Value, 0, cap(keys))
	add := func(key, val Value) {
		if val != nil {
			keys, vals = append(keys, key), append(vals, val)
		}
	}
	i := 0
	for k, to := range at {
		for ; i < to.at; i++ {
			add(xe[i], do(xs[i], nil))
		}
		if to.found {
			add(xe[i], do(xs[i], ys[k]))
			i++
		} else {
			add(ye[k], do(nil, ys[k]))
		}
	}
	for ; i < xd.Len(); i++ {
		add(xe[i], do(xs[i], nil))
	}
	if len(keys) == xd.Len() && allFound(at) {
		return NewFcn(xd, vals)
	}
	return NewFcn(sorted(keys), vals)
}

// place is where an element is, or would be.
type place struct {
	at    int
	found bool
}

// places finds the elements of another set.
func (s *Set) places(of *Set) []place {
	s.check()
	of.check()
	list := make([]place, of.Len())
	elems := s.Elems()
	c := comparer{strict: true}
	from := 0
	for k, e := range of.Each() {
		// What is near is found soon.
		ahead := 1
		for from+ahead < len(elems) && c.compare(elems[from+ahead], e) < 0 {
			ahead *= 2
		}
		part := Set{list: List{flat: elems[from:min(from+ahead+1, len(elems))]}}
		i, found := part.place(e, &c)
		if from += i; found {
			list[k] = place{from, true}
			from++
		} else {
			list[k] = place{from, false}
		}
	}
	return list
}

func allFound(list []place) bool {
	for _, p := range list {
		if !p.found {
			return false
		}
	}
	return true
}
