package trace

import (
	"fmt"
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
// stream's next snapshot, at which its state begins again.
const (
	FailOnGap OnGap = iota
	ResyncOnGap
)

// Sink receives what a Sequencer makes of one stream's events. An error ends
// the push that led to it and is returned by it.
type Sink interface {
	Meta(*Event) error     // a meta line; behind the first, of a stream that goes on
	Begin() error          // what came so far was a recording of its own: another one begins
	Lost(why *Error)       // events are missing: what was known of the state no longer holds. nil: Lose was called
	Snapshot(*Event) error // one line of a run of snapshots
	SnapshotsEnd() error   // the run is over
	Step(*Step) error
}

// Sequencer turns the events of one stream into steps: it follows seq, drops
// duplicates, finds gaps, tells recordings apart and gathers transactions. The
// zero value is ready.
type Sequencer struct {
	OnGap   OnGap
	Recover bool // after an error the caller goes on, by Lose and Again

	numbered  bool // there is a last seq
	begun     bool // an event was taken
	lost      bool // between a gap and the next snapshot
	lacking   bool // what is left of a run of snapshots of which lines are missing is none to go on from
	snapshots bool // in a run of snapshots

	Remember int // how many of the last numbered lines a duplicate is compared with; 0 is DefaultRemember

	// Room is shared by the Sequencers of one goroutine; nil: this one has its own.
	Room *Room

	Duplicates int // events skipped because the stream has said the same under their seq
	Gaps       int // jumps in seq that were resynchronised
	Skipped    int // events skipped between a gap and the next snapshot, and late ones of a gap

	// Another is the first line that seemed to be of another recording or writer
	// and was resynchronised; nil: there was none.
	Another *Error

	last     int64  // seq; meaningful if numbered
	settings uint64 // of the last meta line; 0: none
	memory   memory
	turn     *turn        // a meta line of which the next number decides; nil: none
	open     *transaction // nil: none is
}

// Room is where steps are put together. What a transaction took is used again by
// the next one, of any stream. The zero value is ready.
type Room struct {
	step  Step // reused, so that a step does not allocate
	spare []*transaction
}

// transaction is the lines of one that may go on.
type transaction struct {
	events []Event // at least one
	owned  int     // how many of them own their bytes
	own    store   // of those
}

// mostSpare bounds what a Room keeps.
const mostSpare = 16

// room is the Room, made where there is none.
func (q *Sequencer) room() *Room {
	if q.Room == nil {
		q.Room = &Room{}
	}
	return q.Room
}

// begin opens a transaction.
func (r *Room) begin() *transaction {
	last := len(r.spare) - 1
	if last < 0 {
		return &transaction{}
	}
	t := r.spare[last]
	r.spare = r.spare[:last]
	return t
}

// end takes back what the transaction had, which dies.
func (r *Room) end(t *transaction) {
	if t == nil || len(r.spare) == mostSpare {
		return
	}
	if cap(t.events) > max(keptEvents, 4*len(t.events)) {
		t.events = nil
	}
	t.events, t.owned = t.events[:0], 0
	t.own.reset()
	r.spare = append(r.spare, t)
}

// Lost reports whether the stream waits for a snapshot after a gap.
func (q *Sequencer) Lost() bool { return q.lost }

// Pending reports whether a transaction is open.
func (q *Sequencer) Pending() bool { return q.open != nil }

// PushRun takes the first of the stream's next events, or the whole transaction
// that they begin with, and returns how many it took. next is the event that
// follows them, nil where that is not known. What Push would copy, because the
// transaction may go on, PushRun judges where it lies.
func (q *Sequencer) PushRun(events []Event, next *Event, sink Sink) (taken int, err error) {
	n := q.whole(events, next)
	if n == 0 {
		return 1, q.Push(&events[0], sink)
	}
	q.begun = true
	if events[0].HasSeq {
		for i := range events[:n] {
			q.note(&events[i])
		}
	}
	if q.snapshots {
		q.snapshots = false
		if err := sink.SnapshotsEnd(); err != nil {
			return n, err
		}
	}
	step := &q.room().step
	step.Events = events[:n:n]
	return n, sink.Step(step)
}

// whole returns how many of the events are a transaction of which no line is
// missing, seen before or still to come; 0 where that is not sure.
func (q *Sequencer) whole(events []Event, next *Event) int {
	first := &events[0]
	if !first.Tx.IsSet() || first.Op == OpSnapshot || first.Kind == KindMeta || q.open != nil || q.lost || q.turn != nil ||
		first.HasSeq && q.numbered && !q.follows(first) {
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
	if ev.Kind == KindMeta && q.begun {
		return q.meta(ev, sink)
	}
	q.begun = true
	if q.turn != nil {
		if ev.Op == OpSnapshot && !ev.HasSeq {
			q.turn.hold(ev)
			return nil
		}
		if q.begins(ev) {
			if err := q.begin(sink); err != nil {
				return err
			}
		}
		q.turn.decided = true
	}
	skip, err := q.number(ev, sink)
	if err == nil && q.turn != nil {
		err = q.goOn(sink)
	}
	if skip || err != nil {
		return err
	}
	return q.take(ev, sink)
}

// take takes an event in its turn.
func (q *Sequencer) take(ev *Event, sink Sink) error {
	if q.lost {
		q.lacking = q.lacking && ev.Op == OpSnapshot
		switch {
		case ev.Kind == KindMeta:
			return q.set(ev, sink)
		case ev.Op != OpSnapshot || q.lacking:
			q.Skipped++
			return nil
		}
		q.lost = false
	}
	if q.open != nil && (ev.Op == OpSnapshot || ev.Kind == KindMeta || ev.Tx != q.open.events[0].Tx) {
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
		return q.set(ev, sink)
	case ev.Tx.IsSet():
		if q.open == nil {
			q.open = q.room().begin()
		}
		q.open.events = append(q.open.events, *ev)
		return nil
	}
	step := &q.room().step
	step.Events = unsafe.Slice(ev, 1)
	return sink.Step(step)
}

// Lose says that events of the stream are missing, in a way that seq may not
// show: the open transaction is forgotten, and events are skipped until the
// next run of snapshots begins.
func (q *Sequencer) Lose(sink Sink) {
	q.lacking = q.lacking || q.snapshots
	if q.turn != nil && !q.turn.decided {
		q.turn.lose()
	}
	q.lose(nil, sink)
}

func (q *Sequencer) lose(why *Error, sink Sink) {
	q.forget()
	if !q.lost {
		q.lost = true
		sink.Lost(why)
	}
}

// Again takes an event for which Push has returned an error, when the stream is
// lost for it, if it is one to go on from.
func (q *Sequencer) Again(ev *Event, sink Sink) error {
	if q.turn != nil {
		if err := q.goOn(sink); err != nil {
			return err
		}
		return q.take(ev, sink)
	}
	q.lacking = q.lacking && ev.Op == OpSnapshot
	switch {
	case ev.Kind == KindMeta && !(ev.HasSeq && q.numbered && q.last == ev.Seq):
		return q.meta(ev, sink) // it was not reached
	case ev.Kind == KindMeta:
		return q.set(ev, sink)
	case ev.Op == OpSnapshot && !q.lacking:
		q.lost, q.snapshots = false, true
		return sink.Snapshot(ev)
	}
	q.Skipped++
	return nil
}

// Close ends the stream: the open transaction and run of snapshots are over.
func (q *Sequencer) Close(sink Sink) error {
	if q.turn != nil {
		if err := q.Decide(nil, sink); err != nil {
			return err
		}
	}
	return q.Flush(sink)
}

// Flush says that the open transaction and run of snapshots are over.
func (q *Sequencer) Flush(sink Sink) error {
	if q.open != nil {
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
	if t := q.open; t != nil {
		for ; t.owned < len(t.events); t.owned++ {
			t.own.keep(&t.events[t.owned])
		}
	}
}

func (q *Sequencer) flush(sink Sink) error {
	t, room := q.open, q.room()
	q.open = nil
	room.step.Events = t.events
	err := sink.Step(&room.step)
	room.end(t)
	return err
}

// keptEvents bounds the buffer that is kept where transactions are small.
const keptEvents = 64

func (q *Sequencer) forget() {
	q.room().end(q.open)
	q.open, q.snapshots = nil, false
}

// StreamName names a stream in a sentence.
func StreamName(stream string) string {
	if stream == "" {
		return "the default stream"
	}
	return fmt.Sprintf("stream %q", stream)
}
