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
	goals  []eval.Goal
	nearer bool // only those that lead nearer to the end
	more   bool // where there are none, there is another focus
}

// focus is on the element that has neither its value before the step nor the one after it;
// where there is none, on the first that is to leave the set; where there is none either,
// on one after the other that is to come. It is nil where that is not known.
func (b *batch) focus(at *batched) *focus {
	var found *focus
	for i := range b.ends {
		e := &b.ends[i]
		if b.goals == nil || b.goals[e.variable].Stay == nil {
			continue
		}
		on, ok := at.state.Vals[e.variable].(*value.Set)
		end, isSet := e.end.(*value.Set)
		if !ok || !isSet || !value.InOrder(on) {
			continue
		}
		leave, come := b.differ(on, end)
		if len(leave) == 0 {
			if found == nil && at.foci < len(come) {
				found = &focus{slices.Clone(b.goals), true, at.foci+1 < len(come)}
				found.goals[e.variable].Come = come[at.foci]
			}
			continue
		}
		before := e.before.(*value.Set)
		one := leave[max(0, slices.IndexFunc(leave, func(x value.Value) bool { return before.Index(x) < 0 }))]
		goals := slices.Clone(b.goals)
		goals[e.variable].Stay, goals[e.variable].Gone = on.Without(one), one
		return &focus{goals: goals}
	}
	return found
}

// leavesOut reports whether a state is made later.
func (f *focus) leavesOut(b *batch, at *batched, st *eval.State) bool {
	return f.nearer && b.apart(at, st) >= 0
}
