package trace

import (
	"fmt"
	"strings"
)

// follows reports whether the event's seq is the last plus one.
func (q *Sequencer) follows(ev *Event) bool { return ev.Seq > q.last && ev.Seq-1 == q.last }

// note sets the last seq.
func (q *Sequencer) note(ev *Event) {
	q.numbered, q.last = true, ev.Seq
	q.memory.add(ev.Print, q.most())
}

func (q *Sequencer) most() int {
	if q.Remember > 0 {
		return q.Remember
	}
	return DefaultRemember
}

// number checks seq. It reports whether to skip the event.
func (q *Sequencer) number(ev *Event, sink Sink) (skip bool, err error) {
	switch {
	case !ev.HasSeq:
		return false, nil
	case !q.numbered || q.follows(ev):
	case ev.Seq > q.last:
		last := q.last
		q.memory.skip(last, ev.Seq)
		q.note(ev)
		return false, q.gap(ev, last, sink)
	default:
		switch what := q.memory.look(ev.Seq, ev.Print, q.last); what {
		case recallSame:
			q.Duplicates++
			return true, nil
		case recallLate:
			q.Skipped++
			return true, nil
		default:
			err := q.another(ev, what, sink)
			return false, err
		}
	}
	q.note(ev)
	return false, nil
}

// gap drops the open transaction, since the missing events may belong to it.
// Incomplete steps are never judged.
func (q *Sequencer) gap(ev *Event, last int64, sink Sink) error {
	reason := fmt.Sprintf("gap in %s: seq %d follows %d", StreamName(ev.Stream), ev.Seq, last)
	if q.OnGap == FailOnGap && !q.Recover { // with Recover, the caller continues
		reason += "; recover the missing events, or continue at the next snapshot with --on-gap resync"
	}
	if q.turn != nil {
		reason += "; if a meta line begins another recording with higher numbers, judge that one separately, or give it another stream"
	}
	if q.OnGap == ResyncOnGap {
		q.Gaps++
	}
	return q.broken(&Error{Pos: ev.Pos, Stream: strings.Clone(ev.Stream), Reason: reason}, sink)
}

// another handles an event of another recording or writer. From here on, its
// seq is followed.
func (q *Sequencer) another(ev *Event, what recall, sink Sink) error {
	reason := fmt.Sprintf("seq %d of %s comes again after %d, and ", ev.Seq, StreamName(ev.Stream), q.last)
	switch {
	case what == recallOther:
		reason += "differs from the earlier line of that number"
	case q.memory.known == 0:
		reason += "the line after the last meta line has no number"
	default:
		reason += fmt.Sprintf("is not among the last %d lines, which are remembered", q.memory.known)
	}
	reason += ": another recording or writer seems to begin here; begin each recording with a meta line, and give each writer a different stream"
	q.memory.reset()
	q.note(ev)
	err := &Error{Pos: ev.Pos, Stream: strings.Clone(ev.Stream), Reason: reason}
	if q.OnGap == ResyncOnGap && q.Another == nil {
		q.Another = err
	}
	return q.broken(err, sink)
}

// broken handles an event that does not continue the stream.
func (q *Sequencer) broken(err *Error, sink Sink) error {
	if q.OnGap == ResyncOnGap {
		q.lose(err, sink)
		return nil
	}
	q.forget()
	if !q.Recover {
		q.turn = nil // the stream does not continue
	}
	return err
}
