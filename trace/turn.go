package trace

import (
	"github.com/tidwall/gjson"

	"tracecheck/trace/codec"
)

// turn is a meta line in the middle of a numbered stream, and the unnumbered
// snapshots after it. The next number shows whether the stream continues, lacks
// events, or was recorded again.
type turn struct {
	meta    Event
	decided bool // by the number of the current event
	taken   bool // meta is handled or dropped: only the snapshots are left
	again   bool // meta equals the remembered line of its number
	lost    bool // events after it are missing
	lacking bool // some of them were snapshots
	held    []Event
	first   int // of held: earlier ones belong to an earlier meta line
	at      map[object]int
}

// object identifies the object of a line.
type object struct {
	kind Kind
	id   string
}

// hold keeps the last snapshot of each object.
func (t *turn) hold(ev *Event) {
	if t.at == nil {
		t.index()
	}
	own := ev.Clone()
	k := object{own.Kind, own.ID}
	if i, known := t.at[k]; known && i >= t.first {
		t.held[i] = own
		return
	} else if known {
		t.held[i].Kind = KindNone // it is replaced
	}
	t.at[k] = len(t.held)
	t.held = append(t.held, own)
}

// index drops replaced snapshots.
func (t *turn) index() {
	all, first := t.held, t.first
	t.held, t.first, t.at = all[:0], 0, make(map[object]int, len(all))
	for i := range all {
		if i == first {
			t.first = len(t.held)
		}
		if all[i].Kind != KindNone {
			t.at[object{all[i].Kind, all[i].ID}] = len(t.held)
			t.held = append(t.held, all[i])
		}
	}
	if first == len(all) {
		t.first = len(t.held)
	}
}

// next is the turn with another meta line.
func (t *turn) next(ev *Event, again bool) *turn {
	if t == nil {
		t = &turn{}
	}
	t.meta, t.again, t.first = ev.Clone(), again, len(t.held)
	t.index()
	return t
}

// lose notes that lines after the meta line are missing.
func (t *turn) lose() {
	t.lost, t.lacking = true, t.lacking || len(t.held) > 0
	t.held, t.at, t.first = nil, nil, 0
}

// meta handles a meta line that is not the stream's first event.
func (q *Sequencer) meta(ev *Event, sink Sink) error {
	if !ev.HasSeq && q.numbered {
		if err := q.Flush(sink); err != nil {
			return err
		}
		q.turn = q.turn.next(ev, false)
		return nil
	}
	begins := settingsOf(ev) != q.settings
	if q.numbered {
		if begins = ev.Seq <= q.last; begins {
			switch q.memory.look(ev.Seq, ev.Print, q.last) {
			case recallSame:
				if err := q.Flush(sink); err != nil {
					return err
				}
				q.turn = q.turn.next(ev, true)
				return nil
			case recallLate:
				q.Skipped++
				return nil
			}
		}
	}
	if t := q.turn; t != nil {
		t.decided, t.taken, t.first = true, true, len(t.held) // they belong to the earlier one
	}
	if begins {
		if err := q.begin(sink); err != nil {
			return err
		}
	}
	if _, err := q.number(ev, sink); err != nil {
		return err
	}
	if err := q.goOn(sink); err != nil {
		return err
	}
	return q.take(ev, sink)
}

// Decide decides about a meta line by the event after it, which it does not
// take; nil is the stream's end.
func (q *Sequencer) Decide(ev *Event, sink Sink) error {
	if q.turn == nil {
		return nil
	}
	if begins, err := q.decide(ev, sink); err != nil {
		return err
	} else if !begins && ev != nil && ev.HasSeq && ev.Seq > q.last && !q.follows(ev) && q.OnGap == ResyncOnGap {
		q.lose(nil, sink)
	}
	return q.goOn(sink)
}

// Undecided reports whether a meta line waits for the next event.
func (q *Sequencer) Undecided() bool { return q.turn != nil }

// decide begins another recording if the event does. If the event has no number, none has decided
// yet: a later one that does not rise is not a duplicate.
func (q *Sequencer) decide(ev *Event, sink Sink) (begins bool, err error) {
	if q.begins(ev) {
		return true, q.begin(sink)
	}
	if ev != nil && !ev.HasSeq && !q.turn.again {
		q.memory.reset()
	}
	return false, nil
}

// begins reports whether the event after a meta line belongs to a new
// recording.
func (q *Sequencer) begins(ev *Event) bool {
	if ev == nil || !ev.HasSeq {
		return settingsOf(&q.turn.meta) != q.settings
	}
	return ev.Seq <= q.last && !(q.turn.again && q.memory.look(ev.Seq, ev.Print, q.last) == recallSame)
}

// begin ends the recording and begins another.
func (q *Sequencer) begin(sink Sink) error {
	if err := q.Flush(sink); err != nil {
		return err
	}
	if err := sink.Begin(); err != nil {
		return err
	}
	q.numbered, q.lost, q.lacking, q.settings = false, false, false, 0
	q.memory.reset()
	if t := q.turn; t != nil {
		t.index()
		q.Skipped += t.first
		t.held, t.first, t.again = t.held[t.first:], 0, false
	}
	return nil
}

// goOn handles the held snapshots.
func (q *Sequencer) goOn(sink Sink) error {
	t := q.turn
	if t == nil {
		return nil
	}
	if !t.taken {
		t.taken = true
		if t.again {
			q.Duplicates++
		} else if err := q.take(&t.meta, sink); err != nil {
			return err
		}
	}
	if t.lost {
		q.lose(nil, sink)
		q.lacking, t.lost = t.lacking, false
	}
	for len(t.held) > 0 {
		ev := &t.held[0]
		if t.held = t.held[1:]; ev.Kind == KindNone {
			continue
		}
		if err := q.take(ev, sink); err != nil {
			return err
		}
	}
	q.turn = nil
	return nil
}

// set applies a meta line's settings.
func (q *Sequencer) set(ev *Event, sink Sink) error {
	q.settings = settingsOf(ev)
	return sink.Meta(ev)
}

// settingsOf is a fingerprint of the meta line's settings; never 0.
func settingsOf(ev *Event) uint64 {
	object := gjson.Get(ev.Raw, "object")
	v := valueOf(&object)
	return memberPrint(0, &v) | 1
}

func (t *turn) code(c *codec.Codec) {
	t.meta.code(c)
	codec.Bool(c, &t.taken)
	codec.Bool(c, &t.again)
	codec.Bool(c, &t.lost)
	codec.Bool(c, &t.lacking)
	if !c.Reading() {
		t.index()
	}
	codec.Int(c, &t.first)
	codec.Slice(c, &t.held, func(ev *Event) { ev.code(c) })
	if t.first < 0 || t.first > len(t.held) {
		c.Fail("%d snapshots are held, but %d belong to an earlier meta line", len(t.held), t.first)
	}
}
