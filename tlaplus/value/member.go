package value

import "slices"

// Contains is e \in set.
func Contains(set, e Value) bool {
	switch s := set.(type) {
	case *Set:
		if s.mixed { // in the order in which they are written, as TLC does
			return slices.ContainsFunc(s.Elems(), func(v Value) bool { return Equal(v, e) })
		}
		_, ok := s.find(e)
		return ok
	case Interval:
		switch e := e.(type) {
		case Int:
			return int32(e) >= s.Lo && int32(e) <= s.Hi
		case *Model:
			e.untyped(set)
			return false
		}
		if s.size() == 0 {
			return false
		}
		Fail("%s is not an integer, and cannot be compared with the elements of %s", Show(e), Show(set))
	case *Subset:
		return IsSubset(e, s.Of)
	case *FcnSet:
		f := function(e)
		if f == nil {
			return notThere(e, set, "a function")
		}
		dom, vals := table(f)
		return Equal(dom, s.Dom) && vals.allAgain(&List{}, func(v, _ Value) bool { return Contains(s.Range, v) })
	case *RecordSet:
		return s.contains(e)
	case *Product:
		f := function(e)
		t, ok := f.(*Tuple)
		if g, is := f.(*Fcn); !ok && !(is && !g.IsRecord()) {
			return notThere(e, set, "a tuple")
		}
		if !ok || len(t.Elems) != len(s.Sets) {
			return false
		}
		for i, v := range t.Elems {
			if !Contains(s.Sets[i], v) {
				return false
			}
		}
		return true
	case *Binary:
		switch s.Op {
		case Union:
			return Contains(s.A, e) || Contains(s.B, e)
		case Intersection:
			return Contains(s.A, e) && Contains(s.B, e)
		}
		return Contains(s.A, e) && !Contains(s.B, e)
	case *Filter:
		return Contains(s.Of, e) && s.Test(e)
	case *Seq:
		t, ok := function(e).(*Tuple)
		if !ok {
			return notThere(e, set, "a sequence")
		}
		return !slices.ContainsFunc(t.Elems, func(v Value) bool { return !Contains(s.Of, v) })
	case Infinite:
		if s == Any {
			return true
		}
		switch x := e.(type) {
		case Int:
			if s != Strings {
				return s == Integers || x >= 0
			}
		case *Str:
			if s == Strings {
				return true
			}
		}
		return notThere(e, set, map[bool]string{true: "a string", false: "an integer"}[s == Strings])
	default:
		Fail("%s is not a set: %s cannot be an element of it", Show(set), Show(e))
	}
	return false
}

// notThere is that e, which is not what the set's elements are, is not an element:
// FALSE for a model value, an error for others.
func notThere(e, set Value, kind string) bool {
	if m, ok := e.(*Model); ok {
		m.untyped(set)
		return false
	}
	Fail("%s is not %s, and cannot be compared with the elements of %s", Show(e), kind, Show(set))
	return false
}

func (s *RecordSet) contains(e Value) bool {
	f := function(e)
	if f == nil {
		return notThere(e, s, "a record")
	}
	if t, ok := f.(*Tuple); ok && len(t.Elems) == 0 {
		return false
	}
	r, ok := f.(*Fcn)
	if !ok || !r.IsRecord() {
		return notThere(e, s, "a record")
	}
	if r.Len() != len(s.Names) {
		return false
	}
	for i, n := range s.Names {
		if r.Dom.At(i) != Value(n) {
			return false
		}
	}
	for i := range s.Sets {
		if !Contains(s.Sets[i], r.Val(i)) {
			return false
		}
	}
	return true
}

// IsSubset is a \subseteq b.
func IsSubset(a, b Value) bool {
	switch x := a.(type) {
	case *Set:
		if a == b {
			return true
		}
	case Interval:
		if y, ok := b.(Interval); ok {
			return x.size() == 0 || x.Lo >= y.Lo && x.Hi <= y.Hi
		}
		if y, ok := b.(Infinite); ok && y != Strings {
			return x.size() == 0 || y != Nat || x.Lo >= 0
		}
	case *Subset:
		if y, ok := b.(*Subset); ok {
			return IsSubset(x.Of, y.Of)
		}
	case *FcnSet:
		if y, ok := b.(*FcnSet); ok && isLarge(a) && Equal(x.Dom, y.Dom) {
			return IsSubset(x.Range, y.Range)
		}
	}
	if !IsSet(a) {
		Fail("%s \\subseteq %s: both have to be sets", Show(a), Show(b))
	}
	return Each(a, func(e Value) bool { return Contains(b, e) })
}

