package swarmkit

import (
	"container/heap"
	"encoding/binary"
)

// The search visits states of a frame, best first. A state is a key: six bytes
// an item, two a service.
const (
	itemBytes    = 6 // flags, state, desired state, place (2), claims met
	serviceBytes = 2 // flags, claims met

	isHere  = 1 // the object stands
	isAnew  = 2 // it did not stand at some time
	isGoing = 4 // of a service: remove
	isWide  = 8 // of a service: global
)

// visited is a state that the search has reached.
type visited struct {
	key    []byte
	parent int
	by     move
	depth  int
}

// queue orders visited states by what they cost and lack.
type queue struct {
	at   []int
	cost []int
}

func (q *queue) Len() int { return len(q.at) }
func (q *queue) Less(i, j int) bool {
	return q.cost[i] < q.cost[j] || q.cost[i] == q.cost[j] && q.at[i] < q.at[j]
}
func (q *queue) Swap(i, j int) {
	q.at[i], q.at[j] = q.at[j], q.at[i]
	q.cost[i], q.cost[j] = q.cost[j], q.cost[i]
}
func (q *queue) Push(x any) {
	v := x.([2]int)
	q.at, q.cost = append(q.at, v[0]), append(q.cost, v[1])
}
func (q *queue) Pop() any {
	n := len(q.at) - 1
	v := [2]int{q.at[n], q.cost[n]}
	q.at, q.cost = q.at[:n], q.cost[:n]
	return v
}

// search finds a sequence of moves from the frame's old state to its new one.
// With remember, frames that are alike are searched once.
func (b *batch) search(f *frame, remember bool) ([]move, outcome) {
	start := b.startKey(f)
	signature := ""
	if remember {
		signature = b.signature(f, start)
		if rel, ok := b.memo[signature]; ok {
			if rel == nil {
				return nil, unsolved
			}
			return b.absolute(f, rel), solved
		}
	}
	seen := map[string]bool{string(start): true}
	states := []visited{{key: start, parent: -1}}
	todo := &queue{}
	heap.Push(todo, [2]int{0, 0})
	goal := -1
	for todo.Len() > 0 && goal < 0 {
		if b.left < 0 {
			b.load(f, b.empty(f))
			return nil, exhausted
		}
		at := heap.Pop(todo).([2]int)[0]
		b.load(f, states[at].key)
		if b.reached(f, states[at].key) {
			goal = at
			break
		}
		b.moves(f, func(mv move) {
			b.left -= 1 + len(start)/256 // a try takes longer where the frame is large
			p := b.pairOf(f, &mv)
			if !mv.action.Match(p) {
				return
			}
			key := b.after(f, &mv, p, states[at].key)
			if seen[string(key)] {
				return
			}
			key = append([]byte(nil), key...)
			seen[string(key)] = true
			states = append(states, visited{key, at, mv, states[at].depth + 1})
			heap.Push(todo, [2]int{len(states) - 1, states[at].depth + 1 + 2*b.distance(f, key)})
		})
	}
	b.load(f, b.empty(f))
	if goal < 0 {
		if remember {
			b.memo[signature] = nil
		}
		return nil, unsolved
	}
	plan := make([]move, states[goal].depth)
	for at := goal; states[at].parent >= 0; at = states[at].parent {
		plan[states[at].depth-1] = states[at].by
	}
	if remember {
		b.memo[signature] = b.relative(f, plan)
	}
	return plan, solved
}

func (b *batch) startKey(f *frame) []byte {
	var key []byte
	for _, i := range f.items {
		t := &b.items[i]
		key = f.appendItem(key, &t.old, t.was, !t.was, 0)
	}
	for _, at := range f.services {
		c := &b.services[at]
		key = appendService(key, c.was, &c.old, !c.was, 0)
	}
	return key
}

// empty is the key in which none of the frame's objects stands.
func (b *batch) empty(f *frame) []byte {
	return make([]byte, itemBytes*len(f.items)+serviceBytes*len(f.services))
}

func (f *frame) appendItem(key []byte, v *taskValue, here, anew bool, met uint8) []byte {
	if !here {
		return append(key, flag(isAnew, anew), 0, 0, 0, 0, met)
	}
	place := 0
	for i, n := range f.places {
		if n == v.node {
			place = i
		}
	}
	key = append(key, isHere|flag(isAnew, anew), byte(v.state), byte(v.desired))
	return append(binary.BigEndian.AppendUint16(key, uint16(place)), met)
}

