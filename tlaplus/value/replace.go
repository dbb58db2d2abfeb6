package value

// Replace puts others in the place of model values and strings, everywhere in the
// value: a permutation of SYMMETRY.
func Replace(v Value, by map[Value]Value) Value {
	switch x := v.(type) {
	case *Model, *Str:
		if to, ok := by[v]; ok {
			return to
		}
	case *Tuple:
		return NewTuple(replaceAll(x.Elems, by)...)
	case *Set:
		return NewSet(replaceAll(x.Elems(), by))
	case *Fcn:
		keys, vals := replaceAll(x.Dom.Elems(), by), replaceAll(x.Vals(), by)
		dom := NewSet(append([]Value(nil), keys...))
		out := make([]Value, len(vals))
		for i, k := range keys {
			out[dom.Index(k)] = vals[i]
		}
		return NewFcn(dom, out)
	case *Lambda:
		return Replace(x.Force(), by)
	case Bool, Int, Infinite, Interval:
	default:
		return Replace(Enumerate(v), by)
	}
	return v
}

func replaceAll(list []Value, by map[Value]Value) []Value {
	out := make([]Value, len(list))
	for i, v := range list {
		out[i] = Replace(v, by)
	}
	return out
}
