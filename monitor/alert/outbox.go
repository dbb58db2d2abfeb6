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

// Options are the settings of a Queue. The zero value is valid.
type Options struct {
	MaxPending int           // alerts; 0: 10,000. One event may exceed it
	MaxBytes   int           // likewise, bytes of memory, estimated; 0: 64 MiB
	MaxBatch   int           // alerts in one delivery; 0: 100
	BatchBytes int           // likewise, bytes, estimated, but at least one alert; 0: 1 MiB
	Remember   int           // latest ids per receiver, to skip duplicates; 0: 100,000; less: none
	RetryMin   time.Duration // before the first retry, doubled for each further one; 0: 100 ms
	RetryMax   time.Duration // the longest time between retries; 0: 1 minute
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

// Queue is an Outbox. Its methods may be called from several goroutines.
type Queue struct {
	opts    Options
	lines   []*line
	closing chan struct{} // closed by Close
	stop    context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	queued   map[string]*entry // alerts that some receiver does not have yet, by id
	bytes    int               // of queued
	reserved int               // events that have reserved room
	next     uint64            // number of the next entry
	room     chan struct{}     // closed and replaced when there may be room
	closed   bool
}

// Each event reserves room for so many alerts of so many bytes. If there is
// less room, one event alone is judged.
const (
	perEvent = 8
	perAlert = 8 << 10
)

var _ Outbox = (*Queue)(nil)

// entry is an alert that some receivers do not have yet.
type entry struct {
	alert Alert
	part  string
	nth   uint64 // order of arrival
	size  int
	lack  int // receivers that do not have it
}

// NewOutbox starts to deliver to the receivers. Close closes them. Their names
// must differ.
func NewOutbox(receivers []Receiver, opts Options) (*Queue, error) {
	opts.defaults()
	q := &Queue{opts: opts, closing: make(chan struct{}), queued: map[string]*entry{}, room: make(chan struct{})}
	for i, r := range receivers {
		if slices.ContainsFunc(receivers[:i], func(o Receiver) bool { return o.Name() == r.Name() }) {
			return nil, fmt.Errorf("two receivers of alerts have the name %q: rename one of them", r.Name())
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

// Reserve implements Outbox. One call gets at most half of the room, since
// others judge at the same time. A closed Queue has no room.
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

// Add implements Outbox. It skips an alert if one with its id is queued, or was delivered
// lately.
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

// Pending implements Outbox. It may be called after Close.
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

// Restore implements Outbox. It does not wait: a checkpoint holds no more than
// was pending. Alerts for unknown receivers are dropped.
func (q *Queue) Restore(part string, pending []Pending) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range pending {
		names := pending[i].For
		if slices.ContainsFunc(names, q.lacks) {
			names = nil // written by another process or configuration: send it to all receivers
		}
		a := pending[i].Alert
		if a.Found = a.Found.UTC(); a.Found.Year() < 0 || a.Found.Year() > 9999 {
			a.Found = time.Time{} // JSON could not encode it in the next checkpoint
		}
		q.put(part, &a, names)
	}
}

// lacks reports whether there is no receiver of the name.
func (q *Queue) lacks(name string) bool {
	return !slices.ContainsFunc(q.lines, func(l *line) bool { return l.name == name })
}

// put queues an alert for the named receivers, or for all if names is nil.
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

// delivered records that one more receiver has the alert.
func (q *Queue) delivered(e *entry) {
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

// Drop implements Outbox. A delivery in progress may still succeed.
func (q *Queue) Drop(part string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lines {
		q.remove(l, func(e *entry) bool { return e.part == part })
	}
}

// Withdraw implements Outbox. A delivery in progress may still succeed.
func (q *Queue) Withdraw(part string, which func(*Alert) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lines {
		q.remove(l, func(e *entry) bool { return e.part == part && which(&e.alert) })
	}
}

// Stats returns the state of each receiver.
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

// Close delivers pending alerts until ctx ends, and closes the receivers. Its
// error names the undelivered alerts. Pending still returns them, so write the last
// checkpoint after Close.
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
