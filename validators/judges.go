package validators

import (
	"fmt"
	"maps"
	"slices"

	"tracecheck/trace"
)

// The settings of a stream, and its judges: the specs that may judge it, those
// that it needs, and those of them that may report.

// judge is one spec's machine on one stream.
type judge struct {
	spec    *Spec
	machine Machine // nil after it has stopped
	judged  bool    // it has judged a step or a snapshot
	desired bool    // the stream is in its desired state

	// A spec that was not selected judges a stream only if a kind appears that
	// no other spec reads. Until then it is provisional.
	provisional bool

	reads  trace.KindSet // the kinds of its spec
	counts *counts       // how often each action explained a step; shared in the shard unless provisional
	ledger Ledger
	uses   Uses
	by     *settings // their profile applies
	cover  *Cover    // nil: coverage is not counted

	since     trace.Pos // when desired last changed
	sinceTime string
	forfeited map[string]Stamp // the temporal properties that are violated
	trial     *trial           // findings of a provisional judge; nil: none
}

// trial is what a provisional judge withholds.
type trial struct {
	withheld []Violation
	failed   error // why it cannot judge, while it is provisional
}

// counts are indexed by action.
type counts struct{ list []int }

// failed is why it cannot judge; nil: it can.
func (j *judge) failed() error {
	if j.trial == nil {
		return nil
	}
	return j.trial.failed
}

// fail notes why it cannot judge. Withheld findings stay.
func (j *judge) fail(err error) {
	if j.trial == nil {
		j.trial = &trial{}
	}
	j.trial.failed = err
}

// stateOf returns whether the judge sees the stream in its desired state.
func (s *stream) stateOf(j *judge) StreamState {
	return StreamState{Stream: s.name, Recording: s.recordingNumber(), Spec: j.spec.Name,
		InDesiredState: j.desired, SinceFile: j.since.File, SinceLine: j.since.Line, SinceTime: j.sinceTime}
}

// settings are how a stream is judged. They are immutable, and streams share
// them.
type settings struct {
	config Config
	chosen []*Spec // nil: every spec that reads a kind of the stream
}

// useSettings applies the settings to the stream.
func (s *stream) useSettings(by settings) {
	sh := s.shard
	if last := sh.settled; last == nil || !last.equal(&by) {
		own := by // by itself need not be allocated
		sh.settled = &own
	}
	s.settings = sh.settled
}

func (a *settings) equal(b *settings) bool {
	return a.config.Steps == b.config.Steps && a.config.Profile == b.config.Profile &&
		(a.chosen == nil) == (b.chosen == nil) && slices.Equal(a.chosen, b.chosen) && maps.Equal(a.config.Constants, b.config.Constants)
}

// configure computes the settings. Options take precedence over the meta line.
func (s *stream) configure(m *trace.Meta, pos trace.Pos) error {
	o := &s.shard.run.opts
	refuse := func(err error) error {
		return &trace.Error{Pos: pos, Stream: s.name, Reason: "meta: " + err.Error()}
	}
	profile := o.Profile
	if profile == "" {
		profile = m.Profile
		if err := checkProfile(profile, o.Specs); err != nil {
			return refuse(err)
		}
	}
	names := o.Select
	switch {
	case len(names) > 0:
	case len(o.Specs) == 1 && o.Specs[0].File != "":
		names = []string{o.Specs[0].Name} // a module read at run time judges any trace
	default:
		names = m.Specs
	}
	chosen, err := s.shard.run.specs(names)
	if err != nil {
		return refuse(err)
	}
	config := Config{Steps: o.Steps, Profile: profile, Attach: o.Attach, Budget: o.Budget, Constants: o.Constants}
	if config.Steps == "" {
		config.Steps = Steps(m.Steps)
	}
	if config.Steps == "" {
		config.Steps = Atomic
	}
	if len(m.Constants) > 0 {
		both := map[string]string{}
		for name, raw := range m.Constants {
			if both[name] = raw; !slices.Contains(s.shard.run.constants, name) {
				s.shard.notes.ignore(name, pos)
			}
		}
		for name, raw := range o.Constants {
			both[name] = raw
		}
		config.Constants = both
	}
	s.useSettings(settings{config, chosen})
	s.ready = true
	if len(m.Constants) == 0 {
		return nil // the options were checked already
	}
	for _, spec := range s.specs() {
		if _, err := spec.New(s.config); err != nil {
			s.ready = false
			return refuse(err)
		}
	}
	return nil
}