func appendService(key []byte, here bool, v *serviceValue, anew bool, met uint8) []byte {
	return append(key, flag(isHere, here)|flag(isGoing, v.remove && here)|flag(isAnew, anew)|flag(isWide, here && v.isGlobal()), met)
}

func flag(f byte, set bool) byte {
	if set {
		return f
	}
	return 0
}

// valueAt reads the n-th item of the frame from the key.
func (b *batch) valueAt(f *frame, key []byte, n int) (taskValue, bool) {
	k := key[n*itemBytes:]
	if k[0]&isHere == 0 {
		return taskValue{}, false
	}
	t := &b.items[f.items[n]]
	v := newTask(t.service, t.vslot, State(k[2]))
	v.state, v.node = State(k[1]), f.places[binary.BigEndian.Uint16(k[3:])]
	return v, true
}

// load makes the key's state the state.
func (b *batch) load(f *frame, key []byte) {
	for n, at := range f.services {
		c := &b.services[at]
		k := key[len(f.items)*itemBytes+n*serviceBytes:]
		if k[0]&isHere == 0 {
			continue // after its tasks
		}
		v := c.old
		if k[0]&isAnew != 0 {
			v = c.incarnation(k[0]&isWide != 0)
		}
		v.remove = k[0]&isGoing != 0
		b.putService(c, v, true)
	}
	// First those that go: an id may stand for two items, in different slots.
	for n, i := range f.items {
		if _, here := b.valueAt(f, key, n); !here {
			b.putTask(&b.items[i], taskValue{}, false)
		}
	}
	for n, i := range f.items {
		if v, here := b.valueAt(f, key, n); here {
			b.putTask(&b.items[i], v, true)
		}
	}
	for n, at := range f.services {
		if key[len(f.items)*itemBytes+n*serviceBytes]&isHere == 0 {
			b.putService(&b.services[at], serviceValue{}, false)
		}
	}
}

// after is the key after the move whose pair is p. The slice is reused.
func (b *batch) after(f *frame, mv *move, p *pair, key []byte) []byte {
	b.key = append(b.key[:0], key...)
	for i := range p.tasks {
		c := &p.tasks[i]
		for n, at := range f.items {
			if at != c.line {
				continue
			}
			k := b.key[n*itemBytes:]
			met := k[5] | b.meets(mv.action, b.items[at].claims)
			f.appendItem(k[:0:itemBytes], &c.new, c.is, k[0]&isAnew != 0 || !c.is, met)
		}
	}
	for i := range p.services {
		c := &p.services[i]
		for n, at := range f.services {
			if at != c.line {
				continue
			}
			k := b.key[len(f.items)*itemBytes+n*serviceBytes:]
			met := k[1]
			if f.own {
				met |= b.meets(mv.action, b.services[at].claims)
			}
			appendService(k[:0:serviceBytes], c.is, &c.new, k[0]&isAnew != 0 || !c.is, met)
		}
	}
	return b.key
}

// reached says that the key is the frame's new state, with all claims met.
func (b *batch) reached(f *frame, key []byte) bool {
	for n, i := range f.items {
		t := &b.items[i]
		k := key[n*itemBytes:]
		v, here := b.valueAt(f, key, n)
		if here != t.is || here && v != t.new || t.remade && k[0]&isAnew == 0 ||
			b.claims && k[5] != full(t.claims) {
			return false
		}
	}
	for n, at := range f.services {
		c := &b.services[at]
		k := key[len(f.items)*itemBytes+n*serviceBytes:]
		here, anew := k[0]&isHere != 0, k[0]&isAnew != 0
		if here != c.is || c.remade && !anew || b.claims && f.own && k[1] != full(c.claims) {
			return false
		}
		if here && (k[0]&isGoing != 0) != c.new.remove {
			return false
		}
		if here && (k[0]&isWide != 0) != c.new.isGlobal() {
			return false // UpdateService keeps the mode
		}
		if here && !anew && c.old.remove && c.old.replicas != c.new.replicas {
			return false // nothing changes the spec of a service that was flagged before
		}
	}
	return true
}

