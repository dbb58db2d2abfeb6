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
		y, ok := was.(*Tuple)
		if !ok {
			y = &Tuple{}
		}
		return allPlain(&List{flat: x.Elems}, &List{flat: y.Elems})
	case *Fcn:
		y, ok := was.(*Fcn)
		if !ok {
			return Plain(x.Dom, nil) && allPlain(&x.vals, &List{})
		}
		return Plain(x.Dom, y.Dom) && allPlain(&x.vals, &y.vals)
	case *Set:
		y, ok := was.(*Set)
		if !ok {
			y = NoElements
		}
		return allPlain(&x.list, &y.list)
	}
	return false
}

// allPlain is Plain for each of a list.
func allPlain(list, was *List) bool { return list.allAgain(was, Plain) }
