package value

// MostElements bounds a set that is enumerated: a little more than in TLC. Of a
// set that is only gone through, mostVisited elements are.
const (
	MostElements = 1 << 20
	mostVisited  = 1 << 22
	mostCounted  = 1 << 24 // of integers
)

// Enumerate returns the set's elements in order.
func Enumerate(v Value) *Set {
	if s, ok := v.(*Set); ok {
		s.check()
		return s
	}
	if !IsSet(v) {
		Fail("%s is not a set", Show(v))
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
		for _, e := range s.Each() {
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
		return eachSubset(Enumerate(s.Of).Elems(), f)
	case *FcnSet:
		dom := Enumerate(s.Dom)
		sets := make([]Value, dom.Len())
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
		Fail("%s is not a set", Show(v))
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
			lists[i] = Enumerate(s).Elems()
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
	if size >= 0 && size <= s.Len() {
		eachOfSize(s.Elems(), size, func(e Value) bool {
			out = append(out, e)
			return true
		})
	}
	return sorted(out)
}
