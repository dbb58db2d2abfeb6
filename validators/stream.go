package validators

import (
	"encoding/json"
	"fmt"
	"strings"

	"tracecheck/trace"
)

// stream is one behaviour under judgement. It is the trace.Sink of its own
// sequencer.
type stream struct {
	name   string
	shard  *shard
	run    *Runner // read only
	first  int     // the number of its first event
	seq    trace.Sequencer
	open   bool // in shard.open
	began  bool // an event other than meta was seen
	meta   string
	config Config
	chosen []*Spec // nil: each spec that reads what appears
	ready  bool    // config and chosen are set
	judges []*judge
	kinds  [trace.KindCount]struct{ prepared, read bool }
	over   bool  // not judged any more
	clock  int64 // the latest time of its events so far, in ns since 1970; noTime: none

	runFirst, runLast trace.Pos // the run of snapshots, if Line > 0
	runTime           string    // of its last line
}

// judge is one spec's machine on one stream.
type judge struct {
	spec    *Spec
	machine Machine // nil once it has stopped
	judged  bool    // has taken a step or a snapshot
	desired StreamState

	ledger    *Ledger
	uses      *Uses
	forfeited map[string]Stamp // the temporal properties that are violated

	// A spec that was not chosen judges a stream only if some kind appears that
	// no other spec reads; until then it is provisional.
	provisional bool
	withheld    []Violation
	failed      error // why it could not judge, as long as that is its own affair
}

func (s *stream) stop() {
	s.over = true
	for _, j := range s.judges {
		j.machine = nil // its memory
	}
}

// Meta takes the stream's settings.
func (s *stream) Meta(ev *trace.Event) error {
	if s.over {
		return nil
	}
	if s.ready || s.began {
		// Rotated logs repeat their meta line.
		if ev.Raw == s.meta {
			return nil
		}
		return &trace.Error{Pos: ev.Pos, Stream: s.name, Reason: "a meta line must be the first of its stream; a later one may only repeat it"}
	}
	m, err := trace.ParseMeta(ev)
	if err != nil {
		return err
	}
	s.meta = strings.Clone(ev.Raw)
	return s.configure(&m, ev.Pos)
}

// configure settles how the stream is judged: the options win over its meta.
func (s *stream) configure(m *trace.Meta, pos trace.Pos) error {
	o := &s.run.opts
	refuse := func(err error) error {
		return &trace.Error{Pos: pos, Stream: s.name, Reason: "meta: " + err.Error()}
	}
	profile := o.Profile
	if profile == "" {
		profile = m.Profile
		if err := checkProfile(profile); err != nil {
			return refuse(err)
		}
	}
	names := o.Select
	if len(names) == 0 {
		names = m.Specs
	}
	var err error
	if s.chosen, err = s.run.specs(names); err != nil {
		return refuse(err)
	}
	s.config = Config{Steps: o.Steps, Profile: profile, Attach: o.Attach, Budget: o.Budget, Constants: o.Constants}
	if s.config.Steps == "" {
		s.config.Steps = Steps(m.Steps)
	}
	if s.config.Steps == "" {
		s.config.Steps = Atomic
	}
	if len(m.Constants) > 0 {
		both := map[string]string{}
		for name, raw := range m.Constants {
			both[name] = raw
		}
		for name, raw := range o.Constants {
			both[name] = raw
		}
		s.config.Constants = both
	}
	s.ready = true
	if len(m.Constants) == 0 {
		return nil // those of the options are checked already
	}
	for _, spec := range s.specs() {
		if _, err := spec.New(s.config); err != nil {
			return refuse(err)
		}
	}
	return nil
}

// specs are those that may judge the stream.
func (s *stream) specs() []*Spec {
	if s.chosen != nil {
		return s.chosen
	}
	return s.run.opts.Specs
}

// prepare makes the machines that the event needs, and reports whether any of
// them reads it.
func (s *stream) prepare(ev *trace.Event) (bool, error) {
	s.began = true
	kind := &s.kinds[ev.Kind]
	if kind.prepared {
		return kind.read, nil
	}
	if !s.ready {
		if err := s.configure(&trace.Meta{}, ev.Pos); err != nil {
			return false, err
		}
	}
	kind.prepared = true
	for _, spec := range s.specs() {
		if !spec.Reads(ev.Kind) {
			continue
		}
		kind.read = true
		if s.judgeOf(spec) != nil {
			continue
		}
		config := s.config
		config.Ledger, config.Uses, config.Workspace = NewLedger(len(spec.Waits)), &Uses{}, &s.shard.workspace
		m, err := spec.New(config)
		if err != nil {
			return false, err
		}
		s.judges = append(s.judges, &judge{spec: spec, machine: m, ledger: config.Ledger, uses: config.Uses, provisional: s.chosen == nil,
			desired: StreamState{Stream: s.name, Spec: spec.Name}})
	}
	if !s.run.shared[ev.Kind] {
		for _, j := range s.judges {
			if j.spec.Reads(ev.Kind) {
				if err := s.confirm(j); err != nil {
					return false, err
				}
			}
		}
	}
	if !kind.read && s.chosen == nil {
		return false, &trace.Error{Pos: ev.Pos, Stream: s.name, Reason: fmt.Sprintf(
			"no spec of this version reads events of kind %q; choose the specs that judge with --spec", ev.Kind)}
	}
	return kind.read, nil
}

