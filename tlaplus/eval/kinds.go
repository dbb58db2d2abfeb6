package eval

import "tracecheck/tlaplus/value"

// What expressions make of the elements of a set, kept up with the changes of these.

// kind is what an expression makes of the elements.
type kind interface {
	put(was, is, elem value.Value) // was or is may be nil: there is no element before, or after
	reset()
}

// decided is the kind of \A and \E: how many elements decide.
type decided struct {
	until bool
	n     int
}

func (c *decided) reset() { c.n = 0 }

func (c *decided) put(was, is, _ value.Value) {
	if was == value.Truth(c.until) {
		c.n--
	}
	if is == value.Truth(c.until) {
		c.n++
	}
}

func newFiltered() kind { return &filtered{last: value.NoElements} }

// filtered is the kind of {x \in S : P(x)}.
type filtered struct {
	last       *value.Set
	gone, come []value.Value
}

func (c *filtered) reset() { *c = filtered{last: value.NoElements} }

func (c *filtered) put(was, is, elem value.Value) {
	switch a, b := was == value.True, is == value.True; {
	case a && !b:
		c.gone = append(c.gone, elem)
	case b && !a:
		c.come = append(c.come, elem)
	}
}

func (c *filtered) set(by *value.Differences) *value.Set {
	if len(c.gone)+len(c.come) > 0 {
		c.last = by.Changed(c.last, c.gone, c.come)
		c.gone, c.come = nil, nil
	}
	return c.last
}

func newImaged() kind {
	c := &imaged{}
	c.reset()
	return c
}

// imaged is the kind of {f(x) : x \in S}.
type imaged struct {
	last   *value.Set
	of     map[uint64]*imageOf
	change []*imageOf
}

// imageOf is a value with how many elements have it.
type imageOf struct {
	val  value.Value
	n    int
	in   bool // last
	note bool // in change
	next *imageOf
}

func (c *imaged) reset() { *c = imaged{last: value.NoElements, of: map[uint64]*imageOf{}} }

func (c *imaged) put(was, is, _ value.Value) {
	if was != nil && is != nil && value.Identical(was, is) {
		return
	}
	if is != nil {
		c.count(is, 1)
	}
	if was != nil {
		c.count(was, -1)
	}
}

func (c *imaged) count(v value.Value, by int) {
	h, ok := value.KeyHash(v)
	if !ok {
		value.Fail("a value that is not known in full")
	}
	im := c.of[h]
	for im != nil && !value.Identical(im.val, v) {
		im = im.next
	}
	if im == nil {
		im = &imageOf{val: v, next: c.of[h]}
		c.of[h] = im
	}
	if im.n += by; !im.note {
		im.note = true
		c.change = append(c.change, im)
	}
}

func (c *imaged) set(by *value.Differences) *value.Set {
	var gone, come []value.Value
	for _, im := range c.change {
		im.note = false
		switch is := im.n > 0; {
		case is && !im.in:
			come = append(come, im.val)
		case im.in && !is:
			gone = append(gone, im.val)
		}
		if im.in = im.n > 0; !im.in {
			h, _ := value.KeyHash(im.val)
			unlink(c.of, h, im, func(im *imageOf) **imageOf { return &im.next })
		}
	}
	c.change = c.change[:0]
	if len(gone)+len(come) > 0 {
		c.last = by.Changed(c.last, gone, come)
	}
	return c.last
}

func newTabulated() kind { return &tabulated{} }

// tabulated is the kind of [x \in S |-> f(x)].
type tabulated struct {
	last  *value.Fcn
	elems []value.Value // whose value is another one
}

func (c *tabulated) reset() { *c = tabulated{} }

func (c *tabulated) put(was, is, elem value.Value) {
	if is != nil && (was == nil || !value.Same(was, is)) {
		c.elems = append(c.elems, elem)
	}
}

// function is the function over the set.
func (c *tabulated) function(t *kept) value.Value {
	s := t.set
	if c.last != nil && c.last.Dom == s && len(c.elems) == 0 {
		return c.last
	}
	if c.last != nil && c.last.Dom == s && len(c.elems) <= fewParts {
		var f value.Value = c.last
		for _, e := range c.elems {
			f = value.With(f, e, func(value.Value) value.Value { return t.entry(e).val })
		}
		c.last, c.elems = f.(*value.Fcn), nil
		return f
	}
	vals := make([]value.Value, s.Len())
	switch {
	case c.last == nil:
		c.elems = s.Elems()
	case c.last.Dom == s:
		copy(vals, c.last.Vals())
	default:
		i := 0
		for k, e := range s.Elems() { // what is not at hand is in elems, too
			for i < c.last.Len() && value.Before(c.last.Dom.At(i), e) {
				i++
			}
			if i < c.last.Len() && value.Identical(c.last.Dom.At(i), e) {
				vals[k] = c.last.Val(i)
			}
		}
	}
	for _, e := range c.elems {
		vals[s.Index(e)] = t.entry(e).val
	}
	c.elems = nil
	v := value.NewFcn(s, vals)
	c.last, _ = v.(*value.Fcn)
	return v
}
