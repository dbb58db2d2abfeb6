package eval

import (
	"slices"

	"tracecheck/tlaplus/value"
)

// quantifier is one whose outcomes can be remembered, or the filter of a set.
type quantifier struct {
	list  []binding
	outer []outerName
	slots []int

	filters bool // it is a filter
	short   bool // the body only compares: no call, and no set that is gone through
}

// outerName is a name around the quantifier that its body may read.
type outerName struct{ hops, slot int }

// loop is the outcomes of a quantifier.
type loop struct {
	of      *quantifier
	outer   []value.Value // what the body reads of the names around it
	sets    []value.Value // all of whose elements have been gone through, with what sum has
	sum     outcome
	kept    []value.Value // the elements that a filter keeps of the sets
	single  bool          // what each new element evaluates to is remembered
	spare   *outcome      // else: the last one's, to be used again
	flat    bool          // an element had no quantifier in it
	known   map[uint64]*outcome
	order   []*outcome // in the order of their last use
	size    int
	round   int
	visited int
	partly  bool // only new elements are gone through in this round
}

// enter is false where the body may read what is not known yet, or is not a value.
func (l *loop) enter(r *Run, f *frame) bool {
	l.round++
	l.visited, l.partly = 0, false
	for i, n := range l.of.outer {
		var v value.Value
		switch x := f.hop(n.hops).vals[n.slot].(type) {
		case *thunk:
			if !x.known(r) {
				return false
			}
			v = x.val
		case *operator:
			return false
		default:
			v = x
		}
		if l.outer == nil {
			l.outer = make([]value.Value, len(l.of.outer))
		}
		if v != nil && value.Same(l.outer[i], v) || v == nil && l.outer[i] == nil {
			continue
		}
		l.outer[i] = v
		clear(l.known)
		clear(l.order)
		l.order, l.size, l.sum.known = l.order[:0], 0, false
	}
	return true
}

// find is lookUp, but tries first what came at this place the last time.
func (l *loop) find(f *frame) (o *outcome, h uint64, hashed bool) {
	at := l.visited
	if at < len(l.order) {
		if o := l.order[at]; slices.EqualFunc(o.names, l.of.slots, func(v value.Value, slot int) bool { return value.Same(v, f.vals[slot]) }) {
			l.visited++
			o.round = l.round
			return o, 0, true
		}
	}
	if o, h, hashed = l.lookUp(f); o != nil {
		l.order = append(l.order[:min(len(l.order), at)], o)
	}
	return o, h, hashed
}

// lookUp is the outcome for the names' values, nil where there is none; hashed is false
// where they have no hash.
func (l *loop) lookUp(f *frame) (o *outcome, h uint64, hashed bool) {
	for _, slot := range l.of.slots {
		one, ok := value.KeyHash(f.vals[slot])
		if !ok {
			return nil, 0, false
		}
		h = h*31 + one
	}
	l.visited++
	for o := l.known[h]; o != nil; o = o.next {
		if slices.EqualFunc(o.names, l.of.slots, func(v value.Value, slot int) bool { return value.Identical(v, f.vals[slot]) }) {
			o.round = l.round
			return o, h, true
		}
	}
	return nil, h, true
}

// keep remembers an outcome for the names' values, unless there are too many.
func (l *loop) keep(f *frame, o *outcome, h uint64) {
	if l.size >= mostOutcomes {
		return
	}
	o.next, o.round = l.known[h], l.round
	for _, slot := range l.of.slots {
		o.names = append(o.names, f.vals[slot])
	}
	l.known[h] = o
	l.size++
}

// first is what the body evaluates to for names whose outcome is not remembered. It is
// remembered then where what all of them read is too much to take together, where that
// has changed before, or where there are quantifiers in the body.
func (l *loop) first(r *Run, f *frame, body func() bool, h uint64) *outcome {
	o := l.spare
	if l.spare = nil; o == nil {
		o = &outcome{}
	}
	o.evaluate(r, body)
	l.sum.add(r, o, false)
	l.single = l.single || l.sum.again
	if l.single || len(o.loops) > 0 {
		l.keep(f, o, h)
	} else {
		l.spare, l.flat = o, true
	}
	return o
}

// together is what the body evaluates to for names whose outcome is not remembered: what it
// reads is noted for all of them.
func (l *loop) together(r *Run, body func() bool) bool {
	whole := r.memory
	r.memory = &l.sum
	holds := body()
	r.memory = whole
	whole.again = whole.again || l.sum.again
	l.sum.again = l.sum.again || len(l.sum.reads) > mostPaths
	l.single = l.sum.again
	return holds
}

