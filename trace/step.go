package trace

import (
	"fmt"
	"strings"
	"unsafe"
)

// Step is one atomic step of a stream: a line without tx, or the neighbouring
// lines of the stream with the same tx. The events live until Sink.Step
// returns.
type Step struct {
	Events []Event // at least one
}

// First and Last are the positions that bound the step.
func (s *Step) First() Pos { return s.Events[0].Pos }

// Last is the position of the step's last line.
func (s *Step) Last() Pos { return s.Events[len(s.Events)-1].Pos }

// OnGap says what to do about a jump in a stream's seq.
type OnGap uint8

// FailOnGap ends the stream with an Error. ResyncOnGap skips events until the
// stream's next snapshot, at which its state begins anew.
const (
	FailOnGap OnGap = iota
	ResyncOnGap
)

// Sink receives what a Sequencer makes of one stream's events. An error ends
// the push that led to it and is returned by it.
type Sink interface {
	Meta(*Event) error     // a meta line
	Lost()                 // a gap: what was known of the state no longer holds
	Snapshot(*Event) error // one line of a run of snapshots
	SnapshotsEnd() error   // the run is over
	Step(*Step) error
}

// Sequencer turns the events of one stream into steps: it follows seq, drops
// duplicates, finds gaps and gathers transactions. The zero value is ready.
type Sequencer struct {
	OnGap   OnGap
	Recover bool // a meta line counts also between a gap and the next snapshot

	Duplicates int // events skipped because their seq was seen before
	Gaps       int // jumps in seq that were resynchronised
	Skipped    int // events skipped between a gap and the next snapshot

	next      int64 // the seq that follows the last one; meaningful if numbered
	numbered  bool
	lost      bool // between a gap and the next snapshot
	lacking   bool // what is left of a run of snapshots of which lines are missing is none to go on from
	snapshots bool // in a run of snapshots
	pending   []Event
	owned     int   // how many of pending own their bytes
	own       store // of those
	step      Step  // reused, so that a step does not allocate
}

// Lost reports whether the stream waits for a snapshot after a gap.
func (q *Sequencer) Lost() bool { return q.lost }

// Pending reports whether a transaction is open.
func (q *Sequencer) Pending() bool { return len(q.pending) > 0 }

// PushRun takes the first of the stream's next events, or the whole transaction
// that they begin with, and returns how many it took. next is the event that
// follows them, nil where that is not known. What Push would copy, because the
// transaction may go on, PushRun judges where it lies.
func (q *Sequencer) PushRun(events []Event, next *Event, sink Sink) (taken int, err error) {
	n := q.whole(events, next)
	if n == 0 {
		return 1, q.Push(&events[0], sink)
	}
	if last := &events[n-1]; last.HasSeq {
		q.numbered, q.next = true, last.Seq+1
	}
	if q.snapshots {
		q.snapshots = false
		if err := sink.SnapshotsEnd(); err != nil {
			return n, err
		}
	}
	q.step.Events = events[:n:n]
	return n, sink.Step(&q.step)
}

// whole returns how many of the events are a transaction of which no line is
// missing, seen before or still to come; 0 where that is not sure.
func (q *Sequencer) whole(events []Event, next *Event) int {
	first := &events[0]
	if !first.Tx.IsSet() || first.Op == OpSnapshot || first.Kind == KindMeta || len(q.pending) > 0 || q.lost ||
		first.HasSeq && q.numbered && first.Seq != q.next {
		return 0
	}
	for n := 1; ; n++ {
		ev := next
		if n < len(events) {
			ev = &events[n]
		}
		if ev == nil || ev.HasSeq != first.HasSeq && ev.Op != OpSnapshot && ev.Kind != KindMeta ||
			ev.HasSeq && first.HasSeq && ev.Seq != first.Seq+int64(n) {
			return 0
		}
		if ev.Tx != first.Tx || ev.Op == OpSnapshot || ev.Kind == KindMeta {
			return n
		}
		if n == len(events) {
			return 0
		}
	}
}

