package value

import (
	"math"
	"slices"
)

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

	// Binary is A \cup B, A \cap B or A \ B where a side IsLazy.
	Binary struct {
		Op   SetOp
		A, B Value
	}

	// Filter is {x \in Of : Test} where Of IsLazy.
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

// IsLazy reports whether the set is not enumerated for an operation on it: it is infinite, or
// made of a set with more elements than Enumerate returns.
func IsLazy(v Value) bool { return !IsFinite(v) || isLarge(v) }

func isLarge(v Value) bool {
	switch s := v.(type) {
	case *Subset:
		if isLarge(s.Of) {
			return true
		}
	case *FcnSet:
		if isLarge(s.Dom) || isLarge(s.Range) {
			return true
		}
	case *RecordSet:
		if slices.ContainsFunc(s.Sets, isLarge) {
			return true
		}
	case *Product:
		if slices.ContainsFunc(s.Sets, isLarge) {
			return true
		}
	case *Binary:
		return isLarge(s.A) || s.Op == Union && isLarge(s.B)
	case *Filter:
		return isLarge(s.Of)
	default:
		return false
	}
	n, ok := count(v)
	return ok && n > MostElements
}

// RefuseLazy is an error if v, or a part of it, is a Filter, or a Binary that IsLazy. A state
// has none.
func RefuseLazy(v Value) {
	switch v := v.(type) {
	case *Filter, *Binary:
		if IsLazy(v) {
			Fail("a state cannot have the set %s: it cannot be enumerated", Show(v))
		}
	case *Tuple:
		refuseLazy(v.Elems)
	case *Fcn:
		refuseLazy(v.Vals())
	case *Set:
		refuseLazy(v.Elems())
	}
}

func refuseLazy(list []Value) {
	for _, v := range list {
		RefuseLazy(v)
	}
}

// Size is the number of elements. It is an error where the set is infinite or
// has too many.
func Size(v Value) int {
	n := float64(1)
	switch s := v.(type) {
	case *Set:
		s.check()
		return s.Len()
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
		return Enumerate(v).Len()
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
		return float64(s.Len()), true
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
