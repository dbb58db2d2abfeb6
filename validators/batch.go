package validators

import (
	"slices"
	"sync"
	"sync/atomic"

	"tracecheck/trace"
)

// manyEvents is the least size of a Push for several goroutines.
const manyEvents = 128

// leastBatches may wait to be judged. Streams are busy at different times, so shards need
// not wait for each other.
const leastBatches = 4

// With many streams, more batches may wait, to be judged together: one more for
// streamsPerBatch, up to maxBatches.
const (
	maxBatches      = 16
	streamsPerBatch = 128
	batchObjects    = 3000 // the memory of a batch's events, in that of an object
)

// batch is the events of one push.
type batch struct {
	events []trace.Event
	before int          // events before this batch
	shares [][]span     // by shard; a span has one stream
	left   atomic.Int32 // shards that have not finished
	done   func()
}

// span is some consecutive events of one stream.
type span struct {
	events []trace.Event
	first  int // the number of the first of them, from 1
}

// Push judges the next events, in order. It keeps no reference to them.
// ErrEnough and unusable input end the run. Result shows both.
func (r *Runner) Push(events []trace.Event) error {
	r.wait.Wait()
	r.deal(r.own, events)
	shares := 0
	for _, share := range r.own.shares {
		shares += min(len(share), 1)
	}
	for i := range r.shards {
		switch sh := &r.shards[i]; {
		case len(r.own.shares[i]) == 0:
		case shares == 1, len(events) < manyEvents:
			sh.push(r.own) // here: this processor's caches have seen the events
		default:
			r.wait.Go(func() { sh.push(r.own) })
		}
	}
	err := r.Wait()
	r.own.events = nil
	return err
}

// PushLater is Push that may return before the events are judged, if there are
// several shards. done is called once, from any goroutine, when the events are
// no longer needed. Call Wait before any method other than these two.
func (r *Runner) PushLater(events []trace.Event, done func()) error {
	if len(r.shards) == 1 {
		defer done()
		return r.Push(events)
	}
	b := <-r.batches
	r.deal(b, events)
	b.done = done
	b.left.Store(int32(len(r.shards)))
	for i := range r.shards {
		r.wait.Add(1)
		r.shards[i].enqueue(b)
	}
	return nil
}

// Wait returns when all pushed events are judged. Its error is the one that
// ended the run, if any.
func (r *Runner) Wait() error {
	r.wait.Wait()
	for i := range r.shards {
		sh := &r.shards[i]
		if r.isBefore(sh.unfit, r.unfit) {
			r.unfit = sh.unfit
		}
		if sh.err != nil { // there is only one shard
			r.events = sh.now
			return sh.err
		}
	}
	return nil
}

// deal assigns the events to the shards. A stream has one shard.
func (r *Runner) deal(b *batch, events []trace.Event) {
	b.events, b.before = events, r.events
	r.events += len(events)
	for i := range b.shares {
		b.shares[i] = b.shares[i][:0]
	}
	from := 0
	for i := range events {
		ev := &events[i]
		if r.file == nil || ev.Pos.File != r.file.name {
			r.wait.Wait() // the shards read r.files
			r.file = r.enter(ev.Pos.File)
		}
		if isOfStep(ev) {
			r.file.lines++
		}
		if ev.Stream != events[from].Stream {
			r.assign(b, from, i)
			from = i
		}
	}
	if len(events) > 0 {
		r.assign(b, from, len(events))
	}
}

// assign assigns the events of one stream to its shard.
func (r *Runner) assign(b *batch, from, to int) {
	own := &b.shares[r.shardOf(b.events[from].Stream).number]
	*own = append(*own, span{b.events[from:to], b.before + from + 1})
}

// queue has the batches that a shard must judge.
type queue struct {
	mu   sync.Mutex
	list []*batch
	busy bool // a goroutine judges it
}

func (sh *shard) enqueue(b *batch) {
	q := &sh.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = append(q.list, b)
	if !q.busy {
		q.busy = true
		go sh.work()
	}
}

// take moves the first batches of the queue to the list, at most so many.
func (q *queue) take(list []*batch, most int) []*batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.list), most)
	q.busy = n > 0
	list = append(list[:0], q.list[:n]...)
	q.list = slices.Delete(q.list, 0, n)
	return list
}

// work judges the batches of the queue until it is empty. It judges as many together as
// widen has added, and one: the caches then hold a stream for more of its events.
func (sh *shard) work() {
	var list []*batch
	for list = sh.queue.take(list, 1); len(list) > 0; list = sh.queue.take(list, 1+sh.wider) {
		sh.push(list...)
		sh.widen() // before another goroutine may judge the shard's streams
		for _, b := range list {
			if b.left.Add(-1) == 0 {
				b.done()
				b.events, b.done = nil, nil
				sh.run.batches <- b // has room
			}
			sh.run.wait.Done()
		}
	}
}

// widen lets more batches wait, if the shard has got many streams.
func (sh *shard) widen() {
	most := (maxBatches - leastBatches) / len(sh.run.shards)
	for ; sh.wider < min(len(sh.streams)/streamsPerBatch, most); sh.wider++ {
		sh.run.batches <- sh.run.newBatch() // has room
		sh.objects.Add(batchObjects)
	}
}

func (r *Runner) newBatch() *batch { return &batch{shares: make([][]span, len(r.shards))} }
