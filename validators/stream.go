package validators

import (
	"fmt"
	"strings"

	"tracecheck/trace"
)

// stream is one behaviour under judgement. It is the trace.Sink of its own
// sequencer.
type stream struct {
	name  string
	shard *shard
	first int // the number of its first event

	head, tail int32 // its events in the Push at hand, by shard.links; -1: none
	seq        trace.Sequencer
	meta       string
	*settings  // never nil
	judges     []*judge
	room       [1]*judge     // for the judges where there is but one, which
	lone       judge         // is this: what a step needs lies together
	prepared   trace.KindSet // there are machines for these, where a spec reads them
	read       trace.KindSet // of them, those that a spec reads
	open       bool          // in shard.open
	dirty      bool          // in shard.dirty
	began      bool          // an event other than meta was seen
	ready      bool          // the settings are set
	unfit      bool          // its settings cannot be judged by
	over       bool          // not judged any more
	reached    bool          // a step of the recording was judged, or need not be, behind a violation
	clock      int64         // the latest time of its events so far, in ns since 1970; noTime: none

	shown *snapshots // the run of snapshots at hand; nil: none is

	recording int       // the number of the one at hand, from 0
	past      *[]ending // of those before it, in a run that has an end; nil: none
	lines     int       // of it that are of steps

	events   int    // seen
	broken   int    // violations found
	unusable string // why it is not judged now; "": it is
	changed  uint32 // the last Saving since which it has had an event
	noted    uint32 // the last Saving that it was noted by, or is not part of
}

// snapshots is a run of them.
type snapshots struct {
	first, last trace.Pos
	time        []byte // of the last line
}

func (s *stream) stop() {
	s.shard.noteRest(s)
	s.over = true
	for _, j := range s.judges {
		j.machine = nil // its memory
	}
}

// Meta takes the stream's settings.
func (s *stream) Meta(ev *trace.Event) error {
	if s.over || s.ready && ev.Raw == s.meta {
		return nil // rotated logs repeat their meta line
	}
	m, err := trace.ParseMeta(ev)
	if err != nil {
		s.unfit = true
		return err
	}
	s.meta = strings.Clone(ev.Raw)
	if s.ready {
		err = s.change(&m, ev)
	} else {
		err = s.configure(&m, ev.Pos)
	}
	s.unfit = !s.ready
	return err
}

// Snapshot overlays the state.
func (s *stream) Snapshot(ev *trace.Event) error {
	if s.over {
		return nil
	}
	read, err := s.prepare(ev)
	if err != nil {
		return err
	}
	s.unusable = ""
	if !read {
		return nil
	}
	if s.shown == nil {
		s.shown = &snapshots{first: ev.Pos}
	}
	s.shown.last, s.shown.time = ev.Pos, append(s.shown.time[:0], ev.Time...)
	s.tick(ev)
	for _, j := range s.judges {
		if err := s.report(j, j.overdue(ev.Pos, s.clock, &s.shard.run.opts), ev.Pos, ev.Pos, nil); err != nil {
			return err
		}
		if j.machine != nil && j.spec.Reads(ev.Kind) {
			j.ledger.at(ev.Pos, s.clock)
			j.machine.Snapshot(ev)
		}
	}
	return nil
}

// SnapshotsEnd judges the state that the snapshots made.
func (s *stream) SnapshotsEnd() error {
	if s.over || s.shown == nil {
		return nil
	}
	shown := s.shown
	defer func() { s.shown = nil }()
	for _, j := range s.judges {
		if j.machine == nil {
			continue
		}
		findings := j.machine.SnapshotsEnd()
		s.note(j, shown.last, string(shown.time))
		if err := s.report(j, findings, shown.first, shown.last, nil); err != nil {
			return err
		}
	}
	return nil
}

// Step judges a step by each spec that reads some event of it.
func (s *stream) Step(step *trace.Step) error {
	if s.over {
		s.began = true
		s.reach(step)
		return nil
	}
	read := false
	for i := range step.Events {
		r, err := s.prepare(&step.Events[i])
		if err != nil {
			return err
		}
		read = read || r
	}
	if !read {
		return nil
	}
	for i := range step.Events {
		s.tick(&step.Events[i])
	}
	counted := false
	for _, j := range s.judges {
		late := j.overdue(step.Last(), s.clock, &s.shard.run.opts)
		if j.machine == nil || !readsAny(j.spec, step) {
			if err := s.report(j, late, step.First(), step.Last(), step); err != nil {
				return err
			}
			continue
		}
		j.ledger.at(step.Last(), s.clock)
		view := s.viewOf(j, step)
		if s.shard.run.opts.Before != nil {
			s.shard.run.opts.Before(view, j.spec.Name, j.machine)
		}
		findings, judged, err := j.machine.Step(view)
		if err != nil {
			if j.provisional {
				j.machine = nil
				j.fail(err)
				continue
			}
			if over := s.report(j, late, step.First(), step.Last(), step); over != nil {
				return over
			}
			return err
		}
		if judged && !counted {
			counted = true
			s.shard.steps++
			s.reach(step)
		}
		if judged && len(findings) == 0 {
			j.machine.Count(j.counts.list)
		}
		s.note(j, step.Last(), step.Events[len(step.Events)-1].Time)
		if s.shard.run.opts.OnStep != nil {
			s.shard.run.opts.OnStep(step, j.spec.Name, j.machine.Explanation(), findings)
		}
		if err := s.report(j, append(late, findings...), step.First(), step.Last(), step); err != nil {
			return err
		}
	}
	return nil
}

// note follows whether the stream is in its desired state, and since when.
func (s *stream) note(j *judge, at trace.Pos, time string) {
	if in := j.machine.InDesiredState(); !j.judged || in != j.desired {
		j.judged, j.desired = true, in
		j.since = at
		j.sinceTime = strings.Clone(time)
	}
}

// tick sets the stream's clock, which does not run backwards.
func (s *stream) tick(ev *trace.Event) {
	if ev.Time == "" {
		return
	}
	if ev.Nanos < s.clock && !s.shard.run.opts.Recover {
		s.shard.notes.backwards(ev, s.clock)
	}
	s.clock = max(s.clock, ev.Nanos)
}

// timeless is what is wrong with a stream that a deadline could not be applied to.
func (s *stream) timeless() *trace.Error {
	if s.shard.run.opts.Deadline <= 0 || !s.began || s.clock != noTime {
		return nil
	}
	return &trace.Error{Stream: s.name, Reason: fmt.Sprintf(
		"%s has no event with a time, so that no deadline can be judged; run without --deadline", trace.StreamName(s.name))}
}
