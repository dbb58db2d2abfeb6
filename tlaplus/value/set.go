package value

import "slices"

// Set is a finite set, enumerated: its elements in their order. Where some cannot be
// compared, only Contains goes without an error: TLC does not notice until it has to.
type Set struct {
	Elems []Value
	hash  uint64
	mixed bool
}

// NoElements is {}. It is shared by goroutines, and so has its hash from the start.
var NoElements = &Set{hash: hashOfNoElements}

// NewSet returns the set of the values, which may repeat. It keeps the slice.
func NewSet(elems []Value) *Set {
	c := comparer{}
	inOrder := true
	for i := 1; i < len(elems); i++ {
		if inOrder = c.compare(elems[i-1], elems[i]) < 0 && inOrder; c.mixed {
			return &Set{Elems: elems, mixed: true}
		}
	}
	if inOrder {
		return sorted(elems)
	}
	slices.SortFunc(elems, c.compare)
	elems = slices.CompactFunc(elems, func(a, b Value) bool { return c.compare(a, b) == 0 })
	return &Set{Elems: elems, mixed: c.mixed}
}

// Some is the set of some of a set's elements, which are in its order.
func Some(of Value, elems []Value) *Set {
	switch of.(type) {
	case *Set, Interval:
		return sorted(elems)
	}
	return NewSet(elems)
}

// check is an error where the elements cannot be compared.
func (s *Set) check() {
	for i := 1; s.mixed && i < len(s.Elems); i++ {
		Compare(s.Elems[i-1], s.Elems[i])
	}
}

// sorted returns the set of values that are in order, without repetition.
func sorted(elems []Value) *Set {
	if len(elems) == 0 {
		return NoElements
	}
	return &Set{Elems: elems}
}

// find returns the place of v, or where it would be.
func (s *Set) find(v Value) (int, bool) {
	if str, ok := v.(*Str); ok && !s.mixed {
		if i, ok := s.findString(str); ok {
			return i, true
		}
	}
	return s.place(v, &comparer{strict: true})
}

// findString is find for a string that is an element. Most functions are of strings, and
// have few of them.
func (s *Set) findString(v *Str) (int, bool) {
	from, to := 0, len(s.Elems)
	for to-from > fewStrings {
		i := int(uint(from+to) >> 1)
		e, ok := s.Elems[i].(*Str)
		if !ok {
			return 0, false
		}
		if byAppearance(e.tok, v.tok, e.Text, v.Text) <= 0 {
			from = i
		} else {
			to = i
		}
	}
	for i := from; i < to; i++ {
		if e, ok := s.Elems[i].(*Str); ok && e == v {
			return i, true
		}
	}
	return 0, false
}

// fewStrings are looked at one by one.
const fewStrings = 8

func (s *Set) place(v Value, c *comparer) (int, bool) {
	from, to := 0, len(s.Elems)
	for from < to {
		i := int(uint(from+to) >> 1)
		switch n := c.compare(s.Elems[i], v); {
		case n == 0:
			return i, true
		case n < 0:
			from = i + 1
		default:
			to = i
		}
	}
	return from, false
}

// Index returns the place of v in the set's order, -1 where it is not an element.
func (s *Set) Index(v Value) int {
	if i, ok := s.find(v); ok {
		return i
	}
	return -1
}
