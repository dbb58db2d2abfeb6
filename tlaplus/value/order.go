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
			return EqualLists(x.Elems, y.Elems)
		}
		if f := function(b); f != nil {
			if y, ok := f.(*Tuple); ok {
				return Equal(x, y)
			}
			return Equal(Domain(x), Domain(f)) // FALSE, or an error
		}
	case *Fcn:
		switch y := function(b).(type) {
		case *Tuple:
			if x.Len() == len(y.Elems) {
				return Equal(x.Dom, Domain(y)) // FALSE, or an error
			}
			if len(y.Elems) > 0 && x.IsRecord() {
				x.notRecord(y)
			}
			return false
		case *Fcn:
			if x == y {
				return true
			}
			if x.Len() != y.Len() {
				if x.IsRecord() && !y.IsRecord() {
					x.notRecord(y)
				}
				return false
			}
			return (x.Dom == y.Dom || Equal(x.Dom, y.Dom)) && x.vals.matches(&y.vals, Equal)
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

// notRecord fails where a record is asked whether it equals a function that is none. In TLC, a
// function may be asked that of a record, and says FALSE where their sizes differ.
func (f *Fcn) notRecord(g Value) {
	Fail("the record %s cannot be compared with the function %s", Show(f), Show(g))
}

// EqualLists reports whether the elements are equal, one by one.
func EqualLists(a, b []Value) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.EqualFunc(a, b, Equal))
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
		if y, ok := b.(Infinite); ok && x != Any {
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
		if y, ok := b.(*FcnSet); ok && (!IsFinite(x.Dom) || Size(x.Dom) > 0) && Equal(x.Dom, y.Dom) {
			return Equal(x.Range, y.Range)
		}
	case *Seq:
		if y, ok := b.(*Seq); ok {
			return Equal(x.Of, y.Of)
		}
	}
	x, y := Enumerate(a), Enumerate(b)
	x.check()
	y.check()
	return x == y || x.list.matches(&y.list, Equal)
}

// Compare orders values as TLC does: below, equal or above 0.
func Compare(a, b Value) int {
	c := comparer{strict: true}
	return c.compare(a, b)
}

// comparer orders values. Values that cannot be compared are an error where it is
// strict; else they are in some order, and noted.
type comparer struct{ strict, mixed bool }

// refuse is what a comparison of two values gives that cannot be compared.
func (c *comparer) refuse(a, b Value, format string, args ...any) int {
	if c.strict {
		Fail(format, args...)
	}
	c.mixed = true
	return cmp.Compare(rank(a), rank(b))
}

func rank(v Value) int {
	switch v := v.(type) {
	case Bool:
		return 0
	case Int:
		return 1
	case *Str:
		return 2
	case *Model:
		return 4 + int(v.tok)
	case *Tuple, *Fcn, *Lambda:
		return 3
	}
	return -1
}

func (c *comparer) compare(a, b Value) int {
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
			return byAppearance(x.tok, y.tok, x.Text, y.Text)
		}
	case *Model:
		if y, ok := b.(*Model); ok {
			if x.typ != 0 && y.typ != 0 && x.typ != y.typ {
				return c.refuse(a, b, "the model values %s and %s, of different types, cannot be compared", x.Name, y.Name)
			}
			return byAppearance(x.tok, y.tok, x.Name, y.Name)
		}
		if x.typ != 0 {
			return c.refuse(a, b, "the typed model value %s cannot be compared with %s", x.Name, Show(b))
		}
		return -1
	case *Tuple, *Fcn, *Lambda:
		if f := function(b); f != nil {
			return c.compareFcns(function(a), f)
		}
	default:
		if IsSet(a) && IsSet(b) {
			return c.compareSets(a, b)
		}
	}
	if m, ok := b.(*Model); ok {
		if m.typ != 0 {
			return c.refuse(a, b, "the typed model value %s cannot be compared with %s", m.Name, Show(a))
		}
		return 1
	}
	if !c.strict {
		return c.refuse(a, b, "")
	}
	return c.refuse(a, b, "%s and %s cannot be compared", Show(a), Show(b))
}

func (c *comparer) compareFcns(a, b Value) int {
	if a == b {
		return 0
	}
	x, ok := a.(*Tuple)
	y, also := b.(*Tuple)
	if ok && also {
		return c.compareLists(&List{flat: x.Elems}, &List{flat: y.Elems})
	}
	xd, xv := table(a)
	yd, yv := table(b)
	if xd != yd {
		if n := c.compareLists(&xd.list, &yd.list); n != 0 {
			return n
		}
	}
	return c.compareLists(&xv, &yv)
}

// table returns a function's domain and values.
func table(f Value) (*Set, List) {
	if t, ok := f.(*Tuple); ok {
		return Enumerate(Domain(t)), List{flat: t.Elems}
	}
	x := f.(*Fcn)
	return x.Dom, x.vals
}

func (c *comparer) compareLists(a, b *List) int {
	n := cmp.Compare(a.Len(), b.Len())
	if n == 0 && a.wide == nil && b.wide == nil {
		for i, v := range a.flat {
			if n := c.compare(v, b.flat[i]); n != 0 {
				return n
			}
		}
		return 0
	}
	if n == 0 {
		a.matches(b, func(v, w Value) bool {
			n = c.compare(v, w)
			return n == 0
		})
	}
	return n
}

func (c *comparer) compareSets(a, b Value) int {
	if x, ok := a.(Infinite); ok {
		if y, ok := b.(Infinite); ok && x != Any && y != Any {
			return cmp.Compare(x, y)
		}
	}
	if x, ok := a.(Interval); ok {
		if y, ok := b.(Interval); ok {
			if n := cmp.Compare(x.size(), y.size()); n != 0 || x.size() == 0 {
				return n
			}
			return cmp.Compare(x.Lo, y.Lo)
		}
	}
	x, y := Enumerate(a), Enumerate(b)
	if c.strict {
		x.check()
		y.check()
	}
	c.mixed = c.mixed || x.mixed || y.mixed
	if x == y {
		return 0
	}
	return c.compareLists(&x.list, &y.list)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
