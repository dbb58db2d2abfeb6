package updatecluster

// Where no request can go more than one way, neither can the step, but for the
// order of what does not matter. Submissions come in the order of their ranks.
// An application of rank n falls before the submission of n+1; it needs a
// complete cluster, and no request partial. What a Rollback completes can serve
// an application of another request; where the cluster is left incomplete in
// the end, the Rollbacks come before the last application.

// schedule is what is still ahead, in the order in which it is to be done.
type schedule struct {
	submit  map[int64]int   // by the rank that it gets
	start   map[int64][]int // by rank; the one that the cluster is left with is last
	starts  int             // how many there are
	partial []int           // to be completed, likewise
	failed  []int           // to be rolled back
}

// inOrder makes the sequence, or finds that there is none.
func (b *batch) inOrder() bool {
	s := schedule{submit: map[int64]int{}, start: map[int64][]int{}}
	for i := range b.items {
		it := &b.items[i]
		if it.now.status == Waiting && !it.isThere() {
			if _, twice := s.submit[it.new.n]; twice || !it.new.set {
				return b.stop(i)
			}
			s.submit[it.new.n] = i
		}
		if b.needsStart(it) {
			s.start[it.new.n] = b.behind(s.start[it.new.n], i)
			s.starts++
		}
	}
	for i := range b.items {
		if !b.local(&s, i) {
			return b.stop(i)
		}
	}
	for b.undone > 0 {
		mv, ok := b.next(&s)
		if !ok || !b.take(mv) || !b.local(&s, mv.item) {
			return b.stop(mv.item)
		}
	}
	return b.arrived()
}

// behind adds an item to the list, before the one that the cluster is to be
// left with.
func (b *batch) behind(list []int, i int) []int {
	list = append(list, i)
	if n := len(list); n > 1 && b.items[list[n-2]].id == b.wanted.cluster.request {
		list[n-2], list[n-1] = list[n-1], list[n-2]
	}
	return list
}

// stop notes the item that could not go on; -1: none in particular.
func (b *batch) stop(i int) bool {
	if i >= 0 {
		b.stuck = &b.items[i]
	}
	return false
}

// local takes the item as far as it gets without the cluster or a rank, and
// lists it for what it then waits for.
func (b *batch) local(s *schedule, i int) bool {
	it := &b.items[i]
	for !it.isThere() {
		mv := move{item: i, to: it.now, queue: it.queue, cluster: b.cluster, last: b.last}
		switch {
		case it.queue == in:
			mv.action, mv.to.status, mv.queue = processQueue, Processing, out
		case it.now.status == Submitted:
			mv.action, mv.to.status = initialcheck, Valid
			if it.new.status == Rejected {
				mv.to.status = Rejected
			}
		case it.now.status == Valid:
			mv.action, mv.queue = pushToQueue, in
		case it.now.status == Partial && it.new.status == Success:
			s.partial = b.behind(s.partial, i)
			return true
		case it.now.status == Partial:
			mv.action, mv.to.status = completeApply, PartialFailure
		case it.now.status == PartialFailure:
			s.failed = append(s.failed, i)
			return true
		default:
			return true
		}
		if !b.take(mv) {
			return false
		}
	}
	return true
}

// next is the action that must come next, or may as well. Its item is that
// which stands in the way where there is none.
func (b *batch) next(s *schedule) (move, bool) {
	if len(s.partial) > 0 {
		i := s.partial[0]
		s.partial = s.partial[1:]
		return b.moveTo(i, completeApply, Success), true
	}
	ready := s.start[b.last]
	if len(ready) > 0 {
		i := ready[0]
		last := s.starts == 1
		if len(s.failed) > 0 && (!b.cluster.complete || last && !b.wanted.cluster.complete) {
			return b.rollBack(s), true
		}
		s.start[b.last] = ready[1:]
		s.starts--
		to := Failure
		if b.conf == yes {
			to = Partial
		}
		return b.moveTo(i, startApply, to), true
	}
	if i, ok := s.submit[b.last+1]; ok {
		return b.moveTo(i, submit, Submitted), true
	}
	if len(s.failed) > 0 {
		return b.rollBack(s), true
	}
	for i := range b.items {
		if !b.items[i].isThere() {
			return move{item: i}, false
		}
	}
	return move{item: -1}, false
}

func (b *batch) rollBack(s *schedule) move {
	i := s.failed[0]
	s.failed = s.failed[1:]
	return b.moveTo(i, rollback, Rolledback)
}