// confirm lets a provisional judge speak; it may turn out to be unable to.
func (s *stream) confirm(j *judge) error {
	j.provisional = false
	for _, v := range j.withheld {
		s.shard.found = append(s.shard.found, found{v, s.shard.now})
	}
	j.withheld = nil
	return j.failed
}

// settle lets the first of the judges speak where none has had a kind of its
// own, and silences those that have not.
func (s *stream) settle() error {
	for _, j := range s.judges {
		if !j.provisional {
			return nil
		}
	}
	if len(s.judges) == 0 {
		return nil
	}
	return s.confirm(s.judges[0])
}

func (s *stream) judgeOf(spec *Spec) *judge {
	for _, j := range s.judges {
		if j.spec == spec {
			return j
		}
	}
	return nil
}

// Lost forgets the state, after a gap.
func (s *stream) Lost() {
	s.runFirst = trace.Pos{}
	for _, j := range s.judges {
		if j.machine != nil {
			j.machine.Lost()
			j.ledger.reset()
		}
	}
}

// waiting notes a stream that ended between a gap and its next snapshot.
func (s *stream) waiting(r *Runner) {
	if s.seq.Lost() && !s.over {
		r.Fail(&trace.Error{Stream: s.name, Reason: fmt.Sprintf(
			"%s ends after a gap, with no snapshot to go on from: its last %d events were not judged",
			trace.StreamName(s.name), s.seq.Skipped)})
	}
}

