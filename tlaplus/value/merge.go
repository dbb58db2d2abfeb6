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
	if len(xd.Elems) < len(yd.Elems) {
		xd, xv, yd, yv = yd, yv, xd, xv
		of := do
		do = func(x, y Value) Value { return of(y, x) }
	}
	at := xd.places(yd)
	keys := make([]Value, 0, len(xd.Elems)+len(yd.Elems))
	vals := make([]Value, 0, cap(keys))
	add := func(key, val Value) {
		if val != nil {
			keys, vals = append(keys, key), append(vals, val)
		}
	}
	i := 0
	for k, to := range at {
		for ; i < to.at; i++ {
			add(xd.Elems[i], do(xv[i], nil))
		}
		if to.found {
			add(xd.Elems[i], do(xv[i], yv[k]))
			i++
		} else {
			add(yd.Elems[k], do(nil, yv[k]))
		}
	}
	for ; i < len(xd.Elems); i++ {
		add(xd.Elems[i], do(xv[i], nil))
	}
	if len(keys) == len(xd.Elems) && allFound(at) {
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
	list := make([]place, len(of.Elems))
	c := comparer{strict: true}
	from := 0
	for k, e := range of.Elems {
		// What is near is found soon.
		ahead := 1
		for from+ahead < len(s.Elems) && c.compare(s.Elems[from+ahead], e) < 0 {
			ahead *= 2
		}
		part := Set{Elems: s.Elems[from:min(from+ahead+1, len(s.Elems))]}
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
