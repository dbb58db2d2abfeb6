package alert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"go.uber.org/zap"
)

// Stats is the state of a receiver.
type Stats struct {
	Name      string
	Pending   int       // alerts that it does not have yet
	Oldest    time.Time // when the first of them was found; zero: none
	Delivered int64
	Refused   int64  // alerts that it never accepts; they are in the log
	Failures  int64  // failed attempts
	LastError string // without secrets; "": the last attempt succeeded
}

// line is the queue of one receiver. The Queue's mutex guards it.
type line struct {
	to    Receiver
	name  string
	queue []*entry
	had   ids
	fails bool          // the last attempt failed
	stats Stats         // without what the queue counts
	wake  chan struct{} // has a value when there is something new
}

func newLine(to Receiver, remember int) *line {
	return &line{to: to, name: to.Name(), had: ids{limit: remember}, stats: Stats{Name: to.Name()}, wake: make(chan struct{}, 1)}
}

func (l *line) wakeUp() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run delivers until ctx ends, or until the Queue is closed and empty.
func (q *Queue) run(ctx context.Context, l *line) {
	closing := q.closing
	failed := 0 // consecutive failures
	for ctx.Err() == nil {
		batch, last := q.batch(l)
		if len(batch) == 0 {
			if last {
				return
			}
			select {
			case <-l.wake:
			case <-q.closing:
			case <-ctx.Done():
			}
			continue
		}
		alerts := make([]Alert, len(batch))
		for i, e := range batch {
			alerts[i] = e.alert
		}
		err := l.to.Deliver(ctx, alerts)
		if err != nil && ctx.Err() != nil {
			return
		}
		if q.settle(l, batch, err) {
			failed = 0
			continue
		}
		select {
		case <-time.After(q.pause(failed, err)):
		case <-closing:
			closing = nil // try once at once, then as usual
		case <-ctx.Done():
		}
		failed++
	}
}

// batch returns the next alerts to deliver. last reports that no more will come.
func (q *Queue) batch(l *line) (list []*entry, last bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	bytes := 0
	for _, e := range l.queue {
		bytes += e.size
		if len(list) > 0 && (len(list) == q.opts.MaxBatch || bytes > q.opts.BatchBytes) {
			break
		}
		list = append(list, e)
	}
	return list, q.closed
}

// settle removes delivered and refused alerts from the queue. It reports
// whether the whole batch is done.
func (q *Queue) settle(l *line, batch []*entry, err error) bool {
	refused, _ := errors.AsType[*RefusedError](err)
	log := q.opts.Log.With(zap.String("receiver", l.name))
	q.mu.Lock()
	defer q.mu.Unlock()
	before, failed := l.stats.LastError, l.fails
	l.stats.LastError, l.fails = "", err != nil && refused == nil
	if err != nil {
		l.stats.LastError = err.Error()
	}
	if l.fails {
		l.stats.Failures++
		if before != l.stats.LastError {
			log.Warn("cannot deliver alerts; retrying until they are delivered", zap.Int("pending", len(l.queue)), zap.String("error", l.stats.LastError))
		}
		return false
	}
	if failed {
		log.Info("alerts are delivered again")
	}
	l.stats.Delivered += int64(len(batch))
	if refused != nil {
		l.stats.Delivered -= int64(len(refused.Refusals))
		l.stats.Refused += int64(len(refused.Refusals))
		for _, r := range refused.Refusals {
			log.Error("the receiver refuses this alert", zap.String("reason", r.Reason), zap.Any("alert", json.RawMessage(encode(&batch[r.Index].alert))))
		}
	}
	for _, e := range batch {
		l.had.add(e.alert.ID)
		if len(l.queue) > 0 && l.queue[0] == e {
			q.delivered(e)
			l.queue[0] = nil
			l.queue = l.queue[1:]
			continue
		}
		// Its part was dropped meanwhile, and may have come back with it.
		q.remove(l, func(o *entry) bool { return o.alert.ID == e.alert.ID })
	}
	return true
}

// remove removes alerts from one receiver's queue.
func (q *Queue) remove(l *line, which func(*entry) bool) {
	l.queue = slices.DeleteFunc(l.queue, func(e *entry) bool {
		if which(e) {
			q.delivered(e)
			return true
		}
		return false
	})
}

// pause is the time before the next attempt, with jitter: many monitors must
// not retry at the same time.
func (q *Queue) pause(failed int, err error) time.Duration {
	d := min(q.opts.RetryMin, q.opts.RetryMax)
	for i := 0; i < failed && d < q.opts.RetryMax; i++ {
		d = min(2*d, q.opts.RetryMax)
	}
	d = d/2 + rand.N(d/2+1)
	if later, ok := errors.AsType[*LaterError](err); ok {
		d = max(d, min(later.After, mostLater))
	}
	return d
}

// mostLater bounds the time that a receiver may ask for.
const mostLater = time.Hour

// closeAll closes the receivers.
func (q *Queue) closeAll() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []error
	for _, l := range q.lines {
		if n := len(l.queue); n > 0 {
			all = append(all, fmt.Errorf("%s has not received %d alerts", l.name, n))
		}
		if l.to != nil {
			if err := l.to.Close(); err != nil {
				all = append(all, fmt.Errorf("cannot close %s: %w", l.name, err))
			}
			l.to = nil
		}
	}
	return errors.Join(all...)
}