// Snapshot overlays the state.
func (s *stream) Snapshot(ev *trace.Event) error {
	if s.over {
		return nil
	}
	read, err := s.prepare(ev)
	if err != nil || !read {
		return err
	}
	if s.runFirst.Line == 0 {
		s.runFirst = ev.Pos
	}
	s.runLast, s.runTime = ev.Pos, strings.Clone(ev.Time)
	s.tick(ev)
	for _, j := range s.judges {
		if err := s.report(j, j.overdue(ev.Pos, s.clock, s.run.opts.Deadline), ev.Pos, ev.Pos, nil); err != nil {
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
	if s.over || s.runFirst.Line == 0 {
		return nil
	}
	first, last := s.runFirst, s.runLast
	s.runFirst = trace.Pos{}
	for _, j := range s.judges {
		if j.machine == nil {
			continue
		}
		findings := j.machine.SnapshotsEnd()
		s.note(j, last, s.runTime)
		if err := s.report(j, findings, first, last, nil); err != nil {
			return err
		}
	}
	return nil
}

// Step judges a step by each spec that reads some event of it.
func (s *stream) Step(step *trace.Step) error {
	if s.over {
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
		late := j.overdue(step.Last(), s.clock, s.run.opts.Deadline)
		if j.machine == nil || !readsAny(j.spec, step) {
			if err := s.report(j, late, step.First(), step.Last(), step); err != nil {
				return err
			}
			continue
		}
		j.ledger.at(step.Last(), s.clock)
		view := s.viewOf(j, step)
		if s.run.opts.Before != nil {
			s.run.opts.Before(view, j.spec.Name, j.machine)
		}
		findings, judged, err := j.machine.Step(view)
		if err != nil {
			if j.provisional {
				j.failed, j.machine = err, nil
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
		}
		s.note(j, step.Last(), step.Events[len(step.Events)-1].Time)
		if s.run.opts.OnStep != nil {
			s.run.opts.OnStep(step, j.spec.Name, j.machine.Explanation(), findings)
		}
		if err := s.report(j, append(late, findings...), step.First(), step.Last(), step); err != nil {
			return err
		}
	}
	return nil
}

// viewOf is the step as the judge's spec is to see it: without the claims that
// name an action which is not its own but another judge's.
func (s *stream) viewOf(j *judge, step *trace.Step) *trace.Step {
	if len(s.judges) == 1 {
		return step
	}
	view := step
	for i := range step.Events {
		name := step.Events[i].Action
		if name == "" || j.spec.hasAction(name) || !s.isAction(name) {
			continue
		}
		if view == step {
			view = &trace.Step{Events: append([]trace.Event(nil), step.Events...)}
		}
		view.Events[i].Actor, view.Events[i].Action = "", ""
	}
	return view
}

func (s *stream) isAction(name string) bool {
	for _, j := range s.judges {
		if j.spec.hasAction(name) {
			return true
		}
	}
	return false
}

func readsAny(spec *Spec, step *trace.Step) bool {
	for i := range step.Events {
		if spec.Reads(step.Events[i].Kind) {
			return true
		}
	}
	return false
}

// note follows whether the stream is in its desired state, and since when.
func (s *stream) note(j *judge, at trace.Pos, time string) {
	if in := j.machine.InDesiredState(); !j.judged || in != j.desired.InDesiredState {
		j.judged = true
		j.desired.InDesiredState = in
		j.desired.SinceFile, j.desired.SinceLine = at.File, at.Line
		j.desired.SinceTime = strings.Clone(time)
	}
}

// report turns findings into violations, and stops the machine unless the run
// is to keep going.
func (s *stream) report(j *judge, findings []Finding, first, last trace.Pos, step *trace.Step) error {
	if len(findings) == 0 {
		return nil
	}
	opts, sh := &s.run.opts, s.shard
	if !opts.KeepGoing {
		findings = firstStep(findings)
	}
	for i := range findings {
		f := &findings[i]
		v := Violation{
			Stream: s.name, Spec: j.spec.Name, Kind: f.Kind, Rule: f.Rule,
			File: f.Pos.File, Line: f.Pos.Line, FirstLine: first.Line, LastLine: last.Line,
			Message: f.Message, Nearest: f.Nearest, Changes: f.Changes, Sequence: f.Sequence,
		}
		if v.Nearest == nil {
			v.Nearest = []Near{}
		}
		j.broke(f)
		switch {
		case f.First.Line > 0:
			v.FirstLine, v.LastLine = f.First.Line, f.Last.Line
			v.span(f.First, f.Last)
		case step != nil:
			v.place(step, f.Pos)
		}
		if j.provisional {
			j.withheld = append(j.withheld, v)
		} else {
			sh.found = append(sh.found, found{v, sh.now})
		}
	}
	if !opts.KeepGoing {
		j.machine = nil
		s.over = true
		for _, other := range s.judges {
			// One that is provisional waits for a kind of its own.
			s.over = s.over && other.machine == nil && !other.provisional
		}
	}
	if opts.MaxViolations > 0 && len(sh.found) >= opts.MaxViolations {
		sh.found = sh.found[:opts.MaxViolations]
		s.run.partial = true // there is but one shard
		return ErrEnough
	}
	return nil
}

// firstStep returns those of the findings that are of the earliest step.
func firstStep(findings []Finding) []Finding {
	first := 0
	for i := range findings {
		if line := findings[i].First.Line; line > 0 && (first == 0 || line < first) {
			first = line
		}
	}
	if first == 0 {
		return findings // all are of the step at hand
	}
	var kept []Finding
	for _, f := range findings {
		if f.First.Line == first {
			kept = append(kept, f)
		}
	}
	return kept
}

// place copies what the report needs of the step, whose bytes die.
func (v *Violation) place(step *trace.Step, at trace.Pos) {
	for i := range step.Events {
		ev := &step.Events[i]
		if ev.Pos == at {
			v.Time = strings.Clone(ev.Time)
			if ev.HasSeq {
				seq := ev.Seq
				v.Seq = &seq
			}
		}
		if i < MaxChanges || ev.Pos == at {
			v.Events = append(v.Events, Event{ev.Pos.File, ev.Pos.Line, json.RawMessage(strings.Clone(ev.Raw))})
		}
	}
	if n := len(step.Events); n > len(v.Events) {
		v.Total = n
	}
	v.span(step.First(), step.Last())
}

// span names the files of the step's bounds where they are others.
func (v *Violation) span(first, last trace.Pos) {
	if first.File != v.File {
		v.FirstFile = first.File
	}
	if last.File != v.File {
		v.LastFile = last.File
	}
}

// tick sets the stream's clock, which does not run backwards.
func (s *stream) tick(ev *trace.Event) {
	if ev.Time != "" {
		s.clock = max(s.clock, ev.Nanos)
	}
}

// timeless notes a stream that a deadline could not be applied to.
func (s *stream) timeless(r *Runner) {
	if r.opts.Deadline > 0 && s.began && s.clock == noTime {
		r.Fail(&trace.Error{Stream: s.name, Reason: fmt.Sprintf(
			"%s has no event with a time, so that no deadline can be judged; run without --deadline", trace.StreamName(s.name))})
	}
}
