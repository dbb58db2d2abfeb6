package value

import (
	"cmp"
	"slices"
)

// Equal is a = b. Values of different kinds cannot be compared, but for model
// values without a type, which equal nothing else.
func Equal(a, b Value) bool {
	switch x := a.(type) {
	case Bool:
		if y, ok := b.(Bool); ok {
			return x == y
		}
	case Int:
		if y, ok := b.(Int); ok {
			return x == y
		}
	case *Str:
		if y, ok := b.(*Str); ok {
			return x == y
		}
	case *Model:
		if y, ok := b.(*Model); ok {
			if x.typ != 0 && y.typ != 0 && x.typ != y.typ {
				Fail("the model values %s and %s, of different types, cannot be compared", x.Name, y.Name)
			}
			return x == y
		}
		x.untyped(b)
		return false
	case *Tuple:
		if y, ok := b.(*Tuple); ok {
			if x == y {
				return true
			}
			return slices.EqualFunc(x.Elems, y.Elems, Equal)
		}
		if f := function(b); f != nil {
			if y, ok := f.(*Tuple); ok {
				return Equal(x, y)
			}
			return Equal(Domain(x), Domain(f)) // FALSE, or an error
		}
	case *Fcn:
		if f := function(b); f != nil {
			y, ok := f.(*Fcn)
			if !ok {
				return len(x.Vals) == len(f.(*Tuple).Elems) && Equal(Domain(x), Domain(f))
			}
			if x == y {
				return true
			}
			return (x.Dom == y.Dom || Equal(x.Dom, y.Dom)) && slices.EqualFunc(x.Vals, y.Vals, Equal)
		}
	case *Lambda:
		if function(b) != nil {
			return Equal(x.Force(), b)
		}
	default:
		if IsSet(a) && IsSet(b) {
			return equalSets(a, b)
		}
	}
	if m, ok := b.(*Model); ok {
		m.untyped(a)
		return false
	}
	Fail("%s and %s cannot be compared", Show(a), Show(b))
	return false
}

// untyped fails where a typed model value is compared with another value.
func (m *Model) untyped(with Value) {
	if m.typ != 0 {
		Fail("the typed model value %s cannot be compared with %s", m.Name, Show(with))
	}
}

func equalSets(a, b Value) bool {
	switch x := a.(type) {
	case Infinite:
		if y, ok := b.(Infinite); ok {
			return x == y
		}
	case Interval:
		if y, ok := b.(Interval); ok {
			return x == y || x.size() == 0 && y.size() == 0
		}
	case *Subset:
		if y, ok := b.(*Subset); ok {
			return Equal(x.Of, y.Of)
		}
	case *FcnSet:
		if y, ok := b.(*FcnSet); ok && Size(x.Dom) > 0 && Equal(x.Dom, y.Dom) {
			return Equal(x.Range, y.Range)
		}
	case *Seq:
		if y, ok := b.(*Seq); ok {
			return Equal(x.Of, y.Of)
		}
	}
	x, y := Enumerate(a), Enumerate(b)
	return x == y || slices.EqualFunc(x.Elems, y.Elems, Equal)
}

// Compare orders values as TLC does: below, equal or above 0.
func Compare(a, b Value) int {
	switch x := a.(type) {
	case Bool:
		if y, ok := b.(Bool); ok {
			return cmp.Compare(b2i(bool(x)), b2i(bool(y)))
		}
	case Int:
		if y, ok := b.(Int); ok {
			return cmp.Compare(x, y)
		}
	case *Str:
		if y, ok := b.(*Str); ok {
			return cmp.Compare(x.tok, y.tok)
		}
	case *Model:
		if y, ok := b.(*Model); ok {
			if x.typ != 0 && y.typ != 0 && x.typ != y.typ {
				Fail("the model values %s and %s, of different types, cannot be compared", x.Name, y.Name)
			}
			return cmp.Compare(x.tok, y.tok)
		}
		x.untyped(b)
		return -1
	case *Tuple, *Fcn, *Lambda:
		if f := function(b); f != nil {
			return compareFcns(function(a), f)
		}
	default:
		if IsSet(a) && IsSet(b) {
			return compareSets(a, b)
		}
	}
	if m, ok := b.(*Model); ok {
		m.untyped(a)
		return 1
	}
	Fail("%s and %s cannot be compared", Show(a), Show(b))
	return 0
}

func compareFcns(a, b Value) int {
	if a == b {
		return 0
	}
	x, ok := a.(*Tuple)
	y, also := b.(*Tuple)
	if ok && also {
		return compareLists(x.Elems, y.Elems)
	}
	xd, xv := table(a)
	yd, yv := table(b)
	if c := compareLists(xd.Elems, yd.Elems); c != 0 {
		return c
	}
	return compareLists(xv, yv)
}

// table returns a function's domain and values.
func table(f Value) (*Set, []Value) {
	if t, ok := f.(*Tuple); ok {
		return Enumerate(Domain(t)), t.Elems
	}
	x := f.(*Fcn)
	return x.Dom, x.Vals
}

func compareLists(a, b []Value) int {
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	for i := range a {
		if c := Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

func compareSets(a, b Value) int {
	if x, ok := a.(Interval); ok {
		if y, ok := b.(Interval); ok {
			if c := cmp.Compare(x.size(), y.size()); c != 0 || x.size() == 0 {
				return c
			}
			return cmp.Compare(x.Lo, y.Lo)
		}
	}
	x, y := Enumerate(a), Enumerate(b)
	if x == y {
		return 0
	}
	return compareLists(x.Elems, y.Elems)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
