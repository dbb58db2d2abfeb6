package bind

import (
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
)

// Most steps on the way concern one element of a set. The search changes one element after
// the other: from each state, it first makes the steps that change this element alone. The
// state stays in the queue, for all other steps.

// focus is which steps from a state are made first.
type focus struct {
	stays  []*value.Set // as of batch: all elements but one
	nearer bool         // only steps that lead nearer to the end
}

// focus is on the element that has neither its value before the step nor the one after it;
// where there is none, on the first that is to leave the set; where there is none either,
// on what is to come. It is nil where that is not known.
func (b *batch) focus(at *batched) *focus {
	var found *focus
	for i := range b.ends {
		e := &b.ends[i]
		if b.stays == nil || b.stays[e.variable] == nil {
			continue
		}
		on, ok := at.state.Vals[e.variable].(*value.Set)
		end, isSet := e.end.(*value.Set)
		if !ok || !isSet || !value.InOrder(on) {
			continue
		}
		leave := without(on, end)
		if len(leave) == 0 {
			if found == nil && on.Len() < end.Len() {
				found = &focus{stays: b.stays, nearer: true}
			}
			continue
		}
		before := e.before.(*value.Set)
		one := max(0, slices.IndexFunc(leave, func(x value.Value) bool { return before.Index(x) < 0 }))
		stays := slices.Clone(b.stays)
		stays[e.variable] = on.Changed(leave[one:one+1], nil)
		return &focus{stays: stays}
	}
	return found
}

// leavesOut reports whether a state is made later.
func (f *focus) leavesOut(b *batch, at *batched, st *eval.State) bool {
	return f.nearer && b.missing(st) >= b.missing(at.state)
}
