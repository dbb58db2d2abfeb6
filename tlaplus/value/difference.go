package value

import "slices"

// Differences finds how sets differ, and remembers what it has found of the last pairs:
// a step's sets are compared in more than one place.
type Differences struct {
	Plain bool // Equal, Identical and Changed do without

	known [16]difference
	next  int
	parts struct {
		was, is *Fcn
		keys    []Value
	}
}

type difference struct {
	was, is    *Set
	gone, come []Value
}

// Of is what one set has that the other has not, and the other way round, in the sets'
// order; ok is false where some elements cannot be compared.
func (d *Differences) Of(was, is *Set) (gone, come []Value, ok bool) {
	if was == is {
		return nil, nil, true
	}
	for i := range d.known {
		switch k := &d.known[i]; {
		case k.was == was && k.is == is:
			return k.gone, k.come, true
		case k.was == is && k.is == was:
			return k.come, k.gone, true
		}
	}
	if gone, come, ok = differ(was, is); ok {
		d.note(was, is, gone, come)
	}
	return gone, come, ok
}

func (d *Differences) note(was, is *Set, gone, come []Value) {
	d.known[d.next] = difference{was, is, gone, come}
	d.next = (d.next + 1) % len(d.known)
}

// leastCompared is how many elements sets have whose difference is asked for: fewer are
// compared one by one.
const leastCompared = 32

// large are two sets of that size.
func large(a, b Value) (x, y *Set, ok bool) {
	x, ok = a.(*Set)
	y, also := b.(*Set)
	return x, y, ok && also && x.Len() >= leastCompared && y.Len() >= leastCompared
}

// Equal is Equal, by the difference of large sets.
func (d *Differences) Equal(a, b Value) bool {
	x, y, ok := large(a, b)
	if !ok || x == y || d.Plain {
		return Equal(a, b)
	}
	gone, come, ok := d.Of(x, y)
	if !ok {
		return Equal(a, b)
	}
	if len(gone) == 0 && len(come) == 0 {
		return true
	}
	if len(gone) == len(come) { // the first elements that differ may be of different kinds: an error
		i := min(x.Index(gone[0]), y.Index(come[0]))
		Equal(x.At(i), y.At(i))
	}
	return false
}

// Identical is Identical, by the difference of large sets.
func (d *Differences) Identical(a, b Value) bool {
	if x, y, ok := large(a, b); ok && x != y && !d.Plain {
		gone, come, ok := d.Of(x, y)
		return ok && len(gone) == 0 && len(come) == 0
	}
	return Identical(a, b)
}

// Changed is s.Changed, whose difference is then known: gone are elements of s, and come
// are none.
func (d *Differences) Changed(s *Set, gone, come []Value) *Set {
	n := s.Changed(gone, come)
	if !d.Plain && s.Len() >= leastCompared && n.Len() >= leastCompared && !s.mixed && !n.mixed && n.Len() == s.Len()-len(gone)+len(come) {
		d.note(s, n, ordered(gone), ordered(come))
	}
	return n
}

func ordered(list []Value) []Value {
	return NewSet(slices.Clone(list)).Elems()
}

func differ(was, is *Set) (gone, come []Value, ok bool) {
	if was.mixed || is.mixed {
		return nil, nil, false
	}
	c := comparer{}
	x, y := was.list.walk(0), is.list.walk(0)
	for !x.ended() && !y.ended() {
		if n := x.same(&y); n > 0 {
			x.skip(n)
			y.skip(n)
			continue
		}
		n := c.compare(x.rest[0], y.rest[0])
		if n > 0 {
			come = append(come, y.rest[0])
		} else {
			if n < 0 {
				gone = append(gone, x.rest[0])
			}
			x.skip(1)
		}
		if n >= 0 {
			y.skip(1)
		}
		if c.mixed {
			return nil, nil, false
		}
	}
	for ; !x.ended(); x.skip(len(x.rest)) {
		gone = append(gone, x.rest...)
	}
	for ; !y.ended(); y.skip(len(y.rest)) {
		come = append(come, y.rest...)
	}
	return gone, come, true
}

// Before reports whether a comes before b in the order of values. Where the two cannot be
// compared, that is any order.
func Before(a, b Value) bool {
	c := comparer{}
	return !same(a, b) && c.compare(a, b) < 0
}

// InOrder reports whether all elements can be compared, and so are in their order.
func InOrder(s *Set) bool { return !s.mixed }

// Alike reports whether two values are of the same kind in each part: what can be
// compared with the one can be compared with the other.
func Alike(a, b Value) bool {
	switch x := a.(type) {
	case Bool:
		_, ok := b.(Bool)
		return ok
	case Int:
		_, ok := b.(Int)
		return ok
	case *Str:
		_, ok := b.(*Str)
		return ok
	case *Model:
		y, ok := b.(*Model)
		return ok && x.typ == y.typ
	case *Tuple:
		y, ok := b.(*Tuple)
		if !ok || len(x.Elems) != len(y.Elems) {
			return false
		}
		for i, e := range x.Elems {
			if !Alike(e, y.Elems[i]) {
				return false
			}
		}
		return true
	}
	return false
}

// Comparable reports whether the two can be compared for certain: a = b is not an error.
func Comparable(a, b Value) bool {
	m, isModel := a.(*Model)
	n, other := b.(*Model)
	if isModel || other {
		return (!isModel || m.typ == 0) && (!other || n.typ == 0)
	}
	if x, ok := a.(*Tuple); ok {
		y, also := b.(*Tuple)
		if !also {
			return false
		}
		for i := 0; i < len(x.Elems) && len(x.Elems) == len(y.Elems); i++ {
			if !Comparable(x.Elems[i], y.Elems[i]) {
				return false
			}
		}
		return true
	}
	return Alike(a, b)
}

// Domains are the domains of two functions; ok is false where one of them is not
// tabulated, or is none.
func Domains(f, g Value) (x, y Value, ok bool) {
	for _, v := range [...]Value{f, g} {
		switch v.(type) {
		case *Tuple, *Fcn:
		default:
			return nil, nil, false
		}
	}
	return Domain(f), Domain(g), true
}

// Parts are the arguments of which two functions have different values, or of which
// only one has a value; ok is false where that is not known.
func (d *Differences) Parts(was, is Value) (keys []Value, ok bool) {
	f, ok := was.(*Fcn)
	g, also := is.(*Fcn)
	if !ok || !also {
		return nil, false
	}
	if k := &d.parts; k.was == f && k.is == g {
		return k.keys, true
	}
	gone, come, ok := d.Of(f.Dom, g.Dom)
	if !ok {
		return nil, false
	}
	keys = append(append(keys, gone...), come...)
	v, w := f.vals.walk(0), g.vals.walk(0)
	for !v.ended() && !w.ended() {
		n := 1
		switch {
		case len(gone) > 0 && same(f.Dom.At(v.at), gone[0]):
			gone = gone[1:]
			v.skip(1)
			continue
		case len(come) > 0 && same(g.Dom.At(w.at), come[0]):
			come = come[1:]
			w.skip(1)
			continue
		case !same(v.rest[0], w.rest[0]):
			keys = append(keys, g.Dom.At(w.at))
		case len(gone)+len(come) == 0:
			n = v.same(&w)
		}
		v.skip(n)
		w.skip(n)
	}
	d.parts.was, d.parts.is, d.parts.keys = f, g, keys
	return keys, true
}
