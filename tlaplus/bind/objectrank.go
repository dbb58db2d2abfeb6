package bind

import (
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
)

// The search for a batched step continues where the least is missing. What has left its
// value before the step, and has not come to the one after it, is finished first: objects
// that do not concern each other are so changed one after the other.

// rank is where a state on the way is in the order of the search.
type rank struct {
	cost, depth int
	number      int // of equals, the oldest comes first
}

// The weights of the cost, beside one for each action that was taken.
const (
	costMissing = 2 // each part that is not as after the step
	costBetween = 4 // each one that is not as before it, either
)

func (b *batch) rank(n *batched) rank {
	b.numbers++
	r := rank{number: b.numbers}
	if n.up != nil {
		r.depth = n.up.depth + 1
	}
	r.cost = r.depth
	if b.m.b.opts.Without&eval.Nearest != 0 {
		return r
	}
	for i := range b.ends {
		r.cost += b.ends[i].cost(n.state.Vals[b.ends[i].variable])
	}
	for i := range len(b.s.claims) + len(b.gone) {
		if n.took&(1<<i) == 0 {
			r.cost += costMissing
		}
	}
	return r
}

// ended notes the values of a variable before and after the step, and where they differ.
func ended(variable int, before, end value.Value) ends {
	e := ends{variable: variable, before: before, end: end}
	a, isSet := before.(*value.Set)
	z, also := end.(*value.Set)
	if isSet && also {
		e.gone, e.come = without(a, z), without(z, a)
		return e
	}
	from, ok := domainOf(before)
	to, isFcn := domainOf(end)
	if !ok || !isFcn {
		return e
	}
	e.at = without(to, from)
	for _, k := range from.Each() {
		if w := valueAt(end, k); w == nil || !value.Identical(w, value.Apply(before, k)) {
			e.at = append(e.at, k)
		}
	}
	return e
}

// without is the elements of a set that are not in another one.
func without(a, b *value.Set) (list []value.Value) {
	for _, x := range a.Each() {
		if b.Index(x) < 0 {
			list = append(list, x)
		}
	}
	return list
}

// cost is how far a value on the way is from the one after the step. The value keeps what
// the step does not change.
func (e *ends) cost(v value.Value) (cost int) {
	set, isSet := v.(*value.Set)
	a, also := e.before.(*value.Set)
	switch {
	case isSet && also:
		has := func(list []value.Value) (n int) {
			for _, x := range list {
				if set.Index(x) >= 0 {
					n++
				}
			}
			return n
		}
		stay, come := has(e.gone), has(e.come)
		between := set.Len() - (a.Len() - len(e.gone)) - stay - come
		return costMissing*(stay+len(e.come)-come) + (costMissing+costBetween)*between
	case e.at == nil:
		return costOf(v, e.before, e.end)
	}
	for _, k := range e.at {
		cost += costOf(valueAt(v, k), valueAt(e.before, k), valueAt(e.end, k))
	}
	return cost
}

// costOf is that of a value; nil: there is none.
func costOf(v, before, end value.Value) int {
	is := func(w value.Value) bool { return v == nil && w == nil || v != nil && w != nil && value.Identical(v, w) }
	switch {
	case is(end):
		return 0
	case is(before):
		return costMissing
	}
	return costMissing + costBetween
}

// queue are the states to continue from, the best first.
type queue []*batched

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].cost < q[j].cost || q[i].cost == q[j].cost && q[i].number < q[j].number
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*batched)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = slices.Delete(*q, len(*q)-1, len(*q))
	return last
}