// leave discards elements that are no longer used.
func (l *loop) leave() {
	if l.partly || l.size <= 2*l.visited+mostLoops {
		return
	}
	for h, first := range l.known {
		var kept *outcome
		for o := first; o != nil; {
			next := o.next
			if o.round == l.round {
				o.next, kept = kept, o
			} else {
				l.size--
			}
			o = next
		}
		if l.known[h] = kept; kept == nil {
			delete(l.known, h)
		}
	}
}

// loopOf is where what a quantifier came to is remembered; nil where nothing can be.
func (q *quantifier) loopOf(r *Run, f *frame) *loop {
	if l := r.memory.loop(q); l != nil && l.enter(r, f) {
		return l
	}
	return nil
}

// each calls the body for each choice of the names until it is FALSE, or TRUE where
// until is. It returns false where it was so for one.
func (q *quantifier) each(r *Run, f *frame, sets []value.Value, until bool, body func() bool) bool {
	l := q.loopOf(r, f)
	if l == nil {
		return eachOf(f, q.list, sets, nil, nil, r, func() bool { return body() != until })
	}
	more, _ := l.more(r, sets)
	return l.each(r, f, sets, more, body, func(holds bool) bool { return holds != until })
}

// filter is the elements of the set for which the body is TRUE, in the set's order;
// ok is false where nothing is remembered.
func (q *quantifier) filter(r *Run, f *frame, set value.Value, body func() bool) (kept []value.Value, ok bool) {
	l := q.loopOf(r, f)
	if l == nil {
		return nil, false
	}
	sets := []value.Value{set}
	more, known := l.more(r, sets)
	if !known {
		l.kept = nil
	}
	l.each(r, f, sets, more, body, func(holds bool) bool {
		if holds {
			l.kept = append(l.kept, f.vals[q.slots[0]])
		}
		return true
	})
	return l.kept[:len(l.kept):len(l.kept)], true
}

// each visits what the body evaluates to for each choice of the names from more, until
// visit is false; it returns false then.
func (l *loop) each(r *Run, f *frame, sets, more []value.Value, body func() bool, visit func(holds bool) bool) bool {
	whole := r.memory
	wide := l.single && whole.whole && r.without&Wide == 0
	defer func() { // also with an error, which may be caught
		r.memory = whole
		l.sum.narrow(r)
		whole.noteAll(r, l.sum.reads)
		l.leave()
	}()
	if more != nil && !eachOf(f, l.of.list, more, nil, nil, r, func() bool {
		if l.flat && !l.single && l.size == 0 {
			return visit(l.together(r, body))
		}
		o, h, hashed := l.find(f)
		switch {
		case !hashed:
			l.sum.again = true
			return visit(body())
		case o == nil:
			o = l.first(r, f, body, h)
		default:
			if !o.still(r) {
				o.evaluate(r, body)
			}
			l.sum.add(r, o, wide)
		}
		if l.sum.again {
			whole.absorb(r, o)
		}
		return visit(o.holds)
	}) {
		return false
	}
	l.sum.end(true)
	l.sets = sets
	return true
}

// fewBodies is how many short bodies are evaluated rather than looked up.
const fewBodies = 32

// small reports whether to evaluate the body for all elements takes no longer than to
// find out for which it has to be.
func (l *loop) small(r *Run, sets []value.Value) bool {
	n := 1
	for i, set := range sets {
		if s, ok := set.(*value.Set); ok {
			for range l.of.list[i].slots {
				n *= s.Len()
			}
		} else {
			n = fewBodies + 1
		}
		if n > fewBodies {
			return false
		}
	}
	return l.of.short && r.without&Small == 0
}

// added is what a set has more than the one that has been gone through. A filter's
// elements would have to be taken out, too.
func (l *loop) added(r *Run, set value.Value) (rest value.Value, ok bool) {
	if s, isSet := set.(*value.Set); !isSet || l.of.filters || r.without&Additions != 0 || l.size > 2*s.Len()+mostLoops {
		return nil, false
	}
	return value.Added(l.sets[0], set)
}

// more is the sets without the elements that are known to come to the same as when
// the quantifier was evaluated last, nil where no element is left; known reports whether
// there are some.
func (l *loop) more(r *Run, sets []value.Value) (more []value.Value, known bool) {
	if l.sum.known && !l.sum.still(r) {
		l.single = l.single || !l.small(r, sets)
	} else if l.sum.known {
		if same := slices.EqualFunc(l.sets, sets, value.Same); same {
			return nil, true
		}
		if len(sets) == 1 && len(l.of.slots) == 1 {
			if rest, ok := value.Extension(l.sets[0], sets[0]); ok {
				l.sum.known, l.partly = false, true
				return []value.Value{rest}, true
			}
			if rest, ok := l.added(r, sets[0]); ok {
				l.sum.known, l.partly = false, true
				return []value.Value{rest}, true
			}
		}
	}
	l.sum.begin(r)
	return sets, false
}
