package validators

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// A stream may have several recordings, one after the other. Each is judged
// like a stream: by its meta line, from its snapshots or Init, to its end.

// Begin ends the recording and begins the next.
func (s *stream) Begin() error {
	if s.began || s.lines > 0 { // its lines may all have been dropped
		end := s.conclude()
		for i, j := range end.judges { // s.room and s.lone are reused
			end.judges[i] = &judge{spec: j.spec, by: j.by, provisional: j.provisional, uses: j.uses, cover: j.cover}
		}
		if !s.shard.run.opts.Recover { // an endless run has no results of recordings
			if s.past == nil {
				s.past = &[]ending{}
			}
			*s.past = append(*s.past, end)
		}
		s.recording++
	}
	s.again()
	s.began, s.meta, s.unfit, s.over, s.unusable = false, "", false, false, ""
	s.clock, s.shown = noTime, nil
	s.lines, s.reached = 0, false
	return nil
}

// recordingNumber is the recording's number in results; 0 is the first.
func (s *stream) recordingNumber() int {
	if s.recording == 0 {
		return 0
	}
	return s.recording + 1
}

// again resets the settings and the state.
func (s *stream) again() {
	s.shard.noteRest(s)
	s.ready, s.settings, s.judges, s.lone = false, &s.shard.unset, nil, judge{}
	s.prepared, s.read = 0, 0
}

// change applies a meta line in the middle of a recording.
func (s *stream) change(m *trace.Meta, ev *trace.Event) error {
	s.shard.noteRest(s)
	was, chosen := s.config, s.chosen
	if s.seq.Lost() { // the state is unknown, so the old settings do not matter
		s.again()
		return s.configure(m, ev.Pos)
	}
	if err := s.configure(m, ev.Pos); err != nil {
		return err
	}
	var differs string
	switch now := &s.config; {
	case !slices.Equal(chosen, s.chosen):
		differs = "specs"
	case now.Steps != was.Steps:
		differs = fmt.Sprintf("steps (%s, and not %s)", now.Steps, was.Steps)
	case cmp.Or(now.Profile, ProfileSpec) != cmp.Or(was.Profile, ProfileSpec):
		differs = fmt.Sprintf("profile (%s, and not %s)", cmp.Or(now.Profile, ProfileSpec), cmp.Or(was.Profile, ProfileSpec))
	case maps.Equal(now.Constants, was.Constants):
		return nil
	}
	if differs != "" {
		s.again()
		if err := s.configure(m, ev.Pos); err != nil {
			return err
		}
		return &trace.Error{Pos: ev.Pos, Stream: s.name, Reason: fmt.Sprintf(
			"the meta line has other %s, and %s continues after it: there, a meta line may change only constants; begin a new recording with seq, or give it another stream",
			differs, trace.StreamName(s.name))}
	}
	for i, j := range s.judges {
		if j.machine == nil {
			continue
		}
		name := j.spec.Name
		again, err := s.retune(j)
		if err != nil {
			s.again()
			if err := s.configure(m, ev.Pos); err != nil {
				return err
			}
			return &trace.Error{Pos: ev.Pos, Stream: s.name, Reason: fmt.Sprintf(
				"the constants of %s cannot change to these while %s continues: %v", name, trace.StreamName(s.name), err)}
		}
		s.judges[i] = again
	}
	return nil
}

// retune returns the judge with the stream's new settings and its old state.
func (s *stream) retune(j *judge) (*judge, error) {
	again, err := s.newJudge(j.spec)
	if err != nil {
		return nil, err
	}
	again.ledger.adapts = true
	w := codec.Writer(nil)
	s.codeJudgement(w, j)
	r := codec.Reader(w.Data())
	s.codeJudgement(r, again)
	if err := r.Close(); err != nil {
		return nil, err
	}
	again.ledger.adapts = false
	again.counts, j.machine = j.counts, nil
	if j.cover != nil {
		*again.cover = *j.cover
	}
	return again, nil
}

// Lost drops the state, after a gap.
func (s *stream) Lost(why *trace.Error) {
	s.shard.noteRest(s)
	s.shown = nil
	if s.unusable == "" {
		switch {
		case why == nil:
			s.unusable = "events are missing"
		case why == s.seq.Another:
			s.unusable = why.Error()
		default:
			s.unusable = "events are missing (" + why.Error() + ")"
		}
		s.unusable += "; it is judged again from its next snapshot on"
	}
	for _, j := range s.judges {
		switch {
		case j.machine != nil:
			j.machine.Lost()
			j.ledger.reset()
		case j.failed() != nil && s.shard.run.opts.Recover:
			s.revive(j)
		}
	}
}

// waiting is the error of a stream that ended between a gap and its next
// snapshot.
func (s *stream) waiting() *trace.Error {
	if !s.seq.Lost() || s.over {
		return nil
	}
	after := "a gap"
	if other := s.seq.Another; other != nil && strings.HasPrefix(s.unusable, other.Error()) {
		after = "a line of another recording or writer"
	}
	return &trace.Error{Stream: s.name, Reason: fmt.Sprintf("%s ends after %s, with no snapshot to resume from, and its last events were not judged: %s",
		trace.StreamName(s.name), after, s.unusable)}
}

// endings returns the ends of the earlier recordings.
func (s *stream) endings() []ending {
	if s.past == nil {
		return nil
	}
	return *s.past
}

// ending is the result of a recording.
type ending struct {
	unfit    *trace.Error // the first reason why it cannot be judged to its end
	liveness []Liveness
	desired  []StreamState
	judges   []*judge // which have stopped
	unjudged int      // its lines, if no step was judged
}
