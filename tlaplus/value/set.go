package value

import (
	"iter"
	"slices"
)

// Set is a finite set, enumerated: its elements in their order. Where some cannot be
// compared, only Contains goes without an error: TLC does not notice until it has to.
type Set struct {
	list  List
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
			return &Set{list: List{flat: elems}, mixed: true}
		}
	}
	if inOrder {
		return sorted(elems)
	}
	slices.SortFunc(elems, c.compare)
	elems = slices.CompactFunc(elems, func(a, b Value) bool { return c.compare(a, b) == 0 })
	return &Set{list: List{flat: elems}, mixed: c.mixed}
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
	for i := 1; s.mixed && i < s.Len(); i++ {
		Compare(s.At(i-1), s.At(i))
	}
}

// sorted returns the set of values that are in order, without repetition.
func sorted(elems []Value) *Set { return ofList(List{flat: elems}) }

func ofList(elems List) *Set {
	if elems.Len() == 0 {
		return NoElements
	}
	return &Set{list: elems}
}

// Len is how many elements there are.
func (s *Set) Len() int { return s.list.Len() }

// At is the element at a place of the set's order.
func (s *Set) At(i int) Value { return s.list.At(i) }

// Elems is the elements in one slice. Of a large set it is a new one.
func (s *Set) Elems() []Value { return s.list.All() }

// Each is the elements with their places.
func (s *Set) Each() iter.Seq2[int, Value] { return s.list.Each() }

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
	isAfter := func(e Value) bool {
		t, ok := e.(*Str)
		return !ok || byAppearance(t.tok, v.tok, t.Text, v.Text) > 0
	}
	part, at := s.list.near(isAfter)
	from, to := 0, len(part)
	for to-from > fewStrings {
		if i := int(uint(from+to) >> 1); isAfter(part[i]) {
			to = i
		} else {
			from = i
		}
	}
	for i, e := range part[from:to] {
		if e, ok := e.(*Str); ok && e == v {
			return at + from + i, true
		}
	}
	return 0, false
}

// fewStrings are looked at one by one.
const fewStrings = 16

func (s *Set) place(v Value, c *comparer) (int, bool) {
	part, at := s.list.flat, 0
	if s.list.wide != nil {
		part, at = s.list.near(func(e Value) bool { return c.compare(e, v) > 0 })
	}
	from, to := 0, len(part)
	for from < to {
		i := int(uint(from+to) >> 1)
		switch n := c.compare(part[i], v); {
		case n == 0:
			return at + i, true
		case n < 0:
			from = i + 1
		default:
			to = i
		}
	}
	return at + from, false
}

// Index returns the place of v in the set's order, -1 where it is not an element.
func (s *Set) Index(v Value) int {
	if i, ok := s.find(v); ok {
		return i
	}
	return -1
}
