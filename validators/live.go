package validators

import (
	"math"
	"slices"
	"time"

	"tracecheck/trace"
)

// What a run without end needs: to tell what it finds as it goes, and to go on
// with a stream that it lost track of (Options.Recover).

// Trouble says that a stream cannot be judged from a point on, until its next
// snapshot; or, where Final says so, at all.
type Trouble struct {
	Stream string
	Err    *trace.Error
	Final  bool
}

// Take returns what was found since the last call, in the order of the input,
// and forgets it.
func (r *Runner) Take() ([]Violation, []Trouble) {
	found := r.Violations()
	var troubles []Trouble
	for i := range r.shards {
		sh := &r.shards[i]
		troubles = append(troubles, sh.troubles...)
		sh.found, sh.troubles = nil, nil
	}
	slices.SortStableFunc(troubles, func(a, b Trouble) int { return r.order(a.Err.Pos, b.Err.Pos, a.Stream, b.Stream) })
	return found, troubles
}

// Lose says that events of the stream are missing here, for the reason: it is
// not judged before its next run of snapshots, of which one that it is in is
// none. A stream of which nothing was seen is one that begins so.
func (r *Runner) Lose(name string, reason *trace.Error) {
	sh := r.shardOf(name)
	sh.now = r.events
	sh.lose(sh.named(name), reason)
}

// LoseAll is Lose for each stream there is.
func (r *Runner) LoseAll(reason *trace.Error) {
	for _, s := range r.streams() {
		r.Lose(s.name, reason)
	}
}

// LoseNew says that events are missing here, of any stream: one that is seen for
// the first time from here on may have begun among them. It is not judged before
// its next snapshot, for the reason, unless it begins with one, or with a meta
// line, or Attach lets it begin in the middle.
func (r *Runner) LoseNew(reason *trace.Error) { r.missed = reason }

// appears is the first event of a stream.
func (sh *shard) appears(s *stream, ev *trace.Event) {
	if sh.run.missed != nil && ev.Op != trace.OpSnapshot && ev.Kind != trace.KindMeta && !sh.run.opts.Attach {
		sh.lose(s, sh.run.missed)
	}
}

// lose gives the stream up to its next snapshot.
func (sh *shard) lose(s *stream, reason *trace.Error) {
	if s.over {
		return
	}
	sh.touch(s)
	if s.unusable == "" {
		s.unusable = reason.Error()
		sh.troubles = append(sh.troubles, Trouble{Stream: s.name, Err: reason})
	}
	s.seq.Lose(s)
}

// giveUp ends the judging of the stream.
func (sh *shard) giveUp(s *stream, reason *trace.Error) {
	sh.touch(s)
	s.unusable = reason.Error()
	sh.troubles = append(sh.troubles, Trouble{Stream: s.name, Err: reason, Final: true})
	s.stop()
}

// StreamStatus is how a stream is doing.
type StreamStatus struct {
	Stream     string
	Unusable   string        // why it is not judged now; "": it is
	Specs      []string      // that judge it
	Events     int           // seen
	Violations int           // found
	Duplicates int           // events skipped because the same was said under their seq
	Skipped    int           // events skipped between a gap and the next snapshot, and late ones of a gap
	Objects    int           // that stand
	Open       int           // obligations
	Oldest     Stamp         // since when the oldest of them is open, if Open > 0
	Prompt     Stamp         // since when the oldest is open of those that the system would have met at once; zero: none is
	Time       string        // of its latest event, RFC 3339 in UTC; "": none had any
	Desired    []StreamState // nil: not known now
}

// Telling tells how streams do, a share at a time between two pushes.
type Telling struct{ left [][]*stream }

// BeginStatus begins to tell how each stream does that has had an event since it
// was last told of, or each that there is. Share is called until all are told.
func (r *Runner) BeginStatus(all bool) *Telling {
	t := &Telling{}
	for i := range r.shards {
		sh := &r.shards[i]
		if all {
			t.left = append(t.left, slices.Clip(sh.list))
		} else {
			t.left = append(t.left, sh.untold)
		}
		sh.untold = nil
	}
	return t
}

