package swarmkit

import (
	"container/heap"
	"math"
	"slices"

	"tracecheck/validators/model"
)

// visited is a state that the search has reached.
type visited struct {
	key    string
	parent int
	by     move
	cost   int // of the moves that lead there
}

// reach is a state to continue from, by its place among the visited, with what it
// has cost and may yet cost.
type reach struct{ at, cost int }

// queue gives the most hopeful first and, of equals, the oldest.
type queue []reach

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].cost < q[j].cost || q[i].cost == q[j].cost && q[i].at < q[j].at
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(reach)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// search finds a sequence of moves from the frame's old state to its new one,
// best first.
func (b *batch) search(f *frame) ([]move, model.Outcome) {
	if len(f.places) > math.MaxUint16 { // keys have no more
		return nil, model.Exhausted
	}
	start := string(b.startKey(f))
	seen := map[string]int{start: 0} // a place among the states
	states := []visited{{key: start, parent: -1}}
	var here []byte // the key of the state to continue from
	todo := &queue{}
	heap.Push(todo, reach{})
	goal := -1
	for todo.Len() > 0 && goal < 0 {
		if b.left < 0 {
			b.load(f, b.empty(f))
			return nil, model.Exhausted
		}
		b.left -= len(f.items) * len(f.places) / 1024 // moves looks for each item at each place
		at := heap.Pop(todo).(reach).at
		here = append(here[:0], states[at].key...)
		b.load(f, here)
		if b.reached(f, here) {
			goal = at
			break
		}
		b.moves(f, func(mv move) {
			if b.left < 0 {
				return // one state may have very many moves
			}
			b.left -= 1 + len(start)/256 // a try takes longer where the frame is large
			p := b.pairOf(f, &mv)
			if !mv.action.Match(p) {
				return
			}
			key := b.after(f, &mv, p, here)
			cost := states[at].cost + 1 + b.coupling(&mv)
			to, ok := seen[string(key)]
			switch {
			case !ok:
				to = len(states)
				kept := string(key)
				seen[kept] = to
				states = append(states, visited{kept, at, mv, cost})
			case cost < states[to].cost:
				states[to].parent, states[to].by, states[to].cost = at, mv, cost
			default:
				return
			}
			heap.Push(todo, reach{to, cost + (2-b2i(b.fates != nil))*b.distance(f, key)})
		})
	}
	b.load(f, b.empty(f))
	if goal < 0 {
		return nil, model.Unsolved
	}
	var plan []move
	for at := goal; states[at].parent >= 0; at = states[at].parent {
		plan = append(plan, states[at].by)
	}
	slices.Reverse(plan)
	return plan, model.Solved
}

// distance guesses how many moves the key's state lacks.
func (b *batch) distance(f *frame, key []byte) int {
	d := 0
	for n, t := range f.items {
		v, here := b.valueAt(f, key, n) // where it is not here, its status is gone
		to := gone
		if t.is {
			to = t.new.status()
		}
		if here && t.is && canBecome(&v, &t.new) {
			d += v.status().to(to)
		} else {
			d += v.status().to(gone) + gone.to(to)
		}
		d += b2i(t.remade && key[n*itemBytes]&wasAbsent == 0) + b2i(b.claims && key[n*itemBytes+5] != full(t.claims))
	}
	for n, c := range f.services {
		k := key[len(f.items)*itemBytes+n*serviceBytes:]
		switch going := k[0]&isGoing != 0; {
		case k[0]&isHere == 0:
			d += b2i(c.is)
		case !c.is || c.remade && k[0]&wasAbsent == 0:
			d += 2 - b2i(going)
		default:
			d += b2i(c.new.remove && !going)
		}
	}
	return d
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
