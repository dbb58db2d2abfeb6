package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
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
	known   map[uint64]*outcome
	size    int
	round   int
	visited int
}

// Bounds of what is remembered: beyond them, a whole variable counts as read, and
// quantifiers are evaluated as usual.
const (
	mostPaths = 64
	mostLoops = 64
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
		o.reads[i].was = r.cur.Vals[o.reads[i].variable]
	}
	o.in = r.cur
	return true
}

// note notes what is read in the state at hand.
func (o *outcome) note(r *Run, variable int, steps []value.Value) {
	if r.cur != o.in { // by a function that has been made in another one
		o.again = true
		return
	}
	if o.covers(variable, steps) {
		return
	}
	if len(o.reads) == mostPaths && len(steps) > 0 {
		o.coarsen()
		if o.covers(variable, steps) {
			return
		}
	}
	o.reads = append(o.reads, path{variable, slices.Clone(steps), r.cur.Vals[variable]})
}

// covers reports whether something is noted that includes the path.
func (o *outcome) covers(variable int, steps []value.Value) bool {
next:
	for i := range o.reads {
		p := &o.reads[i]
		if p.variable != variable || len(p.steps) > len(steps) {
			continue
		}
		for k, s := range p.steps {
			if !value.Same(s, steps[k]) {
				continue next
			}
		}
		return true
	}
	return false
}

// coarsen notes whole variables in place of the paths.
func (o *outcome) coarsen() {
	all := o.reads
	o.reads = nil
	for i := range all {
		if !o.covers(all[i].variable, nil) {
			o.reads = append(o.reads, path{all[i].variable, nil, all[i].was})
		}
	}
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
		l.size = 0
	}
	return true
}

// find is the outcome for the names' values, a new one where there is none; nil
// where they have no hash.
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
	return eachOf(f, q.list, sets, nil, nil, r, func() bool {
		o := l.find(f)
		switch {
		case o == nil:
			return body() != until
		case o.still(r):
			whole.absorb(r, o)
		default:
			evaluate(o)
		}
		return o.holds != until
	})
}

// remembering is the quantifier as one whose outcomes can be remembered, nil where
// they cannot. first is the number of slots when its compilation began: later ones
// are of names in it.
func (p *Program) remembering(in *scope, n *syntax.Quant, list []binding, first int) *quantifier {
	q := &quantifier{list: list}
	for i := range list {
		q.slots = append(q.slots, list[i].slots...)
	}
	w := outerNames{q: q, fn: in.fn, first: first, seen: map[*definition]bool{}}
	w.walk(in, n.Body)
	if w.unknown {
		return nil
	}
	return q
}

// outerNames finds the names around a quantifier that its body may read.
type outerNames struct {
	q       *quantifier
	fn      *function
	first   int
	seen    map[*definition]bool
	unknown bool
}

func (w *outerNames) walk(s *scope, n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Instance:
		w.unknown = true
	case *syntax.At:
		w.name(s, s.lookup("@"))
	case *syntax.Op:
		at := s
		for i := range n.Prefix {
			in, ok := at.find(n.Prefix[i].Name, i == 0).(*named)
			if !ok || in.at != nil {
				w.unknown = true
				return
			}
			at = in.scope
		}
		if len(n.Prefix) == 0 {
			w.name(s, s.lookup(n.Name.Name))
		}
	}
	syntax.Children(n, func(c syntax.Node) { w.walk(s, c) })
}

func (w *outerNames) name(s *scope, sym symbol) {
	switch sym := sym.(type) {
	case *local:
		hops := 0
		for fn := w.fn; fn != sym.fn; fn = fn.up {
			if hops++; fn.up == nil {
				return // of a definition that is called
			}
		}
		if at := (outerName{hops, sym.slot}); (hops > 0 || sym.slot < w.first) && !slices.Contains(w.q.outer, at) {
			w.q.outer = append(w.q.outer, at)
		}
	case *definition:
		if sym.scope.fn == nil || w.seen[sym] {
			return // at a module's level: it reads its arguments
		}
		w.seen[sym] = true
		if sym.scope.mod != s.mod {
			w.unknown = true
			return
		}
		if sym.fcn != nil {
			w.walk(sym.scope, sym.fcn)
		} else {
			w.walk(sym.scope, sym.expr)
		}
	}
}