// specs returns those that may judge the stream.
func (s *stream) specs() []*Spec {
	if s.chosen != nil {
		return s.chosen
	}
	return s.shard.run.opts.Specs
}

// prepare creates the machines that the event needs. It reports whether any
// spec reads the event.
func (s *stream) prepare(ev *trace.Event) (bool, error) {
	s.began = true
	if s.prepared.Has(ev.Kind) {
		return s.read.Has(ev.Kind), nil
	}
	if !s.ready {
		if err := s.configure(&trace.Meta{}, ev.Pos); err != nil {
			return false, err
		}
	}
	s.prepared.Add(ev.Kind)
	for _, spec := range s.specs() {
		if !spec.Reads(ev.Kind) {
			continue
		}
		s.read.Add(ev.Kind)
		if s.judgeOf(spec) != nil {
			continue
		}
		j, err := s.newJudge(spec)
		if err != nil {
			return false, err
		}
		if s.judges == nil {
			s.judges = s.room[:0]
		}
		s.judges = append(s.judges, j)
	}
	if !s.shard.run.shared[ev.Kind] {
		for _, j := range s.judges {
			if j.spec.Reads(ev.Kind) {
				if err := s.confirm(j); err != nil {
					return false, err
				}
			}
		}
	}
	read := s.read.Has(ev.Kind)
	if !read && s.chosen == nil {
		return false, &trace.Error{Pos: ev.Pos, Stream: s.name, Reason: fmt.Sprintf(
			"no spec of this version reads events of kind %q; choose the specs that judge with --spec", ev.Kind)}
	}
	return read, nil
}

// newJudge returns a judge with an empty machine.
func (s *stream) newJudge(spec *Spec) (*judge, error) {
	j := &s.lone
	if j.spec != nil {
		j = &judge{}
	}
	*j = judge{spec: spec, provisional: s.chosen == nil}
	for _, k := range spec.Kinds {
		j.reads.Add(k)
	}
	if err := s.equip(j); err != nil {
		return nil, err
	}
	if j.provisional {
		j.counts = &counts{make([]int, len(spec.Actions))}
	} else {
		j.counts = s.shard.countsOf(j.law())
	}
	return j, nil
}

// equip gives the judge an empty machine.
func (s *stream) equip(j *judge) error {
	config := s.config
	j.by, j.ledger = s.settings, newLedger(len(j.spec.Waits))
	config.Ledger, config.Uses, config.Workspace = &j.ledger, &j.uses, &s.shard.workspace
	if s.shard.run.opts.Coverage {
		j.cover = NewCover()
		config.Cover = j.cover
	}
	m, err := j.spec.New(config)
	j.machine = m
	return err
}

// revive restarts a judge that could not continue. It is called between a gap
// and the next snapshot.
func (s *stream) revive(j *judge) {
	if s.equip(j) == nil { // settings that were valid stay valid
		j.fail(nil)
	}
}

// confirm lets a provisional judge report. The judge may turn out to have
// failed.
func (s *stream) confirm(j *judge) error {
	if j.provisional {
		j.provisional = false
		own := j.counts
		j.counts = s.shard.countsOf(j.law())
		for i, n := range own.list {
			j.counts.list[i] += n
		}
	}
	if t := j.trial; t != nil {
		s.shard.found = append(s.shard.found, t.withheld...)
		s.shard.run.found.Add(int64(len(t.withheld)))
		s.broken += len(t.withheld)
		t.withheld = nil
	}
	return j.failed()
}

// settle confirms the first judge if all are provisional, and drops the other
// provisional judges.
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

// viewOf is the step for the judge's spec: without claims of an action that
// only another judge's spec has.
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
	return slices.ContainsFunc(s.judges, func(j *judge) bool { return j.spec.hasAction(name) })
}

func (j *judge) readsAny(step *trace.Step) bool {
	for i := range step.Events {
		if j.reads.Has(step.Events[i].Kind) {
			return true
		}
	}
	return false
}
