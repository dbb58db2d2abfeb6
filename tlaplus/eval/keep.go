package eval

import (
	"slices"

	"tracecheck/tlaplus/value"
)

// A quantifier or filter over a large set, a set of images or a function keeps what its
// body came to for each element, from one evaluation to the next. Only elements that are
// new are evaluated, and those of which something that the body has read has changed.

// keeper is such an expression.
type keeper struct {
	b       *binding
	outer   []outerName
	of      []*kept
	gains   int // evaluations that others could be taken from
	losses  int // others
	skipped int
	round   int
	r       *Run
}

// Bounds: of the sets with fewer elements, each element is evaluated each time. An
// expression keeps mostKept evaluations, for different values of the names around it.
const (
	leastKeptElements = 16
	mostKept          = 8
	mostLosses        = 8
	mostSkipped       = 64
)

// kept is an evaluation that is kept.
type kept struct {
	set     *value.Set
	roots   map[source]*keptRoot
	sources []source // of the names around the quantifier
	entries map[uint64]*entry
	again   []*entry // that are stale
	count   int      // of entries
	size    int      // of the trees
	round   int

	result kind
}

// keptRoot is a source with its value, and what has been read of that.
type keptRoot struct {
	val value.Value
	depends
}

// entry is an element with what the body came to.
type entry struct {
	elem  value.Value
	val   value.Value
	next  *entry
	gen   uint32
	stale bool
}

// keeperOf is the keeper of an expression over one name, nil where there can be none.
func (p *Program) keeperOf(q *quantifier, list []binding) *keeper {
	if q == nil || p.without&Keeps != 0 || len(list) != 1 || list[0].tuple || len(list[0].slots) != 1 {
		return nil
	}
	return &keeper{b: &list[0], outer: q.outer}
}

// valueOf is the value of a source.
func (k *keeper) valueOf(tr *tracker, from source) (v value.Value, ok bool) {
	r := k.r
	at := r.at
	ok = r.attempt(func() {
		r.untracked(func() {
			switch {
			case from.cur != nil:
				v = r.read(tr.cur, from.cur, "", nil)
			case from.next != nil:
				v = r.read(tr.next, from.next, "'", nil)
			case from.nat != nil:
				v = from.nat.F0(r)
			case from.def != nil:
				v = from.def.lately(r)
			default:
				n := k.outer[from.outer-1]
				v = r.get(tr.f.hop(n.hops).vals[n.slot])
			}
		})
	})
	r.at = at
	return v, ok && v != nil
}

// sources adds those of the names around; it is false where one has no value.
func (k *keeper) sources(r *Run, f *frame, list []source) ([]source, bool) {
	for i, n := range k.outer {
		from := source{outer: i + 1}
		switch x := f.hop(n.hops).vals[n.slot].(type) {
		case *operator, nil:
			return nil, false
		case *thunk:
			if x.x.from != (source{}) {
				from = x.x.from
			}
		}
		list = append(list, from)
	}
	return list, true
}

// keep makes the result of the body for the elements of a set; ok is false where it has
// to be evaluated as usual.
func (k *keeper) keep(r *Run, f *frame, set value.Value, make func() kind, body func() value.Value) (t *kept, ok bool) {
	if k == nil || r.track != nil || r.why != nil || r.initial || r.cur == nil && r.next != nil {
		return nil, false
	}
	s, ok := set.(*value.Set)
	if !ok || s.Len() < leastKeptElements || !value.InOrder(s) {
		return nil, false
	}
	if k.losses > mostLosses+k.gains { // it does not pay
		if k.skipped++; k.skipped%mostSkipped > 0 {
			return nil, false
		}
	}
	var room [4]source
	sources, ok := k.sources(r, f, room[:0])
	if !ok {
		return nil, false
	}
	k.r = r
	tr := &tracker{k: k, f: f, cur: r.cur, next: r.next}
	memory, slot := r.memory, f.vals[k.b.slots[0]]
	r.memory = nil
	t = k.find(tr, sources)
	if t == nil {
		t = &kept{sources: slices.Clone(sources), result: make(), roots: map[source]*keptRoot{}, entries: map[uint64]*entry{}, set: value.NoElements}
		if len(k.of) < mostKept {
			k.of = append(k.of, t)
		} else {
			k.of[k.oldest()] = t
		}
	}
	tr.t = t
	ok = r.attempt(func() { t.update(r, tr, s, body) }) && !tr.lost
	r.track, r.memory, f.vals[k.b.slots[0]] = nil, memory, slot
	if !ok {
		k.drop(t)
		k.losses += mostLosses
		return nil, false
	}
	t.report(r)
	return t, true
}

