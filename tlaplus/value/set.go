package value

import (
	"math"
	"slices"
)

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

// Index returns the place of v in the set's order, -1 where it is no element.
func (s *Set) Index(v Value) int {
	if i, ok := s.find(v); ok {
		return i
	}
	return -1
}

// The sets that are enumerated only where that is needed.
type (
	// Interval is Lo..Hi.
	Interval struct{ Lo, Hi int32 }

	// Subset is SUBSET Of.
	Subset struct{ Of Value }

	// FcnSet is [Dom -> Range].
	FcnSet struct{ Dom, Range Value }

	// RecordSet is [name: set, …], by the names' order.
	RecordSet struct {
		Names []*Str
		Sets  []Value
	}

	// Product is the set of tuples A \X B \X ….
	Product struct{ Sets []Value }

	// Binary is A \cup B, A \cap B or A \ B where a side is infinite.
	Binary struct {
		Op   SetOp
		A, B Value
	}

	// Filter is {x \in Of : Test} where Of is infinite.
	Filter struct {
		Of   Value
		Test func(Value) bool
	}

	// Seq is Seq(Of).
	Seq struct{ Of Value }

	// Infinite is Nat, Int, STRING, or Any, which has all values.
	Infinite uint8
)

// SetOp is what a Binary does.
type SetOp uint8

// The operations of sets.
const (
	Union SetOp = iota
	Intersection
	Difference
)

