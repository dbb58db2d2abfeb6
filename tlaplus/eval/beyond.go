package eval

import (
	"slices"

	"tracecheck/tlaplus/value"
)

// mostBeyond bounds the clauses that are looked at beyond one that failed.
const mostBeyond = 2000

// beyond goes on after a clause that failed, as if it held: of all ways to do so, it
// keeps the one that breaks the fewest clauses, a whole one if there is any.
type beyond struct {
	of     *Attempt
	path   []Clause
	failed int // of path
	looked int
	found  bool // a path to the end
	least  int  // clauses that failed on the best
}

// goBeyond completes the attempt. Clauses after one that failed may not make sense:
// an error ends it.
func (w *Why) goBeyond(r *Run, a *Attempt, on func(*Run) bool) {
	was, taken, held := *r, w.taken, w.held
	var vals []value.Value
	if r.next != nil {
		vals = slices.Clone(r.next.Vals)
	}
	b := &beyond{of: a}
	w.beyond = b
	defer func() {
		x := recover()
		*r, w.taken, w.held, w.beyond = was, taken, held, nil
		if r.next != nil {
			copy(r.next.Vals, vals)
			r.next.version++
		}
		if x == nil {
			return
		}
		err, ok := x.(*value.Error)
		if !ok {
			panic(x)
		}
		if !b.found {
			b.keep(nil)
			a.Stopped = err.Msg
		}
	}()
	on(r)
}

// note takes the next clause of the path.
func (b *beyond) note(r *Run, c noted, on func(*Run) bool) bool {
	if b.looked++; b.looked > mostBeyond {
		b.stuck()
		return false
	}
	c.Values = r.reads(c.x, c.f)
	b.path = append(b.path, c.Clause)
	if !c.Holds {
		b.failed++
	}
	ok := true
	switch {
	case b.found && b.failed > b.least:
	case on == nil:
		b.stuck()
	default:
		ok = on(r)
	}
	b.path = b.path[:len(b.path)-1]
	if !c.Holds {
		b.failed--
	}
	return ok
}

// stuck is where no path goes on.
func (b *beyond) stuck() {
	if !b.found && len(b.path) > len(b.of.Beyond) {
		b.keep(nil)
	}
}

// whole is where a path ends.
func (b *beyond) whole(st *State) bool {
	if !b.found || b.failed < b.least {
		b.found, b.least = true, b.failed
		b.keep(st)
	}
	return b.least > 0
}

func (b *beyond) keep(st *State) {
	b.of.Beyond, b.of.Stopped = slices.Clone(b.path), ""
	if st != nil {
		b.of.Made = slices.Clone(st.Vals)
	}
}
