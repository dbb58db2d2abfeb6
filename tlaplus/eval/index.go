package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// {t \in S : t.service = s} needs no loop: the elements of S are kept by what the left
// side is for them. It is the same for filters with further conjuncts, for \E with such a
// body, and for \A t \in S : t.service = s => P.

// index is such a plan. Its first conjunct is an equation of two sides: the key, which
// reads the bound name alone, and what it is to be, which does not read that name.
type index struct {
	b    *binding
	fn   *function // of the frame
	f    *frame    // for the key
	key  *expr
	is   *expr
	rest *expr  // what else the element has to satisfy; nil: nothing
	at   *place // of rest
	of   [2]keyed
	next int // of these, the one that was not used last
}

// keyed is the elements of a set, by their keys.
type keyed struct {
	set     *value.Set
	refused *value.Set // of some element of which the key cannot be evaluated
	by      map[uint64]*bucket
	kinds   []value.Value // a key of each kind that there is
}

// bucket is the elements with one key.
type bucket struct {
	key   value.Value
	elems *value.Set
	list  []value.Value // elems, until all are known
	next  *bucket       // with the same hash of the key
}

// mostKinds bounds the kinds of keys. A set with fewer elements than leastIndexed is
// gone through.
const (
	mostKinds    = 8
	leastIndexed = 16
)

// index makes the plan for a quantifier or filter over one name, nil where there is none.
// then is the operator between the equation and the rest; first is as for remembering.
func (p *Program) index(in *scope, list []binding, body syntax.Expr, then string, first int) *index {
	if p.without&Indexes != 0 || len(list) != 1 || list[0].tuple || len(list[0].slots) != 1 {
		return nil
	}
	equation, rest := body, syntax.Expr(nil)
	switch n := unparen(body).(type) {
	case *syntax.Junction:
		if n.Op != then || len(n.Items) < 2 {
			return nil
		}
		equation, rest = n.Items[0], &syntax.Junction{Span: n.Span, Op: n.Op, Items: n.Items[1:]}
	case *syntax.Op:
		if len(n.Prefix) == 0 && n.Name.Name == then {
			equation, rest = n.Args[0], n.Args[1]
		}
	}
	op, ok := unparen(equation).(*syntax.Op)
	if !ok || len(op.Prefix) > 0 || op.Name.Name != "=" || rest == nil && then == "=>" {
		return nil
	}
	name := list[0].names[0]
	for i, side := range op.Args {
		if p.readsAlone(in, side, name, first) && !mentionsName(op.Args[1-i], name) && !p.reach(in, op.Args[1-i]).any {
			ix := &index{b: &list[0], fn: in.fn, key: p.expr(in, side), is: p.expr(in, op.Args[1-i])}
			if rest != nil {
				ix.rest, ix.at = p.expr(in, rest), in.place(rest)
			}
			return ix
		}
	}
	return nil
}

// reach is what an expression may read.
func (p *Program) reach(s *scope, n syntax.Expr) *reader {
	r := &reader{p: p, vars: map[int]bool{}, seen: map[*definition]bool{}}
	r.walk(s, n)
	return r
}

// readsAlone reports whether an expression reads the bound name, and else only constants.
func (p *Program) readsAlone(in *scope, n syntax.Expr, name string, first int) bool {
	if !mentionsName(n, name) {
		return false
	}
	if r := p.reach(in, n); r.any || len(r.vars) > 0 {
		return false
	}
	w := outerNames{q: &quantifier{}, fn: in.fn, first: first, seen: map[*definition]bool{}}
	w.walk(in, n)
	return !w.unknown && len(w.q.outer) == 0
}

// elements is the set's elements that satisfy the equation; ok is false where they have
// to be looked for, element by element.
func (ix *index) elements(r *Run, f *frame, set value.Value) (elems *value.Set, ok bool) {
	if ix == nil {
		return nil, false
	}
	s, isSet := set.(*value.Set)
	if !isSet || s.Len() < leastIndexed || r.why != nil {
		return nil, false
	}
	k := ix.keyed(r, s)
	if k == nil {
		return nil, false
	}
	return k.elements(ix.is.code(r, f))
}

// elements is those with the key.
func (k *keyed) elements(is value.Value) (elems *value.Set, ok bool) {
	h, ok := value.KeyHash(is)
	if !ok {
		return nil, false
	}
	for _, kind := range k.kinds {
		if !value.Comparable(kind, is) {
			return nil, false
		}
	}
	if b := k.bucket(h, is); b != nil {
		return b.elems, true
	}
	return value.NoElements, true
}

// each calls the rest for each element that satisfies the equation, until it is so; it
// returns false then. ok is false where the elements have to be looked for.
func (ix *index) each(r *Run, f *frame, set value.Value, until bool) (all, ok bool) {
	elems, ok := ix.elements(r, f, set)
	if !ok {
		return false, false
	}
	return ix.all(r, f, elems, until), true
}

func (ix *index) all(r *Run, f *frame, elems *value.Set, until bool) bool {
	return r.through(elems, ix.b.at, func(e value.Value) bool {
		f.vals[ix.b.slots[0]] = e
		return (ix.rest == nil || r.truth(ix.rest.code(r, f), ix.at)) != until
	})
}