func (b *Binary) op() string { return [...]string{`\union`, `\intersect`, `\`}[b.Op] }

// The infinite sets.
const (
	Nat Infinite = iota
	Integers
	Strings
	Any
)

var infiniteNames = [...]string{Nat: "Nat", Integers: "Int", Strings: "STRING", Any: "Any"}

func (i Interval) size() int { return max(0, int(i.Hi)-int(i.Lo)+1) }

// IsSet reports whether v is a set.
func IsSet(v Value) bool {
	switch v.(type) {
	case *Set, Interval, *Subset, *FcnSet, *RecordSet, *Product, *Binary, *Filter, *Seq, Infinite:
		return true
	}
	return false
}

// NewRecordSet returns [names: sets], in any order of the names.
func NewRecordSet(names []*Str, sets []Value) *RecordSet {
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return Compare(names[a], names[b]) })
	r := &RecordSet{}
	for _, i := range order {
		r.Names, r.Sets = append(r.Names, names[i]), append(r.Sets, sets[i])
	}
	return r
}

// IsFinite reports whether the set can be enumerated: IsFiniteSet.
func IsFinite(v Value) bool {
	switch s := v.(type) {
	case *Set, Interval:
		return true
	case *Subset:
		return IsFinite(s.Of)
	case *FcnSet:
		return IsFinite(s.Dom) && (IsFinite(s.Range) || Size(s.Dom) == 0)
	case *RecordSet:
		return allFinite(s.Sets)
	case *Product:
		return allFinite(s.Sets)
	case *Binary:
		switch s.Op {
		case Union:
			return IsFinite(s.A) && IsFinite(s.B)
		case Intersection:
			return IsFinite(s.A) || IsFinite(s.B)
		}
		return IsFinite(s.A)
	case *Filter:
		return IsFinite(s.Of)
	case *Seq:
		return IsFinite(s.Of) && Size(s.Of) == 0
	}
	return false
}

func allFinite(sets []Value) bool {
	return !slices.ContainsFunc(sets, func(s Value) bool { return !IsFinite(s) })
}

// MostElements bounds a set that is enumerated: a little more than in TLC. Of a
// set that is only gone through, mostVisited elements are.
const (
	MostElements = 1 << 20
	mostVisited  = 1 << 22
	mostCounted  = 1 << 24 // of integers
)

// Size is the number of elements. It is an error where the set is infinite or
// has too many.
func Size(v Value) int {
	n := float64(1)
	switch s := v.(type) {
	case *Set:
		s.check()
		return len(s.Elems)
	case Interval:
		return s.size()
	case *Subset:
		n = math.Pow(2, float64(Size(s.Of)))
	case *FcnSet:
		if d := Size(s.Dom); d > 0 {
			n = math.Pow(float64(Size(s.Range)), float64(d))
		}
	case *RecordSet:
		n = sizes(s.Sets)
	case *Product:
		n = sizes(s.Sets)
	default:
		return len(Enumerate(v).Elems)
	}
	if n > math.MaxInt32 {
		Fail("%s has too many elements to count", Show(v))
	}
	return int(n)
}

func sizes(sets []Value) float64 {
	n := float64(1)
	for _, s := range sets {
		n *= float64(Size(s))
	}
	return n
}

// Few reports whether the set can be enumerated, and has no more elements than
// Enumerate returns. It makes none of them.
func Few(v Value) bool {
	n, ok := count(v)
	return ok && n <= MostElements
}

// count is Size of a set whose elements need not be made for it.
func count(v Value) (n float64, ok bool) {
	n = 1
	switch s := v.(type) {
	case *Set:
		return float64(len(s.Elems)), true
	case Interval:
		return float64(s.size()), true
	case *Subset:
		n, ok = count(s.Of)
		return math.Pow(2, n), ok
	case *FcnSet:
		d, ok := count(s.Dom)
		r, also := count(s.Range)
		return math.Pow(r, d), ok && also
	case *RecordSet:
		return countAll(s.Sets)
	case *Product:
		return countAll(s.Sets)
	}
	return 0, false
}

func countAll(sets []Value) (float64, bool) {
	n := 1.0
	for _, s := range sets {
		m, ok := count(s)
		if !ok {
			return 0, false
		}
		n *= m
	}
	return n, true
}

// Enumerate returns the set's elements in order.
func Enumerate(v Value) *Set {
	if s, ok := v.(*Set); ok {
		return s
	}
	if !IsSet(v) {
		Fail("%s is no set", Show(v))
	}
	if !IsFinite(v) {
		Fail("the set %s cannot be enumerated", Show(v))
	}
	switch v.(type) {
	case *Binary, *Filter, *Seq:
	default:
		most := MostElements
		if _, ok := v.(Interval); ok {
			most = mostVisited
		}
		if n := Size(v); n > most {
			Fail("the set %s has %d elements: at most %d are enumerated", Show(v), n, most)
		}
	}
	var elems []Value
	Each(v, func(e Value) bool {
		elems = append(elems, e)
		return true
	})
	if b, ok := v.(*Binary); ok && b.Op == Union {
		return NewSet(elems)
	}
	return sorted(elems)
}

// Each calls f with each element, in the set's order, until it returns false,
// and returns false then. Of a set with very many elements only those are made
// that f is called with.
func Each(v Value, f func(Value) bool) bool {
	switch v.(type) {
	case *Subset, *FcnSet, *RecordSet, *Product:
		f = bounded(v, f)
	}
	switch s := v.(type) {
	case *Set:
		s.check()
		for _, e := range s.Elems {
			if !f(e) {
				return false
			}
		}
	case Interval:
		for i := int64(s.Lo); i <= int64(s.Hi); i++ {
			if i-int64(s.Lo) > mostCounted {
				Fail("%d elements of the set %s have been gone through: it has too many", mostCounted, Show(v))
			}
			if !f(Of(i)) {
				return false
			}
		}
	case *Subset:
		return eachSubset(Enumerate(s.Of).Elems, f)
	case *FcnSet:
		dom := Enumerate(s.Dom)
		sets := make([]Value, len(dom.Elems))
		for i := range sets {
			sets[i] = s.Range
		}
		return eachChoice(sets, func(vals []Value) bool { return f(NewFcn(dom, vals)) })
	case *RecordSet:
		names := make([]Value, len(s.Names))
		for i, n := range s.Names {
			names[i] = n
		}
		dom := sorted(names)
		return eachChoice(s.Sets, func(vals []Value) bool { return f(NewFcn(dom, vals)) })
	case *Product:
		return eachChoice(s.Sets, func(vals []Value) bool { return f(NewTuple(vals...)) })
	case *Binary:
		switch {
		case s.Op == Union:
			return Each(s.A, f) && Each(s.B, f)
		case s.Op == Intersection && !IsFinite(s.A):
			return Each(s.B, func(e Value) bool { return !Contains(s.A, e) || f(e) })
		}
		return Each(s.A, func(e Value) bool { return Contains(s.B, e) == (s.Op == Difference) || f(e) })
	case *Filter:
		return Each(s.Of, func(e Value) bool { return !s.Test(e) || f(e) })
	case *Seq:
		if Size(s.Of) > 0 {
			Fail("the set %s cannot be enumerated", Show(v))
		}
		return f(Empty)
	case Infinite:
		Fail("the set %s cannot be enumerated", Show(v))
	default:
		Fail("%s is no set", Show(v))
	}
	return true
}

// bounded ends what goes through too many elements of the set.
func bounded(v Value, f func(Value) bool) func(Value) bool {
	n := 0
	return func(e Value) bool {
		if n++; n > mostVisited {
			Fail("%d elements of the set %s have been gone through: it has too many", mostVisited, Show(v))
		}
		return f(e)
	}
}

// eachSubset goes by size, and by the elements' places among those of one size.
func eachSubset(elems []Value, f func(Value) bool) bool {
	for size := range len(elems) + 1 {
		if !eachOfSize(elems, size, f) {
			return false
		}
	}
	return true
}

func eachOfSize(elems []Value, size int, f func(Value) bool) bool {
	at := make([]int, size)
	for i := range at {
		at[i] = i
	}
	for {
		subset := make([]Value, size)
		for i, place := range at {
			subset[i] = elems[place]
		}
		if !f(sorted(subset)) {
			return false
		}
		i := size - 1
		for i >= 0 && at[i] == len(elems)-size+i {
			i--
		}
		if i < 0 {
			return true
		}
		at[i]++
		for j := i + 1; j < size; j++ {
			at[j] = at[j-1] + 1
		}
	}
}

// eachChoice takes one element of each set, the last one's changing fastest.
func eachChoice(sets []Value, f func([]Value) bool) bool {
	lists := make([][]Value, len(sets))
	for i, s := range sets {
		if i > 0 && same(s, sets[i-1]) {
			lists[i] = lists[i-1]
		} else {
			lists[i] = Enumerate(s).Elems
		}
		if len(lists[i]) == 0 {
			return true
		}
	}
	at := make([]int, len(sets))
	for {
		vals := make([]Value, len(sets))
		for i, list := range lists {
			vals[i] = list[at[i]]
		}
		if !f(vals) {
			return false
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(lists[i]) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return true
		}
	}
}

// SubsetsOfSize is the set of the subsets with so many elements.
func SubsetsOfSize(s *Set, size int) Value {
	var out []Value
	if size >= 0 && size <= len(s.Elems) {
		eachOfSize(s.Elems, size, func(e Value) bool {
			out = append(out, e)
			return true
		})
	}
	return sorted(out)
}
