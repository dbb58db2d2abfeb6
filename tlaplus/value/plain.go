package value

// Plain reports whether a value does not change and evaluates nothing, so that goroutines
// may share it. was is known to be plain: what the two have in common is not looked at. It
// may be nil.
func Plain(v, was Value) bool {
	if was != nil && same(v, was) {
		return true
	}
	switch x := v.(type) {
	case Bool, Int, *Str, *Model, Interval, Infinite:
		return true
	case *Tuple:
		if y, ok := was.(*Tuple); ok {
			return allPlain(x.Elems, y.Elems)
		}
		return allPlain(x.Elems, nil)
	case *Fcn:
		y, ok := was.(*Fcn)
		switch {
		case !ok:
			return Plain(x.Dom, nil) && allPlain(x.Vals(), nil)
		case x.Dom == y.Dom:
			return x.unlike(y, func(i int) bool { return Plain(x.Val(i), y.Val(i)) })
		}
		return Plain(x.Dom, y.Dom) && allPlain(x.Vals(), y.Vals())
	case *Set:
		if y, ok := was.(*Set); ok {
			return allPlain(x.Elems, y.Elems)
		}
		return allPlain(x.Elems, nil)
	}
	return false
}

// allPlain is Plain for each of a list. Elements may have been taken out, and put in.
func allPlain(list, was []Value) bool {
	shift := 0
	for i, v := range list {
		if k := i + shift; k < len(was) {
			switch {
			case same(v, was[k]):
				continue
			case k+1 < len(was) && same(v, was[k+1]):
				shift++
				continue
			case k > 0 && same(v, was[k-1]):
				shift--
				continue
			}
			if !Plain(v, was[k]) {
				return false
			}
			continue
		}
		if !Plain(v, nil) {
			return false
		}
	}
	return true
}
