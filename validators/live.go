package validators

import (
	"math"
	"slices"
	"time"

	"tracecheck/trace"
)

// Methods for endless runs: taking the findings so far, and resuming a stream
// after a gap (Options.Recover).

// Trouble reports that a stream cannot be judged until its next snapshot or, if
// Final is set, ever again.
type Trouble struct {
	Stream string
	Err    *trace.Error
	Final  bool
	After  string // the time of the stream's latest event before it that has one, RFC 3339 in UTC; "": none
}

// Take returns the findings since the last call, in the order of the input.
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

// Lose reports that events of the stream are missing here, and why. The stream is judged
// again from its next run of snapshots. A run in progress does not count. A
// stream without events yet begins in this state.
func (r *Runner) Lose(name string, reason *trace.Error) {
	sh := r.shardOf(name)
	sh.now = r.events
	sh.lose(sh.named(name), reason)
}

// LoseAll calls Lose for every stream.
func (r *Runner) LoseAll(reason *trace.Error) {
	for _, s := range r.streams() {
		r.Lose(s.name, reason)
	}
}

// LoseNew reports that events of unknown streams are missing here. A new stream may have begun
// among them. It is judged from its next snapshot on. A stream that begins with a snapshot or
// a meta line is judged at once. With Attach, each stream is.
func (r *Runner) LoseNew(reason *trace.Error) { r.missed = reason }

// appears handles the first event of a stream.
func (sh *shard) appears(s *stream, ev *trace.Event) {
	if sh.run.missed != nil && ev.Op != trace.OpSnapshot && ev.Kind != trace.KindMeta && !sh.run.opts.Attach {
		sh.lose(s, sh.run.missed)
	}
}

// lose stops judging the stream until its next snapshot; for good in a log that has
// none.
func (sh *shard) lose(s *stream, reason *trace.Error) {
	switch {
	case s.over:
		return
	case !sh.run.snapshots:
		sh.giveUp(s, reason)
		return
	}
	sh.touch(s)
	if s.unusable == "" {
		s.unusable = reason.Error()
		s.trouble(reason, false)
	}
	s.seq.Lose(s)
}

// giveUp stops judging the stream finally.
func (sh *shard) giveUp(s *stream, reason *trace.Error) {
	sh.touch(s)
	s.unusable = reason.Error()
	s.trouble(reason, true)
	s.stop()
}

func (s *stream) trouble(reason *trace.Error, final bool) {
	s.shard.troubles = append(s.shard.troubles, Trouble{s.name, reason, final, s.time()})
}

// time is that of the stream's clock, RFC 3339 in UTC; "": unknown.
func (s *stream) time() string { return Stamp{Pos: trace.Pos{Line: 1}, nanos: s.clock}.time() }

// StreamStatus is the state of a stream.
type StreamStatus struct {
	Stream     string
	Unusable   string        // why it is not judged now; "": it is judged
	Final      bool          // a snapshot does not change that
	Specs      []string      // that judge it
	Events     int           // read
	Violations int           // found
	Duplicates int           // events skipped since their seq was judged already
	Skipped    int           // events skipped between a gap and the next snapshot, and late events of a gap
	Early      int           // events that wait for events before them, which have not come
	Objects    int           // existing objects
	Open       int           // open obligations
	Oldest     Stamp         // when the oldest of them began, if Open > 0
	Prompt     Stamp         // likewise, of those that the system meets at once; zero: none
	Time       string        // of its latest event with a time, RFC 3339 in UTC; "": none
	Desired    []StreamState // nil: unknown now
}

// StatusShares returns the state of streams, a share at a time between two pushes.
type StatusShares struct{ left [][]*stream }

// BeginStatus returns the states of the streams with an event since their state
// was last returned, or of all. Call Share until it is done.
func (r *Runner) BeginStatus(all bool) *StatusShares {
	t := &StatusShares{}
	for i := range r.shards {
		sh := &r.shards[i]
		if all {
			t.left = append(t.left, slices.Clip(sh.list))
		} else {
			t.left = append(t.left, sh.dirty)
		}
		sh.dirty = nil
	}
	return t
}

// Share yields the current state of at most the given number of streams. done
// reports that they were the last. It is cheap.
func (t *StatusShares) Share(most int, yield func(*StreamStatus)) (done bool) {
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
		s.dirty = false
		yield(s.status())
	}
	return true
}

// Status yields all states in one share.
func (r *Runner) Status(all bool, yield func(*StreamStatus)) {
	r.BeginStatus(all).Share(math.MaxInt, yield)
}

func (s *stream) status() *StreamStatus {
	st := &StreamStatus{
		Stream: s.name, Unusable: s.unusable, Final: s.unusable != "" && s.over, Events: s.events, Violations: s.broken,
		Duplicates: s.seq.Duplicates, Skipped: s.seq.Skipped, Time: s.time(),
	}
	if s.order != nil {
		st.Early = s.order.Waiting()
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

// StatusOf returns the state of a stream, or nil if it is unknown.
func (r *Runner) StatusOf(name string) *StreamStatus {
	s := r.stream(name)
	if s == nil {
		return nil
	}
	return s.status()
}

// Waiting returns the stream's temporal properties with their obligations, or
// nil for an unknown stream.
func (r *Runner) Waiting(name string) []Liveness {
	s := r.stream(name)
	if s == nil {
		return nil
	}
	var all []Liveness
	for _, j := range s.judges {
		all = append(all, s.liveness(j)...)
	}
	return all
}

// Counts are the totals of a run so far.
type Counts struct {
	Events     int // read
	Steps      int // judged
	Streams    int
	Duplicates int // events skipped since their seq was judged already
	Skipped    int // events skipped between a gap and the next snapshot, and late events of a gap
	Known      int // violations that Options.Known has
}

// Counts counts what this Runner judged, without restored counts.
func (r *Runner) Counts() Counts {
	c := Counts{Events: r.events}
	for i := range r.shards {
		sh := &r.shards[i]
		c.Steps += sh.steps
		c.Streams += len(sh.streams)
		c.Duplicates += sh.duplicates
		c.Skipped += sh.skipped
		c.Known += sh.known
	}
	return c
}

// pending returns the number of open obligations, and when the oldest began. Of
// very many obligations behind gates, it looks at some only.
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
		if o.Gate == nil { // the following ones became late after it
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
			case o.For == 0: // the end of a gate's list
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

// mostLooks bounds the search for the oldest open obligation. Many may be
// behind closed gates.
const mostLooks = 1000

// At is the time by the stream's clock; the zero time if unknown.
func (at Stamp) At() time.Time {
	if at.nanos == noTime || at.Pos.Line == 0 {
		return time.Time{}
	}
	return time.Unix(0, at.nanos).UTC()
}
