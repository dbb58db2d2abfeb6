package value

import "slices"

// Places finds the elements of another set, in the order of this one. It is nil where
// some are not there, or where elements of either cannot be compared.
func (s *Set) Places(of *Set) []int {
	if s.mixed || of.mixed {
		return nil
	}
	places := make([]int, 0, len(of.Elems))
	c := comparer{}
	for _, e := range of.Elems {
		i, ok := s.place(e, &c)
		if !ok || c.mixed {
			return nil
		}
		places = append(places, i)
	}
	slices.Sort(places)
	return places
}

// Exchange is the set with other values instead of those at some places, which are in
// order.
func (s *Set) Exchange(places []int, to []Value) *Set {
	n := &Set{Elems: make([]Value, 0, len(s.Elems))}
	from := 0
	h := hashChange{sum: known(&s.hash)}
	h.known = h.sum != 0
	for i, at := range places {
		if same(s.Elems[at], to[i]) {
			continue
		}
		n.Elems = append(n.Elems, s.Elems[from:at]...)
		from = at + 1
		h.without(s.Elems[at])
	}
	n.Elems = append(n.Elems, s.Elems[from:]...)
	c := comparer{}
	for i, at := range places {
		if same(s.Elems[at], to[i]) {
			continue
		}
		k, found := n.place(to[i], &c)
		if c.mixed {
			all := slices.Clone(s.Elems)
			for i, at := range places {
				all[at] = to[i]
			}
			return NewSet(all)
		}
		if !found {
			n.Elems = slices.Insert(n.Elems, k, to[i])
			h.with(to[i])
		}
	}
	if len(n.Elems) == 0 {
		return NoElements
	}
	if h.known {
		n.hash = some(h.sum)
	}
	return n
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
	for _, e := range y.Elems {
		for ; ; i++ {
			if i == len(x.Elems) {
				elems = append(elems, e)
				break
			}
			if same(x.Elems[i], e) {
				i++
				break
			}
			n := c.compare(x.Elems[i], e)
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
	out, in := NewSet(slices.Clone(gone)), NewSet(slices.Clone(come))
	apart := func() *Set {
		all := slices.DeleteFunc(slices.Clone(s.Elems), func(e Value) bool { return Contains(out, e) })
		return NewSet(append(all, come...))
	}
	if s.mixed || out.mixed || in.mixed {
		return apart()
	}
	c := comparer{}
	n := &Set{Elems: make([]Value, 0, len(s.Elems)+len(come))}
	h := hashChange{sum: known(&s.hash)}
	h.known = h.sum != 0
	less := s.Places(out)
	at, from := 0, 0 // of less, and of s
	keep := func(to int) {
		for ; at < len(less) && less[at] < to; at++ {
			n.Elems = append(n.Elems, s.Elems[from:less[at]]...)
			from = less[at] + 1
			h.without(s.Elems[less[at]])
		}
		n.Elems = append(n.Elems, s.Elems[from:to]...)
		from = to
	}
	for _, e := range in.Elems {
		k, stays := s.place(e, &c)
		if c.mixed {
			return apart()
		}
		if stays {
			_, goes := slices.BinarySearch(less, k)
			stays = !goes
		}
		if keep(k); !stays {
			n.Elems = append(n.Elems, e)
			h.with(e)
		}
	}
	keep(len(s.Elems))
	if len(n.Elems) == 0 {
		return NoElements
	}
	if h.known {
		n.hash = some(h.sum)
	}
	return n
}
