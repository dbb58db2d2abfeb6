package alert

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
)

// Options are of a Queue. The zero value is fine.
type Options struct {
	MaxPending int           // alerts; 0: 10,000. No more come to be pending, but for what one event makes of them
	MaxBytes   int           // likewise, about so many bytes of them in memory; 0: 64 MiB
	MaxBatch   int           // alerts delivered at once; 0: 100
	BatchBytes int           // likewise, about so many bytes, or a single alert; 0: 1 MiB
	Remember   int           // ids that each receiver has had lately, so as not to get them twice; 0: 100,000; less: none
	RetryMin   time.Duration // before the first retry; doubled for each more; 0: 100 ms
	RetryMax   time.Duration // between later ones; 0: 1 minute
	Log        *zap.Logger
}

func (o *Options) defaults() {
	o.MaxPending = cmp.Or(o.MaxPending, 10_000)
	o.MaxBytes = cmp.Or(o.MaxBytes, 64<<20)
	o.MaxBatch = cmp.Or(o.MaxBatch, 100)
	o.BatchBytes = cmp.Or(o.BatchBytes, 1<<20)
	o.Remember = cmp.Or(o.Remember, 100_000)
	o.RetryMin = cmp.Or(o.RetryMin, 100*time.Millisecond)
	o.RetryMax = cmp.Or(o.RetryMax, time.Minute)
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
}

// Queue is the Outbox. Its methods may be called from several goroutines.
type Queue struct {
	opts    Options
	lines   []*line
	closing chan struct{} // closed by Close
	stop    context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	queued   map[string]*entry // what some receiver lacks, by id
	bytes    int               // of them
	reserved int               // events for whose alerts room is set aside
	next     uint64            // the number of the next entry
	room     chan struct{}     // closed, and replaced, when there may be room for more
	closed   bool
}

// For each event that is judged room for so many alerts is set aside, of about so
// many bytes each. Where there is room for fewer, one event alone is judged.
const (
	perEvent = 8
	perAlert = 8 << 10
)

var _ Outbox = (*Queue)(nil)

// entry is an alert that some receivers do not have yet.
type entry struct {
	alert Alert
	part  string
	nth   uint64 // in the order of arrival
	size  int
	lack  int // how many receivers
}

// NewOutbox starts to deliver to the receivers, which are its own from then on:
// Close closes them. Their names must differ.
func NewOutbox(receivers []Receiver, opts Options) (*Queue, error) {
	opts.defaults()
	q := &Queue{opts: opts, closing: make(chan struct{}), queued: map[string]*entry{}, room: make(chan struct{})}
	for i, r := range receivers {
		if slices.ContainsFunc(receivers[:i], func(o Receiver) bool { return o.Name() == r.Name() }) {
			return nil, fmt.Errorf("two receivers of alerts have the name %q: give one of them another", r.Name())
		}
		q.lines = append(q.lines, newLine(r, opts.Remember))
	}
	ctx, stop := context.WithCancel(context.Background())
	q.stop = stop
	for _, l := range q.lines {
		q.running.Go(func() { q.run(ctx, l) })
	}
	return q, nil
}

// Reserve is that of Outbox. No more than half of the room is given to one who
// asks: others judge at the same time. Once the Queue is closed, there is none.
func (q *Queue) Reserve(events int) (n int, more <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	alerts := q.opts.MaxPending - len(q.queued) - q.reserved*perEvent
	bytes := q.opts.MaxBytes - q.bytes - q.reserved*perEvent*perAlert
	fit := min(alerts, bytes/perAlert) / perEvent
	switch {
	case q.closed:
	case fit > 0:
		n = min(events, max(1, fit/2))
	case q.reserved == 0 && alerts > 0 && bytes > 0:
		n = min(events, 1)
	}
	q.reserved += n
	return n, q.room
}

// Add is that of Outbox. An alert whose id is still queued is in it once, and who
// has had the id lately does not get it again.
func (q *Queue) Add(part string, alerts []Alert, events int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range alerts {
		q.put(part, &alerts[i], nil)
	}
	if q.reserved -= events; events > 0 {
		q.makeRoom()
	}
}

// Pending is that of Outbox. It can still be called after Close.
func (q *Queue) Pending(part string) []Pending {
	q.mu.Lock()
	defer q.mu.Unlock()
	lacking := map[*entry][]string{}
	for _, l := range q.lines {
		for _, e := range l.queue {
			if e.part == part {
				lacking[e] = append(lacking[e], l.name)
			}
		}
	}
	var list []*entry
	for e := range lacking {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *entry) int { return cmp.Compare(a.nth, b.nth) })
	pending := make([]Pending, len(list))
	for i, e := range list {
		pending[i] = Pending{Alert: e.alert, For: lacking[e]}
	}
	return pending
}

// Restore is that of Outbox. It does not wait: a checkpoint holds no more than
// was pending. Receivers that are no more do not get theirs.
func (q *Queue) Restore(part string, pending []Pending) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range pending {
		names := pending[i].For
		if slices.ContainsFunc(names, q.lacks) {
			names = nil // those of another process, or of another configuration: all of ours stand in
		}
		a := pending[i].Alert
		if a.Found = a.Found.UTC(); a.Found.Year() < 0 || a.Found.Year() > 9999 {
			a.Found = time.Time{} // JSON could not hold it in the next checkpoint
		}
		q.put(part, &a, names)
	}
}

// lacks reports whether there is no receiver of the name.
func (q *Queue) lacks(name string) bool {
	return !slices.ContainsFunc(q.lines, func(l *line) bool { return l.name == name })
}

// put queues an alert for those named, or for all where names is nil.
func (q *Queue) put(part string, a *Alert, names []string) {
	if q.queued[a.ID] != nil {
		return
	}
	e := &entry{alert: *a, part: part, nth: q.next, size: size(a)}
	q.next++
	for _, l := range q.lines {
		if (names == nil || slices.Contains(names, l.name)) && !l.had.has(a.ID) {
			l.queue = append(l.queue, e)
			l.wakeUp()
			e.lack++
		}
	}
	if e.lack > 0 {
		q.queued[a.ID] = e
		q.bytes += e.size
	}
}

// dealtWith says that one receiver less lacks the alert.
func (q *Queue) dealtWith(e *entry) {
	if e.lack--; e.lack == 0 {
		delete(q.queued, e.alert.ID)
		q.bytes -= e.size
		q.makeRoom()
	}
}

func (q *Queue) makeRoom() {
	close(q.room)
	q.room = make(chan struct{})
}

// Drop is that of Outbox. What is under way may still arrive.
func (q *Queue) Drop(part string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lines {
		q.remove(l, func(e *entry) bool { return e.part == part })
	}
}

// Stats returns how each receiver does.
func (q *Queue) Stats() []Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := make([]Stats, len(q.lines))
	for i, l := range q.lines {
		list[i] = l.stats
		list[i].Pending = len(l.queue)
		if len(l.queue) > 0 {
			list[i].Oldest = l.queue[0].alert.Found
		}
	}
	return list
}

// Close takes no more alerts, tries to deliver those that are pending until ctx
// ends, and closes the receivers. Its error says what was left: Pending still
// has it, so a last checkpoint is best made after Close.
func (q *Queue) Close(ctx context.Context) error {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.closing)
		q.makeRoom()
	}
	q.mu.Unlock()
	stopped := context.AfterFunc(ctx, q.stop)
	q.running.Wait()
	stopped()
	q.stop()
	return q.closeAll()
}
