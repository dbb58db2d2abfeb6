package validators

import (
	"sync"
	"sync/atomic"

	"tracecheck/trace"
)

// manyEvents is the least size of a Push for several goroutines.
const manyEvents = 128

// maxBatches bounds how many batches a shard may be behind another. Streams are
// busy at different times, so shards need not wait for each other.
const maxBatches = 4

// batch is the events of one push.
type batch struct {
	events []trace.Event
	before int          // events before this batch
	shares [][]span     // by shard; a span has one stream
	left   atomic.Int32 // shards that have not finished
	done   func()
}

// span is a range of consecutive events.
type span struct{ from, to int }

// Push judges the next events, in order. It keeps no reference to them.
// ErrEnough and unusable input end the run. Result shows both.
func (r *Runner) Push(events []trace.Event) error { return r.PushBeside(events, func() {}) }

// PushBeside is Push that calls do, if possible while the events are judged. do must not
// change them.
func (r *Runner) PushBeside(events []trace.Event, do func()) error {
	r.wait.Wait()
	if len(events) < manyEvents || len(r.shards) == 1 {
		do()
		r.deal(&r.own, events)
		for i := range r.shards {
			if len(r.own.shares[i]) > 0 {
				r.shards[i].push(&r.own)
			}
		}
		r.own.events = nil
	} else {
		r.PushLater(events, func() {})
		do()
	}
	return r.Wait()
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
	var last *[]span
	for i := range events {
		ev := &events[i]
		if r.file == nil || ev.Pos.File != r.file.name {
			r.wait.Wait() // the shards read r.files
			r.file = r.enter(ev.Pos.File)
		}
		if isOfStep(ev) {
			r.file.lines++
		}
		if last != nil && ev.Stream == events[i-1].Stream {
			(*last)[len(*last)-1].to = i + 1
			continue
		}
		last = &b.shares[r.shardOf(ev.Stream).number]
		*last = append(*last, span{i, i + 1})
	}
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

// next returns nil if the queue is empty.
func (q *queue) next() *batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy = len(q.list) > 0; !q.busy {
		return nil
	}
	b := q.list[0]
	q.list = append(q.list[:0], q.list[1:]...)
	return b
}

// work judges the batches of the queue until it is empty.
func (sh *shard) work() {
	for b := sh.queue.next(); b != nil; b = sh.queue.next() {
		if len(b.shares[sh.number]) > 0 {
			sh.push(b)
		}
		if b.left.Add(-1) == 0 {
			b.done()
			b.events, b.done = nil, nil
			sh.run.batches <- b // has room
		}
		sh.run.wait.Done()
	}
}
