package monitor

import (
	"time"

	"tracecheck/monitor/board"
	"tracecheck/validators"
)

// sight is the summary of a stream between two updates. There may be very many,
// so all else is asked of the runner.
type sight struct {
	heard   *time.Time // shared by all streams of one update
	events  int
	oldest  int64 // when the oldest open obligation began, in ns since 1970; 0: none, or no clock
	prompt  int64 // likewise, of obligations that are met at once
	objects int32
	open    int32
	rate    float32

	violations          int32
	unusable, undesired bool
}

func sightOf(s *validators.StreamStatus, heard *time.Time) sight {
	w := sight{
		heard: heard, events: s.Events, prompt: nanos(s.Prompt.At()), objects: int32(s.Objects), open: int32(s.Open),
		unusable: s.Unusable != "", violations: int32(s.Violations), undesired: isUndesired(s),
	}
	if s.Open > 0 {
		w.oldest = nanos(s.Oldest.At())
	}
	return w
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// moment converts ns since 1970.
func moment(nanos int64) time.Time {
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos).UTC()
}

func isUndesired(s *validators.StreamStatus) bool {
	for i := range s.Desired {
		if !s.Desired[i].InDesiredState {
			return true
		}
	}
	return false
}

// seen is a stream that a query has found.
type seen struct {
	sight
	name string
	part *part
	remembered
}

// faults is how many of its violations are not acknowledged.
func (s *seen) faults() int { return max(int(s.violations)-s.accepted, 0) }

func (s *seen) isAsked(only string) bool {
	switch only {
	case "unusable":
		return s.unusable
	case "violations":
		return s.faults() > 0
	case "undesired":
		return s.undesired
	case "waiting":
		return s.open > 0
	}
	return true
}

// rateAt returns the stream's rate now. It was measured at its last event.
func (s *seen) rateAt(now time.Time) float64 {
	if now.Sub(*s.heard) > 3*s.part.m.opts.Look {
		return 0
	}
	return float64(s.rate)
}

// show returns the stream as it is now; ok is false if it is unknown.
func (s *seen) show(now time.Time, liveness bool) (d *board.StreamDetail, ok bool) {
	p := s.part
	d = &board.StreamDetail{Stream: board.Stream{Part: p.name, Rate: s.rateAt(now), LastEvent: *s.heard, Accepted: s.accepted}}
	p.mu.Lock()
	defer p.mu.Unlock()
	st := p.runner.StatusOf(s.name)
	if st == nil {
		return nil, false
	}
	if d.StreamStatus = *st; liveness {
		d.Liveness = p.runner.Waiting(s.name)
	}
	return d, true
}
