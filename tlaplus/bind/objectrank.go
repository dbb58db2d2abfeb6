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
	apart       int // how far its variables are from their values after the step
	missing     int // what it lacks: that, and claims
	cost, depth int
	number      int    // of equals, the newest comes first
	change      uint64 // what the last action made of one object; 0: it changed others, too
}

// The weights of the cost, beside one for each action that was taken.
const (
	costMissing = 10 // each part that is not as after the step
	costBetween = 12 // each one that is not as before it, either
	costOthers  = 40 // a state that was gone on from by focus
)

func (b *batch) rank(n *batched) rank {
	b.numbers++
	r := rank{number: b.numbers}
	if n.up != nil {
		r.depth = n.up.depth + 1
	}
	if b.m.b.opts.Without&eval.Nearest != 0 {
		r.cost, r.number = r.depth, -r.number
		return r
	}
	if n.up != nil {
		r.apart = n.up.apart + b.apart(n.up, n.state)
	} else {
		for i := range b.ends {
			r.apart += b.ends[i].first()
		}
	}
	r.missing = r.apart
	for i := range len(b.s.claims) + len(b.gone) {
		if n.took&(1<<i) == 0 {
			r.missing += costMissing
		}
	}
	r.cost = r.depth + r.missing
	if r.change = b.change(n); b.useful[r.change] {
		r.cost -= costBetween
	}
	return r
}

// apart is how much farther the variables are from their values after the step than in a
// state on the way.
func (b *batch) apart(from *batched, st *eval.State) (n int) {
	for i := range b.ends {
		e := &b.ends[i]
		if was, is := from.state.Vals[e.variable], st.Vals[e.variable]; !value.Same(was, is) {
			n += b.farther(e, was, is)
		}
	}
	return n
}

// learn notes the changes that have led to a state which is nearer to the end: of another
// object, they are tried first.
func (b *batch) learn(n *batched) {
	for at := n; at.up != nil && (at == n || at.missing >= at.up.missing); at = at.up {
		if at.change != 0 {
			b.useful[at.change] = true
		}
	}
}

// change is a hash of what the last action has made of an element of a set, if it has
// changed that alone.
func (b *batch) change(n *batched) (h uint64) {
	for i := range b.ends {
		v := b.ends[i].variable
		if n.up == nil || value.Same(n.up.state.Vals[v], n.state.Vals[v]) {
			continue
		}
		was, ok := n.up.state.Vals[v].(*value.Set)
		is, also := n.state.Vals[v].(*value.Set)
		if !ok || !also || h != 0 {
			return 0
		}
		gone, come := b.differ(was, is)
		if len(gone) != 1 || len(come) != 1 {
			return 0
		}
		dom, isFcn := domainOf(gone[0])
		if !isFcn {
			return 0
		}
		h = uint64(v) + 1
		for _, k := range dom.Each() {
			x, y := value.Apply(gone[0], k), valueAt(come[0], k)
			if y == nil {
				return 0
			}
			if !value.Identical(x, y) {
				h = (h*31+value.Hash(k))*31 + value.Hash(x)*7 + value.Hash(y)
			}
		}
	}
	return h
}

// queue are the states to continue from, the best first.
type queue []*batched

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].cost < q[j].cost || q[i].cost == q[j].cost && q[i].number > q[j].number
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*batched)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = slices.Delete(*q, len(*q)-1, len(*q))
	return last
}