// Combine is a \cup b, a \cap b or a \ b.
func Combine(op SetOp, a, b Value) Value {
	if !IsSet(a) || !IsSet(b) {
		Fail("%s %s %s: both have to be sets", Show(a), (&Binary{Op: op}).op(), Show(b))
	}
	if IsLazy(a) || op == Union && IsLazy(b) {
		switch {
		case op == Intersection && !IsLazy(b):
			a, b = b, a
		case op == Union && !IsLazy(b): // what is enumerated comes first, as in TLC
			return &Binary{op, b, a}
		default:
			return &Binary{op, a, b}
		}
	}
	if op == Union {
		if all, ok := lengthened(a, b); ok {
			return all
		}
		return union(Enumerate(a), Enumerate(b))
	}
	if x, ok := a.(Interval); ok && op == Intersection && x.size() > mostVisited && !IsLazy(b) {
		a, b = b, a
	}
	x := Enumerate(a)
	if y, ok := b.(*Set); ok && op == Difference && areFew(y, x) {
		if places := x.Places(y); places != nil {
			return x.Changed(y.Elems(), nil)
		}
	}
	var elems []Value
	for i, e := range x.Each() {
		if keep := Contains(b, e) == (op == Intersection); keep && elems != nil {
			elems = append(elems, e)
		} else if !keep && elems == nil {
			elems = append(make([]Value, 0, x.Len()), x.Elems()[:i]...)
		}
	}
	if elems == nil {
		return x
	}
	return sorted(elems)
}

// lengthened is the union of an interval and of a few integers that are in it, or next to it:
// it need not be enumerated. ok is false of other values.
func lengthened(a, b Value) (all Interval, ok bool) {
	if _, isInterval := a.(Interval); !isInterval {
		a, b = b, a
	}
	all, isInterval := a.(Interval)
	if !isInterval || all.Hi < all.Lo || !IsFinite(b) {
		return all, false
	}
	set, isSet := b.(*Set)
	if !isSet {
		return all, false
	}
	for _, e := range set.Each() {
		n, isInt := e.(Int)
		if !isInt || int64(n) < int64(all.Lo)-1 || int64(n) > int64(all.Hi)+1 {
			return all, false
		}
		all.Lo, all.Hi = min(all.Lo, int32(n)), max(all.Hi, int32(n))
	}
	return all, true
}

// Overlap is the common part of two intervals; ok is false of other values.
func Overlap(a, b Value) (both Interval, ok bool) {
	x, isInterval := a.(Interval)
	y, isOther := b.(Interval)
	return Interval{max(x.Lo, y.Lo), min(x.Hi, y.Hi)}, isInterval && isOther
}

// areFew reports whether a set has so few elements that another one is searched for them.
func areFew(few, of *Set) bool { return few.Len() <= 4 || few.Len() <= of.Len()/16 }

func union(x, y *Set) Value {
	x.check()
	y.check()
	if x == y {
		return x
	}
	if x.Len() < y.Len() {
		x, y = y, x
	}
	if y.Len() == 1 {
		return x.Add(y.At(0))
	}
	if areFew(y, x) {
		return x.changed(nil, y.Elems(), comparer{strict: true})
	}
	m := newAssembly(x.Len() + y.Len())
	v, w := x.list.walk(0), y.list.walk(0)
	for !v.ended() && !w.ended() {
		n, c := v.shared(&w), 0
		if n == 0 {
			n = 1
			if !same(v.rest[0], w.rest[0]) {
				c = Compare(v.rest[0], w.rest[0])
			}
		}
		if c <= 0 {
			m.part(&x.list, v.at, v.at+n)
			v.skip(n)
		} else {
			m.add(w.rest[0])
		}
		if c >= 0 {
			w.skip(n)
		}
	}
	m.part(&x.list, v.at, x.Len())
	m.part(&y.list, w.at, y.Len())
	return ofList(m.list())
}

// Add is s \cup {e}.
func (s *Set) Add(e Value) *Set {
	i, ok := s.find(e)
	if ok {
		return s
	}
	n := &Set{list: s.list.with(i, i, e)}
	if h := known(&s.hash); h != 0 {
		n.hash = some(h + mix(Hash(e)+golden))
	}
	return n
}

// Flatten is UNION sets.
func Flatten(sets Value) Value {
	if s, ok := sets.(*Subset); ok && IsSet(s.Of) && IsFinite(s.Of) {
		return s.Of
	}
	var elems []Value
	lazy := Value(nil)
	Each(sets, func(s Value) bool {
		if !IsSet(s) {
			Fail("UNION of a set with %s, which is not a set", Show(s))
		}
		if !IsFinite(s) {
			if lazy != nil {
				s = &Binary{Union, lazy, s}
			}
			lazy = s
			return true
		}
		if elems = append(elems, Enumerate(s).Elems()...); len(elems) > 2*MostElements {
			if elems = NewSet(elems).Elems(); len(elems) > MostElements {
				Fail("UNION %s has more than %d elements", Show(sets), MostElements)
			}
		}
		return true
	})
	all := NewSet(elems)
	if lazy != nil {
		return &Binary{Union, lazy, all}
	}
	return all
}