// report notes what the elements have read for the evaluation around.
func (t *kept) report(r *Run) {
	for from := range t.roots {
		switch {
		case from.cur != nil:
			if r.memory != nil {
				r.memory.note(r, from.cur.n, nil)
			}
		case from.outer == 0:
			r.unrepeatable()
		}
	}
}

func (k *keeper) oldest() (at int) {
	for i, t := range k.of {
		if t.round < k.of[at].round {
			at = i
		}
	}
	return at
}

func (k *keeper) drop(t *kept) {
	for i := range k.of {
		if k.of[i] == t {
			k.of[i] = k.of[len(k.of)-1]
			k.of = k.of[:len(k.of)-1]
			return
		}
	}
}

// find is an evaluation with the same names around it, as far as these have been read as
// a whole.
func (k *keeper) find(tr *tracker, sources []source) *kept {
	k.round++
next:
	for _, t := range k.of {
		for i, from := range sources {
			if t.sources[i] != from {
				continue next
			}
			if root := t.roots[from]; root != nil && from.outer > 0 && len(root.readers) > 0 {
				if v, ok := k.valueOf(tr, from); !ok || !k.r.differences.Identical(v, root.val) {
					continue next
				}
			}
		}
		t.round = k.round
		return t
	}
	return nil
}

// update evaluates what is new or stale.
func (t *kept) update(r *Run, tr *tracker, s *value.Set, body func() value.Value) {
	gone, come, _ := r.differences.Of(t.set, s)
	if len(gone)+len(come) > s.Len()/2 || t.size > 8*t.count+1000 {
		clear(t.roots)
		clear(t.entries)
		t.count, t.size = 0, 0
		t.result.reset()
		gone, come = nil, s.Elems()
	}
	for from, root := range t.roots {
		v, ok := tr.k.valueOf(tr, from)
		if !ok {
			tr.lost = true
			return
		}
		t.changed(r, &root.depends, root.val, v)
		root.val = v
	}
	for _, e := range gone {
		t.remove(e)
	}
	if 2*(len(t.again)+len(come)) > s.Len() {
		tr.k.losses++
	} else {
		tr.k.gains++
	}
	slot := tr.k.b.slots[0]
	evaluate := func(e *entry) value.Value {
		e.gen++
		tr.of = e
		r.spend()
		tr.f.vals[slot] = e.elem
		return body()
	}
	r.track = tr
	for _, e := range t.again {
		if e.stale = false; e.val != nil {
			v := evaluate(e)
			t.result.put(e.val, v, e.elem)
			e.val = v
		}
	}
	for _, elem := range come {
		e := &entry{elem: elem}
		e.val = evaluate(e)
		t.result.put(nil, e.val, elem)
		h, ok := value.KeyHash(elem)
		if !ok {
			tr.lost = true
			break
		}
		e.next = t.entries[h]
		t.entries[h] = e
		t.count++
	}
	r.track = nil
	clear(t.again)
	t.again = t.again[:0]
	t.set = s
}

// entry is that of an element, nil where it has none.
func (t *kept) entry(elem value.Value) *entry {
	h, _ := value.KeyHash(elem)
	e := t.entries[h]
	for e != nil && !value.Identical(e.elem, elem) {
		e = e.next
	}
	return e
}

// remove forgets an element.
func (t *kept) remove(elem value.Value) {
	e := t.entry(elem)
	if e == nil {
		return
	}
	h, _ := value.KeyHash(elem)
	unlink(t.entries, h, e, func(e *entry) **entry { return &e.next })
	t.result.put(e.val, nil, e.elem)
	e.val = nil
	e.gen++
	t.count--
}

// unlink takes e out of the chain of those with its hash, which go on at next.
func unlink[T any](chains map[uint64]*T, h uint64, e *T, next func(*T) **T) {
	switch at, then := chains[h], *next(e); {
	case at != e:
		for *next(at) != e {
			at = *next(at)
		}
		*next(at) = then
	case then != nil:
		chains[h] = then
	default:
		delete(chains, h)
	}
}
