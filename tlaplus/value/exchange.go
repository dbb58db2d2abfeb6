package value

import "slices"

// Places finds the elements of another set, in the order of this one. It is nil where
// some are not there, or where elements of either cannot be compared.
func (s *Set) Places(of *Set) []int {
	if of.mixed {
		return nil
	}
	return s.placesOf(of.Elems())
}

func (s *Set) placesOf(elems []Value) []int {
	if s.mixed {
		return nil
	}
	places := make([]int, 0, len(elems))
	c := comparer{}
	for _, e := range elems {
		i, ok := s.place(e, &c)
		if !ok || c.mixed {
			return nil
		}
		places = append(places, i)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// Exchange is the set with other values instead of those at some places, which are in
// order.
func (s *Set) Exchange(places []int, to []Value) *Set {
	var less []int
	var come []Value
	for i, at := range places {
		if !same(s.At(at), to[i]) {
			less, come = append(less, at), append(come, to[i])
		}
	}
	if n := s.changed(less, come, comparer{}); n != nil {
		return n
	}
	all := slices.Clone(s.Elems())
	for i, at := range places {
		all[at] = to[i]
	}
	return NewSet(all)
}

// hashChange is the hash of a set whose elements are changed.
type hashChange struct {
	known bool
	sum   uint64
}

func (h *hashChange) with(e Value) {
	if h.known {
		var one uint64
		one, h.known = KeyHash(e)
		h.sum += mix(one + golden)
	}
}

func (h *hashChange) without(e Value) {
	if h.known {
		var one uint64
		one, h.known = KeyHash(e)
		h.sum -= mix(one + golden)
	}
}

// Added is what a set has that another one has not; ok is false where that takes more
// than going through both.
func Added(of, set Value) (rest Value, ok bool) {
	x, ok := of.(*Set)
	y, also := set.(*Set)
	if !ok || !also || x.mixed || y.mixed {
		return nil, false
	}
	var elems []Value
	c := comparer{}
	i := 0
	for _, e := range y.Each() {
		for ; ; i++ {
			if i == x.Len() {
				elems = append(elems, e)
				break
			}
			if same(x.At(i), e) {
				i++
				break
			}
			n := c.compare(x.At(i), e)
			if c.mixed {
				return nil, false
			}
			if n == 0 {
				i++
				break
			}
			if n > 0 {
				elems = append(elems, e)
				break
			}
		}
	}
	return sorted(elems), true
}

// Changed is the set without some of its elements, and with others that it does not have.
func (s *Set) Changed(gone, come []Value) *Set {
	less := s.placesOf(gone)
	if less == nil {
		out := NewSet(slices.Clone(gone))
		for i, e := range s.Each() {
			if Contains(out, e) {
				less = append(less, i)
			}
		}
	}
	if n := s.changed(less, come, comparer{}); n != nil {
		return n
	}
	var all []Value
	for i, e := range s.Each() {
		if _, goes := slices.BinarySearch(less, i); !goes {
			all = append(all, e)
		}
	}
	return NewSet(append(all, come...))
}

// changed is the set without the elements at some places, which are in order, and with
// others; nil where some elements cannot be compared.
func (s *Set) changed(less []int, come []Value, c comparer) *Set {
	c.mixed = s.mixed
	if len(come) > 1 {
		in := NewSet(slices.Clone(come))
		c.mixed, come = c.mixed || in.mixed, in.Elems()
	}
	h := hashChange{sum: known(&s.hash)}
	h.known = h.sum != 0
	m := newAssembly(s.Len() - len(less) + len(come))
	at, from, differs := 0, 0, len(less) > 0 // at is of less, from of s
	keep := func(to int) {
		for ; at < len(less) && less[at] < to; at++ {
			m.part(&s.list, from, less[at])
			from = less[at] + 1
			h.without(s.At(less[at]))
		}
		m.part(&s.list, from, to)
		from = to
	}
	for _, e := range come {
		if c.mixed {
			break
		}
		k, stays := s.place(e, &c)
		if stays {
			_, goes := slices.BinarySearch(less, k)
			stays = !goes
		}
		if keep(k); !stays {
			differs = true
			m.add(e)
			h.with(e)
		}
	}
	switch keep(s.Len()); {
	case c.mixed:
		return nil
	case !differs:
		return s
	}
	n := ofList(m.list())
	if h.known && n != NoElements {
		n.hash = some(h.sum)
	}
	return n
}
