package eval

import (
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
	round int           // of the loop, when it was last needed

	in     *State // in which it was evaluated
	known  bool   // what follows is about an evaluation that has ended
	holds  bool
	again  bool // it depends on more than the paths, or does something
	reads  []path
	found  int     // the place of the path that was noted last
	vars   uint64  // the variables, by their places, that this evaluation has noted as a whole
	ranges bool    // what is read of a sequence is noted together
	whole  bool    // of a predicate, and not of an element
	reused int     // evaluations in which the paths before have been used again
	loops  []*loop // of the quantifiers in it, in the order of their evaluation
	ending int     // how many of the loops this evaluation has come to
}

// path is what has been read of a variable.
type path struct {
	variable int
	steps    []value.Value // for value.Unchanged
	was      value.Value   // of the variable
	at       int           // where the first step was found before
	used     bool          // by the current evaluation; else by the one before
}

// Bounds of what is remembered: beyond them, a whole variable counts as read, and
// quantifiers are evaluated as usual.
const (
	mostPaths    = 64
	mostLoops    = 64
	mostOutcomes = 1 << 16 // of a quantifier
	mostReused   = 16
)

// begin makes the outcome one of an evaluation that begins. It probably reads what the
// one before has read: paths that are there need not be made.
func (o *outcome) begin(r *Run) {
	if o.reused++; o.reused > mostReused || o.again || r.without&Paths != 0 {
		o.reads, o.reused = o.reads[:0], 0
	}
	o.in, o.known, o.again, o.ending, o.vars = r.cur, false, false, 0, 0
	o.keep(func(p *path) bool {
		is := r.cur.Vals[p.variable]
		if is == nil || !value.Same(p.was, is) && !value.Leads(is, p.steps) {
			return false
		}
		p.was, p.used = is, false
		return true
	})
}

// keep forgets the other paths.
func (o *outcome) keep(is func(*path) bool) {
	n := 0
	for i := range o.reads {
		if is(&o.reads[i]) {
			if n < i {
				o.reads[n] = o.reads[i]
			}
			n++
		}
	}
	clear(o.reads[n:])
	o.reads = o.reads[:n]
}

func (o *outcome) end(holds bool) {
	o.known, o.holds = true, holds
	o.keep(func(p *path) bool { return p.used })
}

// still reports whether an evaluation would come to the same.
func (o *outcome) still(r *Run) bool {
	if !o.known || o.again {
		return false
	}
	for i := range o.reads {
		p := &o.reads[i]
		is := r.cur.Vals[p.variable]
		if is == nil {
			return false
		}
		if value.Same(p.was, is) {
			continue
		}
		if !value.Unchanged(p.was, is, p.steps, &p.at) {
			return false
		}
		p.was = is
	}
	o.in = r.cur
	return true
}

// absorb notes what a part has read.
func (o *outcome) absorb(r *Run, part *outcome) {
	o.again = o.again || part.again
	o.noteAll(r, part.reads)
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
	l := &loop{of: q, known: map[uint64]*outcome{}, sum: outcome{ranges: true}}
	o.loops = append(o.loops[:min(len(o.loops), mostLoops-1)], l)
	last := len(o.loops) - 1
	o.loops[o.ending], o.loops[last] = o.loops[last], o.loops[o.ending]
	o.ending++
	return l
}

// evaluate makes the outcome that of the body.
func (o *outcome) evaluate(r *Run, body func() bool) {
	o.begin(r)
	whole := r.memory
	r.memory = o
	defer func() {
		if r.memory = whole; !o.known { // an error, which may be caught
			whole.absorb(r, o)
		}
	}()
	o.end(body())
}

// add notes what an element has read. What cannot be noted in a few paths is not
// taken together. Wide: the variables are enough, since each element has its paths.
func (o *outcome) add(r *Run, part *outcome, wide bool) {
	o.again = o.again || part.again || r.cur != o.in || len(o.reads) > mostPaths
	for i := 0; i < len(part.reads) && !o.again; i++ {
		p := &part.reads[i]
		if !wide {
			o.noteRange(r, p.variable, p.steps)
		} else if bit := uint64(1) << p.variable; bit == 0 || o.vars&bit == 0 { // 0: of a further variable
			o.vars |= bit
			o.noteRange(r, p.variable, nil)
		}
	}
}