// distance guesses how many moves the key's state lacks.
func (b *batch) distance(f *frame, key []byte) int {
	d := 0
	for n, i := range f.items {
		t := &b.items[i]
		v, here := b.valueAt(f, key, n)
		switch {
		case !here && t.is:
			d += 1 + far(New, t.new.state)
		case here && !t.is:
			d += 1 + b2i(v.desired != Remove) + b2i(v.state.Owned())
		case here:
			if !leadsTo(&v, &t.new) {
				d += 3 + far(New, t.new.state)
			} else {
				d += far(v.state, t.new.state) + b2i(v.desired != t.new.desired)
			}
		}
		d += b2i(t.remade && key[n*itemBytes]&isAnew == 0)
	}
	return d
}

// far is how many steps lie between two states.
func far(from, to State) int {
	switch {
	case from == to:
		return 0
	case to.Runnable():
		return max(0, int(to)-int(from))
	case to == Rejected || to == Orphaned:
		return max(0, int(Assigned)-int(from)) + 1
	}
	return max(0, int(Running)-int(from)) + 1
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// relative is a move in terms of its frame alone, good for another that is
// alike.
type relative struct {
	move
	place int // of to.node, or node
}

func (b *batch) relative(f *frame, plan []move) []relative {
	position := map[int]int{-1: -1}
	for n, i := range f.items {
		position[i] = n
	}
	rel := make([]relative, len(plan))
	for k, mv := range plan {
		n := mv.to.node
		if mv.node != nil {
			n = mv.node
		}
		mv.item, mv.other = position[mv.item], position[mv.other]
		if mv.service >= 0 {
			mv.service = 0
		}
		rel[k] = relative{move: mv}
		for i, place := range f.places {
			if place == n {
				rel[k].place = i
			}
		}
	}
	return rel
}

func (b *batch) absolute(f *frame, rel []relative) []move {
	plan := make([]move, len(rel))
	for k, r := range rel {
		mv := r.move
		if mv.item >= 0 {
			mv.item = f.items[mv.item]
			t := &b.items[mv.item]
			if mv.to.service != nil {
				mv.to.service, mv.to.slot, mv.to.node = t.service, t.vslot.slot, f.places[r.place]
			}
		}
		if mv.other >= 0 {
			mv.other = f.items[mv.other]
		}
		if mv.service >= 0 {
			mv.service = f.services[mv.service]
		}
		if mv.node != nil {
			mv.node = f.places[r.place]
		}
		plan[k] = mv
	}
	return plan
}

// signature is all that the outcome of the frame's search depends on, with
// the nodes and the service named by their place in the frame.
func (b *batch) signature(f *frame, start []byte) string {
	sig := append([]byte(nil), start...)
	num := func(n ...int) {
		for _, v := range n {
			sig = binary.AppendVarint(sig, int64(v))
		}
	}
	num(len(f.items), len(f.services), b2i(f.own))
	for _, i := range f.items {
		t := &b.items[i]
		sig = f.appendItem(sig, &t.new, t.is, false, 0)
		num(b2i(t.stands()), b2i(t.remade), b2i(t.vslot.slot == globalSlot), b.place(f, t.vslot.node))
		for _, j := range f.items { // the same id in another slot
			num(b2i(b.items[j].id == t.id))
		}
		for _, ev := range t.claims {
			sig = append(append(append(append(sig, ev.Actor...), 0), ev.Action...), 0)
		}
	}
	for _, n := range f.places[1:] {
		num(b2i(n.isUp()), b2i(n.isDown()), b2i(n.shown), n.owned)
	}
	if len(f.items) > 0 {
		sv := b.items[f.items[0]].service
		key := b.items[f.items[0]].vslot
		num(b2i(sv.exists), int(min(sv.replicas, 0)), b2i(sv.remove), b2i(sv.tasks > 0), b2i(sv.notRemove > 0))
		if vs := sv.vslots[key]; vs != nil {
			num(int(vs.count), int(vs.runnable), int(vs.terminated), int(vs.notRemove), int(vs.wanted))
		}
	}
	for _, at := range f.services {
		num(at) // few, and never alike
	}
	return string(sig)
}

func (b *batch) place(f *frame, n *node) int {
	for i, p := range f.places {
		if p == n {
			return i
		}
	}
	return -1
}