// found is elements where what is read is noted: of the set, that are those with the key.
func (ix *index) found(r *Run, f *frame) (elems *value.Set, t track, ok bool) {
	if ix == nil || r.track == nil || ix.b.set.trace == nil {
		return nil, t, false
	}
	set, t, ok := ix.b.set.trace(r, f)
	if !ok {
		return nil, t, false
	}
	s, isSet := set.(*value.Set)
	if !isSet || s.Len() == 0 || !value.InOrder(s) {
		return nil, t, false
	}
	is := ix.is.code(r, f)
	if s.Len() < leastIndexed {
		elems, ok = ix.among(r, s, is)
	} else if k := ix.keyed(r, s); k != nil {
		elems, ok = k.elements(is)
	} else {
		ok = false
	}
	return elems, t.to(toElements, ix, is), ok
}

// among is those of a few elements that have the key.
func (ix *index) among(r *Run, s *value.Set, is value.Value) (elems *value.Set, ok bool) {
	var list []value.Value
	for _, e := range s.Each() {
		var key value.Value
		r.untracked(func() { key = ix.keyOf(r, e) })
		if !value.Comparable(key, is) {
			return nil, false
		}
		if value.Identical(key, is) {
			list = append(list, e)
		}
	}
	return value.Some(s, list), true
}

// noted is found, and noted.
func (ix *index) noted(r *Run, f *frame) (elems *value.Set, ok bool) {
	elems, t, ok := ix.found(r, f)
	if ok {
		r.track.t.note(r.track, t)
	}
	return elems, ok
}

// tracked is each where what is read is noted.
func (ix *index) tracked(r *Run, f *frame, until bool) (all, ok bool) {
	elems, ok := ix.noted(r, f)
	return ok && ix.all(r, f, elems, until), ok
}

// trace is that of the filter, where it has no rest.
func (ix *index) trace() trace {
	if ix == nil || ix.rest != nil {
		return nil
	}
	return func(r *Run, f *frame) (value.Value, track, bool) {
		elems, t, ok := ix.found(r, f)
		return elems, t, ok
	}
}

// filter is the elements that satisfy the rest, too.
func (ix *index) filter(r *Run, f *frame, elems *value.Set) value.Value {
	if ix.rest == nil {
		return elems
	}
	var some []value.Value
	r.through(elems, ix.b.at, func(e value.Value) bool {
		f.vals[ix.b.slots[0]] = e
		if r.truth(ix.rest.code(r, f), ix.at) {
			some = append(some, e)
		}
		return true
	})
	return value.Some(elems, some)
}

// keyed is the set's elements by their keys; nil where a key is not a value that can be
// looked up.
func (ix *index) keyed(r *Run, s *value.Set) *keyed {
	for i := range ix.of {
		if k := &ix.of[i]; k.set == s {
			ix.next = 1 - i
			return k
		} else if k.refused == s {
			return nil
		}
	}
	k := &ix.of[ix.next]
	ok := false
	r.untracked(func() { ok = k.become(r, s, ix) })
	if !ok {
		*k = keyed{refused: s}
		return nil
	}
	ix.next = 1 - ix.next
	return k
}

// keyOf is the key of an element.
func (ix *index) keyOf(r *Run, e value.Value) value.Value {
	if ix.f == nil {
		ix.f = newFrame(ix.fn.slots, nil)
	}
	ix.f.vals[ix.b.slots[0]] = e
	return ix.key.code(r, ix.f)
}

// become makes it that of another set.
func (k *keyed) become(r *Run, s *value.Set, ix *index) (ok bool) {
	if !value.InOrder(s) {
		return false
	}
	var gone, come []value.Value
	if k.set != nil {
		gone, come, ok = r.differences.Of(k.set, s)
	}
	if !ok || len(gone)+len(come) > s.Len()/2 {
		*k = keyed{by: map[uint64]*bucket{}}
		gone, come = nil, s.Elems()
	}
	fits := true
	if !r.attempt(func() {
		for _, e := range gone {
			fits = fits && k.put(ix.keyOf(r, e), e, false)
		}
		for _, e := range come {
			fits = fits && k.put(ix.keyOf(r, e), e, true)
		}
	}) || !fits {
		return false
	}
	if k.set == nil {
		for _, b := range k.by {
			for ; b != nil; b = b.next {
				b.elems, b.list = value.Some(s, b.list), nil
			}
		}
	}
	k.set = s
	return true
}

func (k *keyed) bucket(h uint64, key value.Value) *bucket {
	for b := k.by[h]; b != nil; b = b.next {
		if value.Identical(b.key, key) {
			return b
		}
	}
	return nil
}

// put adds an element with a key, or takes it out.
func (k *keyed) put(key, e value.Value, add bool) (ok bool) {
	h, ok := value.KeyHash(key)
	if !ok || !k.knows(key) {
		return false
	}
	b := k.bucket(h, key)
	if b == nil {
		b = &bucket{key: key, elems: value.NoElements, next: k.by[h]}
		k.by[h] = b
	}
	switch {
	case k.set == nil: // all are put, in their order
		b.list = append(b.list, e)
	case add:
		b.elems = b.elems.Add(e)
	default:
		if b.elems = b.elems.Without(e); b.elems.Len() == 0 {
			unlink(k.by, h, b, func(b *bucket) **bucket { return &b.next })
		}
	}
	return true
}

// knows notes the kind of the key; it is false where there are too many.
func (k *keyed) knows(key value.Value) bool {
	for _, kind := range k.kinds {
		if value.Alike(kind, key) {
			return true
		}
	}
	if len(k.kinds) == mostKinds || !value.Alike(key, key) {
		return false
	}
	k.kinds = append(k.kinds, key)
	return true
}