// Push takes the stream's next event. The event may be kept past the call, its
// bytes too, until Own is called.
func (q *Sequencer) Push(ev *Event, sink Sink) error {
	if ev.HasSeq {
		switch {
		case !q.numbered || ev.Seq == q.next:
		case ev.Seq < q.next:
			q.Duplicates++
			return nil
		default:
			if err := q.gap(ev, sink); err != nil {
				return err
			}
		}
		q.numbered, q.next = true, ev.Seq+1
	}
	if q.lost {
		q.lacking = q.lacking && ev.Op == OpSnapshot
		switch {
		case q.Recover && ev.Kind == KindMeta:
			return sink.Meta(ev)
		case ev.Op != OpSnapshot || q.lacking:
			q.Skipped++
			return nil
		}
		q.lost = false
	}
	if len(q.pending) > 0 && (ev.Op == OpSnapshot || ev.Kind == KindMeta || ev.Tx != q.pending[0].Tx) {
		if err := q.flush(sink); err != nil {
			return err
		}
	}
	if ev.Op == OpSnapshot {
		q.snapshots = true
		return sink.Snapshot(ev)
	}
	if q.snapshots {
		q.snapshots = false
		if err := sink.SnapshotsEnd(); err != nil {
			return err
		}
	}
	switch {
	case ev.Kind == KindMeta:
		return sink.Meta(ev)
	case ev.Tx.IsSet():
		q.pending = append(q.pending, *ev)
		return nil
	}
	q.step.Events = unsafe.Slice(ev, 1)
	return sink.Step(&q.step)
}

// Lose says that events of the stream are missing, in a way that seq may not
// show: the open transaction is forgotten, and events are skipped until the
// next run of snapshots begins.
func (q *Sequencer) Lose(sink Sink) {
	q.lacking = q.lacking || q.snapshots
	q.forget()
	if !q.lost {
		q.lost = true
		sink.Lost()
	}
}

// Again takes an event for which Push has returned an error, when the stream is
// lost for it, if it is one to go on from.
func (q *Sequencer) Again(ev *Event, sink Sink) error {
	q.lacking = q.lacking && ev.Op == OpSnapshot
	switch {
	case ev.Kind == KindMeta:
		return sink.Meta(ev)
	case ev.Op == OpSnapshot && !q.lacking:
		q.lost, q.snapshots = false, true
		return sink.Snapshot(ev)
	}
	return nil
}

// Close ends the stream: the open transaction and run of snapshots are over.
func (q *Sequencer) Close(sink Sink) error {
	if len(q.pending) > 0 {
		return q.flush(sink)
	}
	if q.snapshots {
		q.snapshots = false
		return sink.SnapshotsEnd()
	}
	return nil
}

// Own copies what the open transaction still borrows, so that the bytes of the
// lines read so far may be reused.
func (q *Sequencer) Own() {
	for ; q.owned < len(q.pending); q.owned++ {
		q.own.keep(&q.pending[q.owned])
	}
}

func (q *Sequencer) flush(sink Sink) error {
	q.step.Events = q.pending
	if cap(q.pending) > max(keptEvents, 4*len(q.pending)) {
		q.pending = nil
	}
	q.pending, q.owned = q.pending[:0], 0
	err := sink.Step(&q.step)
	q.own.reset()
	return err
}

// keptEvents bounds the buffer that a stream keeps where transactions are small.
const keptEvents = 64

// gap forgets the open transaction: the missing events may have been part of
// it, and a step known only in part is never judged.
func (q *Sequencer) gap(ev *Event, sink Sink) error {
	q.forget()
	if q.OnGap == FailOnGap {
		last := q.next - 1
		q.next = ev.Seq + 1
		reason := fmt.Sprintf("gap in %s: seq %d follows %d", StreamName(ev.Stream), ev.Seq, last)
		if !q.Recover { // which goes on so by itself
			reason += "; recover the missing events, or go on from the next snapshot with --on-gap resync"
		}
		return &Error{Pos: ev.Pos, Stream: strings.Clone(ev.Stream), Reason: reason}
	}
	q.Gaps++
	if !q.lost {
		q.lost = true
		sink.Lost()
	}
	return nil
}

func (q *Sequencer) forget() {
	q.pending, q.owned, q.snapshots = q.pending[:0], 0, false
	q.own.reset()
}

// StreamName names a stream in a sentence.
func StreamName(stream string) string {
	if stream == "" {
		return "the default stream"
	}
	return fmt.Sprintf("stream %q", stream)
}
