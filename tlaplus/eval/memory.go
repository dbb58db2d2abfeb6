package eval

import (
	"slices"

	"tracecheck/tlaplus/value"
)

// An invariant is mostly a \A over elements of which a step changes what few read.
// While it is evaluated, what it reads of the state is noted, as a path: log[i]
// rather than log. What an element of a quantifier came to is remembered with what
// it read. It is evaluated again only where a path leads to something else now. It
// did not end with an error, so it would not do so now.

// outcome is what a predicate, or a quantifier's body for one element, came to.
type outcome struct {
	names []value.Value // of the quantifier
	next  *outcome      // with the same hash of the names
	round int           // of the loop, when it was last asked for

	in     *State // in which it was evaluated
	known  bool   // what follows is about an evaluation that has ended
	holds  bool
	again  bool // it depends on more than the paths, or does something
	reads  []path
	loops  []*loop // of the quantifiers in it, in the order of their evaluation
	ending int     // how many of the loops this evaluation has come to
}

// path is what has been read of a variable.
type path struct {
	variable int
	steps    []value.Value // for value.Unchanged
	was      value.Value   // of the variable
}

// loop is the outcomes of a quantifier.
type loop struct {
	of      *quantifier
	outer   []value.Value // what the body reads of the names around it
	sets    []value.Value // all of whose elements came to the same, with what sum has
	sum     outcome
	known   map[uint64]*outcome
	size    int
	round   int
	visited int
}

// Bounds of what is remembered: beyond them, a whole variable counts as read, and
// quantifiers are evaluated as usual.
const (
	mostPaths    = 64
	mostLoops    = 64
	mostOutcomes = 1 << 16 // of a quantifier
)

// quantifier is one whose outcomes can be remembered.
type quantifier struct {
	list  []binding
	outer []outerName
	slots []int
}

// outerName is a name around the quantifier that its body may read.
type outerName struct{ hops, slot int }

// begin makes the outcome one of an evaluation that begins.
func (o *outcome) begin(in *State) {
	o.in, o.known, o.again, o.reads, o.ending = in, false, false, o.reads[:0], 0
}

func (o *outcome) end(holds bool) { o.known, o.holds = true, holds }

// still reports whether an evaluation would come to the same.
func (o *outcome) still(r *Run) bool {
	if !o.known || o.again {
		return false
	}
	for i := range o.reads {
		p := &o.reads[i]
		is := r.cur.Vals[p.variable]
		if is == nil || !value.Unchanged(p.was, is, p.steps) {
			return false
		}
	}
	for i := range o.reads {
		if p := &o.reads[i]; !value.Same(p.was, r.cur.Vals[p.variable]) {
			p.was = r.cur.Vals[p.variable]
		}
	}
	o.in = r.cur
	return true
}

// absorb notes what a part has read.
func (o *outcome) absorb(r *Run, part *outcome) {
	o.again = o.again || part.again
	for i := range part.reads {
		o.note(r, part.reads[i].variable, part.reads[i].steps)
	}
}

// loop is the quantifier's that the evaluation has come to, nil where there are too
// many.
func (o *outcome) loop(q *quantifier) *loop {
	for i := o.ending; i < len(o.loops); i++ {
		if o.loops[i].of == q {
			o.loops[o.ending], o.loops[i] = o.loops[i], o.loops[o.ending]
			o.ending++
			return o.loops[o.ending-1]
		}
	}
	if o.ending == mostLoops {
		return nil
	}
	l := &loop{of: q, known: map[uint64]*outcome{}}
	o.loops = append(o.loops[:min(len(o.loops), mostLoops-1)], l)
	last := len(o.loops) - 1
	o.loops[o.ending], o.loops[last] = o.loops[last], o.loops[o.ending]
	o.ending++
	return l
}

// enter is false where the body may read what is not known yet, or is no value.
func (l *loop) enter(r *Run, f *frame) bool {
	l.round++
	l.visited = 0
	for i, n := range l.of.outer {
		var v value.Value
		switch x := f.hop(n.hops).vals[n.slot].(type) {
		case *thunk:
			if x.val == nil || x.in != r.moment() {
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
		l.size, l.sum.known = 0, false
	}
	return true
}

// find is the outcome for the names' values, a new one where there is none; nil
// where they have no hash, or there are too many.
func (l *loop) find(f *frame) *outcome {
	h := uint64(0)
	for _, slot := range l.of.slots {
		one, ok := value.KeyHash(f.vals[slot])
		if !ok {
			return nil
		}
		h = h*31 + one
	}
	l.visited++
	for o := l.known[h]; o != nil; o = o.next {
		if slices.EqualFunc(o.names, l.of.slots, func(v value.Value, slot int) bool { return value.Identical(v, f.vals[slot]) }) {
			o.round = l.round
			return o
		}
	}
	if l.size >= mostOutcomes {
		return nil
	}
	o := &outcome{next: l.known[h], round: l.round}
	for _, slot := range l.of.slots {
		o.names = append(o.names, f.vals[slot])
	}
	l.known[h] = o
	l.size++
	return o
}

// leave forgets elements that are no longer asked for.
func (l *loop) leave() {
	if l.size <= 2*l.visited+mostLoops {
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

// each calls the body for each choice of the names until it is FALSE, or TRUE where
// until is. It returns false where it was so for one.
func (q *quantifier) each(r *Run, f *frame, until bool, body func() bool) bool {
	sets := allSets(r, f, q.list)
	whole := r.memory
	l := whole.loop(q)
	if l == nil || !l.enter(r, f) {
		return eachOf(f, q.list, sets, nil, nil, r, func() bool { return body() != until })
	}
	defer l.leave()
	evaluate := func(o *outcome) {
		o.begin(r.cur)
		r.memory = o
		defer func() { // also with an error, which may be caught
			r.memory = whole
			whole.absorb(r, o)
		}()
		o.end(body())
	}
	more, known := l.more(r, sets)
	if known {
		whole.absorb(r, &l.sum)
	}
	if !eachOf(f, q.list, more, nil, nil, r, func() bool {
		o := l.find(f)
		switch {
		case o == nil:
			l.sum.again = true
			return body() != until
		case o.still(r):
			whole.absorb(r, o)
		default:
			evaluate(o)
		}
		l.sum.add(r, o)
		return o.holds != until
	}) {
		return false
	}
	l.sum.end(until)
	l.sets = sets
	return true
}

// more is the sets without the elements that are known to come to the same as when
// the quantifier was evaluated last; known reports whether there are some.
func (l *loop) more(r *Run, sets []value.Value) (more []value.Value, known bool) {
	if l.sum.still(r) {
		if same := slices.EqualFunc(l.sets, sets, value.Same); same {
			return []value.Value{value.NoElements}, true
		}
		if len(sets) == 1 && len(l.of.slots) == 1 {
			if rest, ok := value.Extension(l.sets[0], sets[0]); ok {
				l.sum.known = false
				return []value.Value{rest}, true
			}
		}
	}
	l.sum.begin(r.cur)
	return sets, false
}

// add notes what an element has read. What cannot be noted in a few paths is not
// taken together.
func (o *outcome) add(r *Run, part *outcome) {
	o.again = o.again || part.again || r.cur != o.in || len(o.reads) > mostPaths
	for i := 0; i < len(part.reads) && !o.again; i++ {
		o.noteRange(r, part.reads[i].variable, part.reads[i].steps)
	}
}
