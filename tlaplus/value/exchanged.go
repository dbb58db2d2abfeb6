package value

import "slices"

// Removed is the elements of a set that was \ out has not; ok is false where that set may
// not be made without an error.
func Removed(was, out *Set) (list []Value, ok bool) {
	if was.mixed || out.mixed {
		return nil, false
	}
	c := comparer{}
	for _, e := range out.Each() {
		if _, found := was.place(e, &c); found {
			list = append(list, e)
		}
	}
	return list, !c.mixed
}

// IsExchanged is is = (was \ removed) \union in. gone and come are how is differs from was.
// was has what is removed. known is false where the set on the right may not be made without
// an error.
func IsExchanged(was, is *Set, gone, come, removed []Value, in *Set) (equal, known bool) {
	if was.mixed || is.mixed || in.mixed {
		return false, false
	}
	c := comparer{}
	var less, more []Value // as gone and come
	for _, e := range removed {
		if _, back := in.place(e, &c); !back {
			less = append(less, e)
		}
	}
	for _, e := range in.Each() {
		if _, found := was.place(e, &c); !found {
			more = append(more, e)
		}
	}
	if c.mixed {
		return false, false
	}
	m, on, some := firstApart(gone, less, &c)
	if n, left, other := firstApart(more, come, &c); other && (!some || c.compare(n, m) < 0) {
		m, on, some = n, left, true
	}
	switch {
	case c.mixed:
		return false, false
	case !some:
		return true, true
	case len(come)-len(gone) != len(more)-len(less):
		return false, true
	}
	// The first elements that differ may be of different kinds, which is an error.
	there, made := Value(nil), m
	if on {
		i, _ := is.place(m, &c)
		there = is.At(i)
	} else {
		there, made = m, next(was, less, more, m, &c)
	}
	return false, !c.mixed && !Equal(there, made)
}

// firstApart is the least value that only one of two lists has, which are in order; left
// says that it is the first one.
func firstApart(a, b []Value, c *comparer) (v Value, left, some bool) {
	for len(a) > 0 && len(b) > 0 {
		n := c.compare(a[0], b[0])
		if n != 0 {
			return [...]Value{a[0], b[0]}[b2i(n > 0)], n < 0, true
		}
		a, b = a[1:], b[1:]
	}
	if len(a) > 0 {
		return a[0], true, true
	}
	if len(b) > 0 {
		return b[0], false, true
	}
	return nil, false, false
}

// next is the least element above v of a set without some of its elements, and with others.
func next(of *Set, less, more []Value, v Value, c *comparer) (e Value) {
	i, found := of.place(v, c)
	if found {
		i++
	}
	for ; i < of.Len(); i++ {
		if e = of.At(i); !slices.ContainsFunc(less, func(x Value) bool { return c.compare(x, e) == 0 }) {
			break
		}
		e = nil
	}
	for _, x := range more {
		if c.compare(x, v) > 0 && (e == nil || c.compare(x, e) < 0) {
			return x
		}
	}
	return e
}
