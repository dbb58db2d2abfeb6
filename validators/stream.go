package validators

import (
	"fmt"
	"strings"

	"tracecheck/trace"
)

// stream is one stream with its judges. It is the trace.Sink of its sequencer. What each
// event needs comes first, so that it takes few cache lines.
type stream struct {
	name  string
	shard *shard

	seq       trace.Sequencer
	judges    []*judge
	*settings               // never nil
	prepared  trace.KindSet // kinds whose machines exist, if a spec reads them
	read      trace.KindSet // the prepared kinds that a spec reads
	open      bool          // in shard.open
	dirty     bool          // in shard.dirty
	began     bool          // it has had an event other than meta
	ready     bool          // the settings are set
	unfit     bool          // its settings are invalid
	over      bool          // it is no longer judged
	reached   bool          // a step of the recording was judged, or comes after the violation that ended judging
	clock     int64         // the latest time of its events so far, in ns since 1970; noTime: none
	order     Orderer       // nil: none yet, or the lines are in order
	lines     int           // the number of the recording's lines that belong to steps
	events    int           // number of events
	objects   int           // live ones that shard.objects includes
	changed   uint32        // the last Saving after which it has had an event
	noted     uint32        // the last Saving that has encoded it, or that does not include it
	room      [1]*judge     // the list of judges, if there is only one
	lone      judge         // then it is this one

	first     int        // the number of its first event
	meta      string     // the last meta line
	shown     *snapshots // the current run of snapshots; nil: none
	recording int        // the number of the current recording, from 0
	past      *[]ending  // the ends of the earlier recordings, unless Options.Recover; nil: none
	broken    int        // number of violations
	unusable  string     // why it is not judged now; "": it is
}

// snapshots is a run of snapshots.
type snapshots struct {
	first, last trace.Pos
	time        []byte // of the last line
}

func (s *stream) stop() {
	s.shard.noteRest(s)
	s.over = true
	s.order = nil // frees its memory
	for _, j := range s.judges {
		j.machine = nil
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

// Snapshot sets one object.
func (s *stream) Snapshot(ev *trace.Event) error {
	if s.over {
		return nil
	}
	read, err := s.prepare(ev)
	if err != nil {
		return err
	}
	s.unusable = ""
	s.tick(ev)
	if !read {
		return nil
	}
	if s.shown == nil {
		s.shown = &snapshots{first: ev.Pos}
	}
	s.shown.last, s.shown.time = ev.Pos, append(s.shown.time[:0], ev.Time...)
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

// SnapshotsEnd judges the state after a run of snapshots.
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
		s.note(j, &shown.last, string(shown.time))
		if err := s.report(j, findings, shown.first, shown.last, nil); err != nil {
			return err
		}
	}
	return nil
}

// Step judges a step, or those that are next in the stream's order.
func (s *stream) Step(step *trace.Step) error {
	if order := s.orderer(); order != nil && !s.over {
		s.began = true
		return s.inOrder(order, step)
	}
	return s.judge(step)
}

// judge judges a step by each spec that reads one of its events.
func (s *stream) judge(step *trace.Step) error {
	if s.over {
		s.began = true
		s.reach(step)
		return nil
	}
	read := false
	for i := range step.Events {
		ev := &step.Events[i]
		r, err := s.prepare(ev)
		if err != nil {
			return err
		}
		read = read || r
		s.tick(ev)
	}
	opts := &s.shard.run.opts
	counted, hasDeadline := false, opts.hasDeadline()
	if !read && !hasDeadline {
		return nil
	}
	last := &step.Events[len(step.Events)-1]
	for _, j := range s.judges {
		var late []Finding
		if hasDeadline {
			late = j.overdue(last.Pos, s.clock, opts)
		}
		if j.machine == nil || !j.readsAny(step) {
			if err := s.report(j, late, step.First(), last.Pos, step); err != nil {
				return err
			}
			continue
		}
		j.ledger.at(last.Pos, s.clock)
		view := step
		if len(s.judges) > 1 {
			view = s.viewOf(j, step)
		}
		if opts.Before != nil {
			opts.Before(view, j.spec.Name, j.machine)
		}
		findings, judged, err := j.machine.Step(view)
		if err != nil {
			if j.provisional {
				j.machine = nil
				j.fail(err)
				continue
			}
			if over := s.report(j, late, step.First(), last.Pos, step); over != nil {
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
		s.note(j, &last.Pos, last.Time)
		if opts.OnStep != nil {
			opts.OnStep(step, j.spec.Name, j.machine.Explanation(), findings)
		}
		if len(late)+len(findings) == 0 {
			continue
		}
		if err := s.report(j, append(late, findings...), step.First(), last.Pos, step); err != nil {
			return err
		}
	}
	return nil
}

// note records whether the stream is in its desired state, and since when.
func (s *stream) note(j *judge, at *trace.Pos, time string) {
	if in := j.machine.InDesiredState(); !j.judged || in != j.desired {
		j.judged, j.desired = true, in
		j.since = *at
		j.sinceTime = strings.Clone(time)
	}
}

// tick advances the stream's clock, which never goes backwards.
func (s *stream) tick(ev *trace.Event) {
	if ev.Time == "" {
		return
	}
	if ev.Nanos < s.clock && !s.shard.run.opts.Recover {
		s.shard.notes.backwards(ev, s.clock)
	}
	s.clock = max(s.clock, ev.Nanos)
}

// timeless is the error for a stream without times, which no deadline applies to.
func (s *stream) timeless() *trace.Error {
	if s.shard.run.opts.Deadline <= 0 || !s.began || s.clock != noTime {
		return nil
	}
	return &trace.Error{Stream: s.name, Reason: fmt.Sprintf(
		"%s has no event with a time, so that no deadline can be judged; run without --deadline", trace.StreamName(s.name))}
}
