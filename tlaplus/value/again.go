package value

import "slices"

// ContainsAgain is Contains(set, e), where the set is known to contain was: what e has
// in common with was is not looked at. The set always has the same elements.
func ContainsAgain(set, e, was Value) bool {
	if same(e, was) {
		return true
	}
	switch s := set.(type) {
	case *FcnSet:
		switch f := e.(type) {
		case *Fcn:
			if g, ok := was.(*Fcn); ok && f.Dom == g.Dom {
				return f.vals.matches(&g.vals, func(v, was Value) bool { return ContainsAgain(s.Range, v, was) })
			}
		case *Tuple:
			if g, ok := was.(*Tuple); ok && len(f.Elems) == len(g.Elems) {
				return containAgain(func(int) Value { return s.Range }, f.Elems, g.Elems)
			}
		}
	case *RecordSet:
		f, ok := e.(*Fcn)
		if g, also := was.(*Fcn); ok && also && f.Dom == g.Dom {
			return containAgain(func(i int) Value { return s.Sets[i] }, f.Vals(), g.Vals())
		}
	case *Subset:
		return IsSubsetAgain(e, s.Of, was)
	case *Seq:
		f, ok := e.(*Tuple)
		if g, also := was.(*Tuple); ok && also {
			n := min(len(f.Elems), len(g.Elems))
			return containAgain(func(int) Value { return s.Of }, f.Elems[:n], g.Elems[:n]) && allIn(s.Of, f.Elems[n:])
		}
	}
	return Contains(set, e)
}

// containAgain is ContainsAgain for each of some values.
func containAgain(set func(i int) Value, list, was []Value) bool {
	for i, v := range list {
		if !same(v, was[i]) && !ContainsAgain(set(i), v, was[i]) {
			return false
		}
	}
	return true
}

func allIn(set Value, list []Value) bool {
	for _, v := range list {
		if !Contains(set, v) {
			return false
		}
	}
	return true
}

// IsSubsetAgain is IsSubset(a, b), where was is known to be a subset of b, which always
// has the same elements.
func IsSubsetAgain(a, b, was Value) bool {
	x, ok := a.(*Set)
	y, also := was.(*Set)
	if !ok || !also {
		return IsSubset(a, b)
	}
	return x.list.allAgain(&y.list, func(e, _ Value) bool { return Contains(b, e) })
}

// Remade reports whether two sets that are not enumerated are made of the same, or the values
// are the same. True is certain; the cost is small.
func Remade(a, b Value) bool {
	if same(a, b) {
		return true
	}
	switch x := a.(type) {
	case *Subset:
		y, ok := b.(*Subset)
		return ok && Remade(x.Of, y.Of)
	case *FcnSet:
		y, ok := b.(*FcnSet)
		return ok && Remade(x.Dom, y.Dom) && Remade(x.Range, y.Range)
	case *RecordSet:
		y, ok := b.(*RecordSet)
		return ok && slices.Equal(x.Names, y.Names) && slices.EqualFunc(x.Sets, y.Sets, Remade)
	case *Product:
		y, ok := b.(*Product)
		return ok && slices.EqualFunc(x.Sets, y.Sets, Remade)
	case *Binary:
		y, ok := b.(*Binary)
		return ok && x.Op == y.Op && Remade(x.A, y.A) && Remade(x.B, y.B)
	case *Seq:
		y, ok := b.(*Seq)
		return ok && Remade(x.Of, y.Of)
	case *Set:
		y, ok := b.(*Set)
		return ok && !x.mixed && !y.mixed && x.Len() <= fewRemade && x.list.matches(&y.list, same)
	}
	return false
}

// fewRemade is how many elements are compared.
const fewRemade = 64
