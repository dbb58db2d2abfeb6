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
		if it.Now.Status == Waiting && !it.isThere() {
			if _, twice := s.submit[it.New.Rank.Value]; twice || !it.New.Rank.Set {
				return b.stop(i)
			}
			s.submit[it.New.Rank.Value] = i
		}
		if b.needsStart(it) {
			s.start[it.New.Rank.Value] = b.behind(s.start[it.New.Rank.Value], i)
			s.starts++
		}
	}
	for i := range b.items {
		if !b.local(&s, i) {
			return b.stop(i)
		}
	}
	for {
		i, ok := b.next(&s)
		switch {
		case i < 0:
			return b.arrived()
		case !ok || !b.local(&s, i):
			return b.stop(i)
		}
	}
}

// behind adds an item to the list, before the one that the cluster is to be
// left with.
func (b *batch) behind(list []int, i int) []int {
	list = append(list, i)
	if n := len(list); n > 1 && b.items[list[n-2]].ID == b.wanted.Req.Value {
		list[n-2], list[n-1] = list[n-1], list[n-2]
	}
	return list
}

// stop notes the item that could not continue.
func (b *batch) stop(i int) bool {
	b.Stuck(b.items[i].Line, what(b.s, b.items[i].change))
	return false
}

// local takes the item as far as it gets without the cluster or a rank, and
// lists it for what it then waits for.
func (b *batch) local(s *schedule, i int) bool {
	it := &b.items[i]
	for !it.isThere() {
		done := false
		switch {
		case it.Now.Queue == in:
			done = b.take(i, processQueue, witness{})
		case it.Now.Status == Submitted:
			done = b.take(i, initialcheck, witness{ok: it.New.Status != Rejected})
		case it.Now.Status == Valid:
			done = b.take(i, pushToQueue, witness{})
		case it.Now.Status == Partial && it.New.Status == Success:
			s.partial = b.behind(s.partial, i)
			return true
		case it.Now.Status == Partial:
			done = b.take(i, completeApply, witness{})
		case it.Now.Status == PartialFailure:
			s.failed = append(s.failed, i)
			return true
		default:
			return true
		}
		if !done {
			return false
		}
	}
	return true
}

// next takes the action that must come next, or may as well. The item is the one
// that blocks the way where there is none; -1: all are there.
func (b *batch) next(s *schedule) (i int, ok bool) {
	if len(s.partial) > 0 {
		i, s.partial = s.partial[0], s.partial[1:]
		return i, b.take(i, completeApply, witness{ok: true})
	}
	now := b.s.now()
	if ready := s.start[now.Last]; len(ready) > 0 {
		last := s.starts == 1
		if len(s.failed) > 0 && (!now.Complete || last && !b.wanted.Complete) {
			return b.rollBack(s)
		}
		i, s.start[now.Last] = ready[0], ready[1:]
		s.starts--
		return i, b.take(i, startApply, witness{})
	}
	if i, ok := s.submit[now.Last+1]; ok {
		return i, b.take(i, submit, witness{})
	}
	if len(s.failed) > 0 {
		return b.rollBack(s)
	}
	for i := range b.items {
		if !b.items[i].isThere() {
			return i, false
		}
	}
	return -1, false
}

func (b *batch) rollBack(s *schedule) (i int, ok bool) {
	i, s.failed = s.failed[0], s.failed[1:]
	return i, b.take(i, rollback, witness{})
}
