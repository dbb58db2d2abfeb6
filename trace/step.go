package trace

import (
	"fmt"
	"unsafe"
)

// Step is one atomic step of a stream: a line without tx, or neighbouring lines
// of the stream with the same tx. The events are valid until Sink.Step returns.
type Step struct {
	Events []Event // at least one
}

// First is the position of the step's first line.
func (s *Step) First() Pos { return s.Events[0].Pos }

// Last is the position of the step's last line.
func (s *Step) Last() Pos { return s.Events[len(s.Events)-1].Pos }

// OnGap sets what happens at a jump in a stream's seq.
type OnGap uint8

// FailOnGap ends the stream with an Error. ResyncOnGap skips events until the
// stream's next snapshot, where its state begins again.
const (
	FailOnGap OnGap = iota
	ResyncOnGap
)

// Sink receives the steps and other parts of one stream. An error ends the push
// that caused it, which returns it.
type Sink interface {
	Meta(*Event) error     // a meta line; after the first, the stream continues
	Begin() error          // the recording ended, and another one begins
	Lost(why *Error)       // events are missing: the state is unknown. nil: Lose was called
	Snapshot(*Event) error // one line of a run of snapshots
	SnapshotsEnd() error   // the run ended
	Step(*Step) error
}

// Sequencer turns the events of one stream into steps. It checks seq, drops
// duplicates, finds gaps, separates recordings and collects transactions. The
// zero value is ready.
type Sequencer struct {
	OnGap   OnGap
	Recover bool // the caller continues after errors, with Lose and Again

	numbered  bool // there is a last seq
	begun     bool // an event was taken
	lost      bool // between a gap and the next snapshot
	lacking   bool // the current run of snapshots lacks lines: wait for the next run
	snapshots bool // in a run of snapshots

	Remember int // last numbered lines that a duplicate is compared with; 0 is DefaultRemember

	// Room is shared by the Sequencers of one goroutine; nil: a Room of its
	// own.
	Room *Room

	Duplicates int // events skipped since their seq was read already
	Gaps       int // jumps in seq after which judging resumed
	Skipped    int // events skipped between a gap and the next snapshot, late events of a gap, and those of the transaction that it leaves open

	// Another is the first line that seemed to belong to another recording or
	// writer, after which judging resumed; nil: none.
	Another *Error

	last     int64  // seq; meaningful if numbered
	settings uint64 // of the last meta line; 0: none
	memory   memory
	turn     *turn        // a meta line that the next number decides about; nil: none
	open     *transaction // nil: none is
}

// Room is memory for building steps. Transactions of all its streams reuse it.
// The zero value is ready.
type Room struct {
	step  Step // reused, so that a step does not allocate
	spare []*transaction
}

// transaction is an open transaction.
type transaction struct {
	events []Event // at least one
	owned  int     // number of them that own their bytes
	own    store   // memory of those
	small  int     // transactions in sequence that used a small part of the memory
}

// mostSmall bounds them. Small and large transactions may alternate.
const mostSmall = 8

// mostSpare bounds what a Room keeps for reuse.
const mostSpare = 16

// room returns the Room, and creates it if needed.
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

// end reuses the transaction's memory.
func (r *Room) end(t *transaction) {
	if t == nil || len(r.spare) == mostSpare {
		return
	}
	switch isLarge := cap(t.events) > max(keptEvents, 4*len(t.events)) || t.own.isOversized(); {
	case !isLarge:
		t.small = 0
	case t.small == mostSmall:
		return // and the memory goes
	default:
		t.small++
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
// that they begin with. It returns how many it took. next is the following
// event, nil if unknown. Unlike Push, it does not copy a complete transaction.
// It is the fast path for steps in order.
func (q *Sequencer) PushRun(events []Event, next *Event, sink Sink) (taken int, err error) {
	n := q.whole(events, next)
	if n == 0 {
		return 1, q.Push(&events[0], sink)
	}
	q.begun = true
	for i := range events[:n] {
		if events[i].HasSeq {
			q.note(&events[i])
		}
		if q.open != nil { // it ended before the first of these
			if err := q.flush(sink); err != nil {
				return 1, err
			}
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

// whole returns the length of the complete step at the start of events, or 0 if it may
// not be complete, or not be next.
func (q *Sequencer) whole(events []Event, next *Event) int {
	first := &events[0]
	switch {
	case first.Op == OpSnapshot || first.Kind == KindMeta || q.lost || q.turn != nil ||
		q.open != nil && q.open.events[0].Tx == first.Tx || first.HasSeq && q.numbered && !q.follows(first):
		return 0
	case !first.Tx.IsSet():
		return 1
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

// Push takes the stream's next event. It may keep the event and its bytes until
// Own is called.
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
		if _, err := q.decide(ev, sink); err != nil {
			return err
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

// take handles an event in order.
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

// Lose reports that events of the stream are missing, which seq may not show. The
// open transaction is dropped, and events are skipped until the next run of
// snapshots.
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

// Again takes an event again after Push has returned an error and Lose was
// called. It is taken only if judging can resume from it.
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
		return q.meta(ev, sink) // it was not handled yet
	case ev.Kind == KindMeta:
		return q.set(ev, sink)
	case ev.Op == OpSnapshot && !q.lacking:
		q.lost, q.snapshots = false, true
		return sink.Snapshot(ev)
	}
	q.Skipped++
	return nil
}

// Close ends the stream, with its open transaction and run of snapshots.
func (q *Sequencer) Close(sink Sink) error {
	if q.turn != nil {
		if err := q.Decide(nil, sink); err != nil {
			return err
		}
	}
	return q.Flush(sink)
}

// Flush ends the open transaction and run of snapshots.
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

// Own copies the lines of the open transaction. Then the bytes of all lines read so far may be
// reused.
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

// keptEvents bounds the buffer that is kept for small transactions.
const keptEvents = 64

func (q *Sequencer) forget() {
	if q.open != nil && (q.OnGap == ResyncOnGap || q.Recover) {
		q.Skipped += len(q.open.events)
	}
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