// Share yields how at most so many streams do, as it is now, and reports whether
// these were the last. It costs little for each.
func (t *Telling) Share(most int, yield func(*StreamStatus)) (done bool) {
	for len(t.left) > 0 {
		if len(t.left[0]) == 0 {
			t.left = t.left[1:]
			continue
		}
		if most--; most < 0 {
			return false
		}
		s := t.left[0][0]
		t.left[0] = t.left[0][1:]
		s.untold = false
		yield(s.status())
	}
	return true
}

// Status tells in one share.
func (r *Runner) Status(all bool, yield func(*StreamStatus)) {
	r.BeginStatus(all).Share(math.MaxInt, yield)
}

func (s *stream) status() *StreamStatus {
	st := &StreamStatus{
		Stream: s.name, Unusable: s.unusable, Events: s.events, Violations: s.broken,
		Duplicates: s.seq.Duplicates, Skipped: s.seq.Skipped, Time: Stamp{Pos: trace.Pos{Line: 1}, nanos: s.clock}.time(),
	}
	for _, j := range s.judges {
		if j.provisional || j.machine == nil {
			continue
		}
		st.Specs = append(st.Specs, j.spec.Name)
		st.Objects += j.machine.Live()
		if j.spec.Desired && j.judged && s.unusable == "" {
			st.Desired = append(st.Desired, s.stateOf(j))
		}
		open, oldest := j.ledger.pending()
		if open > 0 && (st.Open == 0 || oldest.nanos < st.Oldest.nanos) {
			st.Oldest = oldest
		}
		st.Open += open
		if at, is := j.oldestPrompt(); is && (st.Prompt.At().IsZero() || at.nanos < st.Prompt.nanos) {
			st.Prompt = at
		}
	}
	return st
}

// StatusOf is how a stream does, nil for one that is not known.
func (r *Runner) StatusOf(name string) *StreamStatus {
	s := r.shardOf(name).streams[name]
	if s == nil {
		return nil
	}
	return s.status()
}

// Waiting returns what the stream waits for, property by property, and nil for
// a stream that is not known.
func (r *Runner) Waiting(name string) []Liveness {
	s := r.shardOf(name).streams[name]
	if s == nil {
		return nil
	}
	var all []Liveness
	for _, j := range s.judges {
		all = append(all, s.liveness(j)...)
	}
	return all
}

// Counts are totals of a run so far.
type Counts struct {
	Events     int // seen
	Steps      int // judged
	Streams    int
	Duplicates int // events skipped because the same was said under their seq
	Skipped    int // events skipped between a gap and the next snapshot, and late ones of a gap
}

// Counts are those of this Runner, without what it has restored.
func (r *Runner) Counts() Counts {
	c := Counts{Events: r.events}
	for i := range r.shards {
		sh := &r.shards[i]
		c.Steps += sh.steps
		c.Streams += len(sh.streams)
		c.Duplicates += sh.duplicates
		c.Skipped += sh.skipped
	}
	return c
}

// pending returns how many obligations are open, and since when the oldest is:
// of very many behind gates, the oldest of those that it looks at.
func (l *Ledger) pending() (open int, oldest Stamp) {
	open = int(l.count - l.shut)
	if open <= 0 {
		return 0, Stamp{}
	}
	at := l.now
	see := func(m moment) {
		if m.place < at.place {
			at = m
		}
	}
	for o, n := l.late.first(), 0; o != nil && o != l.late.end && n < mostLooks; o, n = o.next, n+1 {
		if o.Gate == nil { // those behind it became late after it
			see(o.since)
			break
		}
		if o.Gate.isOpen {
			see(o.opened())
		}
	}
	for _, list := range []*obligations{&l.past, &l.open} {
		for o, n := list.first(), 0; o != nil && o != list.end && o.since.place < at.place && n < mostLooks; o, n = o.next, n+1 {
			switch {
			case o.For == 0: // a gate's
				if o.Gate.parked.first() != nil {
					see(o.since)
				}
			case o.Gate == nil || o.Gate.isOpen:
				see(o.opened())
			}
		}
	}
	return open, l.stamp(at)
}

// mostLooks bounds the search for the oldest open obligation: many may wait for
// gates that are shut.
const mostLooks = 1000

// At is when it was, by the stream's clock; the zero time where that is not
// known.
func (at Stamp) At() time.Time {
	if at.nanos == noTime || at.Pos.Line == 0 {
		return time.Time{}
	}
	return time.Unix(0, at.nanos).UTC()
}
