package value

import "slices"

// Span is a step of a path: the elements of a sequence from one place to another,
// counted from 1.
type Span struct{ From, To int }

// Unchanged reports whether a path leads to the same in both values for certain, at
// little cost. Each step of the path is an argument or a Span; in was, it leads to
// something. at is where the first step was found in a function's domain before.
func Unchanged(was, is Value, path []Value, at *int) bool {
	for ; ; at = nil {
		if same(was, is) {
			return true
		}
		if len(path) == 0 {
			return false
		}
		switch f := was.(type) {
		case *Tuple:
			g, ok := is.(*Tuple)
			if !ok {
				return false
			}
			if s, ok := path[0].(Span); ok {
				return f.unchanged(g, s)
			}
			i, ok := path[0].(Int)
			if !ok || int(i) > len(g.Elems) {
				return false
			}
			was, is = f.Elems[i-1], g.Elems[i-1]
		case *Fcn:
			g, ok := is.(*Fcn)
			if !ok {
				return false
			}
			i, ok := f.Dom.findAt(path[0], at)
			if !ok {
				return false
			}
			k := i
			if f.Dom != g.Dom {
				c := comparer{}
				if k, ok = g.Dom.place(path[0], &c); !ok || c.mixed {
					return false
				}
			}
			was, is = f.Val(i), g.Val(k)
		default:
			return false
		}
		path = path[1:]
	}
}

// findAt is find, but looks first where the element was before.
func (s *Set) findAt(v Value, at *int) (i int, ok bool) {
	if at == nil {
		return s.find(v)
	}
	if *at >= s.Len() || !same(s.At(*at), v) {
		if *at, ok = s.find(v); !ok {
			return *at, false
		}
	}
	return *at, true
}

func (f *Tuple) unchanged(g *Tuple, s Span) bool {
	if s.From > s.To {
		return true
	}
	if s.To > len(g.Elems) {
		return false
	}
	was, is := f.Elems[s.From-1:s.To], g.Elems[s.From-1:s.To]
	return &was[0] == &is[0] || slices.EqualFunc(was, is, same) // or copied, for more space
}

// KeyHash is a hash of a value that is known in full; ok is false of one with a set
// that is not enumerated, or a function that is not tabulated.
func KeyHash(v Value) (h uint64, ok bool) {
	switch x := v.(type) {
	case Bool, Int, *Str, *Model:
	case *Tuple:
		if known(&x.hash) == 0 && !hashable(&List{flat: x.Elems}) {
			return 0, false
		}
	case *Fcn:
		if known(&x.hash) == 0 && (!hashable(&x.Dom.list) || !hashable(&x.vals)) {
			return 0, false
		}
	case *Set:
		if x.mixed || known(&x.hash) == 0 && !hashable(&x.list) {
			return 0, false
		}
	default:
		return 0, false
	}
	return Hash(v), true
}

func hashable(list *List) bool {
	for _, v := range list.Each() {
		if _, ok := KeyHash(v); !ok {
			return false
		}
	}
	return true
}

// Identical reports whether the two are equal. Values that cannot be compared are
// not.
func Identical(a, b Value) bool {
	if same(a, b) {
		return true
	}
	c := comparer{}
	return c.compare(a, b) == 0 && !c.mixed
}

// Part is what a step of a path leads to; ok is false where that is nothing.
func Part(v, step Value) (part Value, ok bool) {
	switch f := v.(type) {
	case *Tuple:
		if i, isInt := step.(Int); isInt && i >= 1 && int(i) <= len(f.Elems) {
			return f.Elems[i-1], true
		}
	case *Fcn:
		c := comparer{}
		if i, found := f.Dom.place(step, &c); found && !c.mixed {
			return f.Val(i), true
		}
	}
	return nil, false
}

// Extension is what a set has more than another, where its first elements are those
// of the other, for certain.
func Extension(of, set Value) (rest Value, ok bool) {
	switch s := set.(type) {
	case Interval:
		o, ok := of.(Interval)
		if ok && o.size() == 0 {
			return s, true
		}
		if !ok || o.Lo != s.Lo || o.Hi > s.Hi {
			return nil, false
		}
		return Interval{o.Hi + 1, s.Hi}, true
	case *Set:
		o, ok := of.(*Set)
		if !ok || s.mixed || o.Len() > s.Len() {
			return nil, false
		}
		first, rest := s.list.with(o.Len(), s.Len()), s.list.with(0, o.Len())
		if !o.list.matches(&first, same) {
			return nil, false
		}
		return ofList(rest), true
	}
	return nil, false
}

// At is what a path leads to, without a Span; nil where that is nothing.
func At(v Value, path []Value) Value {
	for _, step := range path {
		var ok bool
		if v, ok = Part(v, step); !ok {
			return nil
		}
	}
	return v
}

// Leads reports whether a path, for Unchanged, leads to something.
func Leads(v Value, path []Value) bool {
	if len(path) == 0 {
		return true
	}
	last := path[len(path)-1]
	if v = At(v, path[:len(path)-1]); v == nil {
		return false
	}
	if s, ok := last.(Span); ok {
		t, ok := v.(*Tuple)
		return ok && s.From >= 1 && s.To <= len(t.Elems)
	}
	_, ok := Part(v, last)
	return ok
}
