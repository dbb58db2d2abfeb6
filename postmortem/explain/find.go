package explain

import (
	"cmp"
	"errors"
	"slices"

	"github.com/tidwall/gjson"

	"tracecheck/postmortem/past"
	"tracecheck/postmortem/replay"
	"tracecheck/trace"
	"tracecheck/validators"
)

// step is a step to explain.
type step struct {
	account     Account
	first, last trace.Pos
	whole       trace.Step // it owns its bytes; without events: a run of snapshots
	objects     []object
	seen        bool
	violations  []*validators.Violation // of the result; the account has copies
}

// object identifies the object of an event.
type object struct {
	kind      trace.Kind
	id        string
	namespace string // of a syncer; "": unknown, as its line may leave it out
}

// objectOf is what the event's line alone shows.
func objectOf(ev *trace.Event) object {
	var none replay.Stream
	return object{ev.Kind, ev.ID, none.Namespace(ev)}
}

// is reports whether the two may be one object.
func (o object) is(p object) bool {
	return o.kind == p.kind && o.id == p.id && (o.namespace == p.namespace || o.namespace == "" || p.namespace == "")
}

// holds reports whether the line belongs to the step.
func (s *step) holds(stream string, first, last trace.Pos) bool {
	return s.account.Stream == stream && s.first == first && s.last == last
}

// finder finds the steps in the input, and tries them in their states.
type finder struct {
	opts  *Options
	steps []*step
}

// find returns the steps to explain, in the order of the input.
func find(input Input, opts *Options, result *validators.Result) ([]*step, error) {
	f := &finder{opts: opts}
	for i := range result.Violations {
		f.add(&result.Violations[i])
	}
	if opts.Line.Line == 0 && len(f.steps) == 0 {
		return nil, nil
	}
	judging := opts.Judge
	judging.Before, judging.OnStep = f.before, f.after
	runner, err := validators.NewRunner(judging)
	if err != nil {
		return nil, err
	}
	histories := past.Watch(result.Violations, judging.Remember)
	unread, file, line := true, opts.Line.File, opts.Line.Line
	err = push(input, func(events []trace.Event) error {
		for i := range events {
			ev := &events[i]
			if ev.Pos.File == file && ev.Pos.Line == line {
				unread = false
				if ev.Op == trace.OpSnapshot || ev.Kind == trace.KindMeta {
					f.line(ev)
				}
			}
			f.snapshots(ev)
		}
		_ = histories.Push(events) // what is unfit ends the judging, too
		return runner.Push(events)
	})
	histories.Close()
	for _, s := range f.steps {
		for i := range s.account.Violations {
			s.account.Violations[i] = *s.violations[i]
		}
	}
	if unfit, ok := errors.AsType[*trace.Error](err); ok {
		runner.Fail(unfit)
		err = nil
	}
	if err != nil && !errors.Is(err, validators.ErrEnough) {
		return nil, err
	}
	after := runner.Finish()
	steps := slices.DeleteFunc(f.steps, func(s *step) bool { return opts.Line.Line > 0 && !s.seen })
	switch {
	case opts.Line.Line == 0:
	case unread:
		return nil, notJudged(opts.Line, "the trace has no such line")
	case len(steps) == 0 && after.Verdict == validators.Unusable && after.Reason != "":
		return nil, notJudged(opts.Line, after.Reason)
	case len(steps) == 0:
		return nil, notJudged(opts.Line, "the line is not part of a judged step: it is a meta line, a duplicate, skipped at a gap, or a snapshot that breaks no rule; or no chosen spec reads its kind")
	}
	return steps, nil
}

// add adds a violation. Violations of one step are one entry.
func (f *finder) add(v *validators.Violation) {
	if f.opts.Only && v.Stream != f.opts.Stream {
		return
	}
	if at := f.opts.Line; at.Line > 0 && v.FirstFile == "" && v.LastFile == "" && (at.File != v.File || at.Line < v.FirstLine || at.Line > v.LastLine) {
		return
	}
	first, last := trace.Pos{File: cmp.Or(v.FirstFile, v.File), Line: v.FirstLine}, trace.Pos{File: cmp.Or(v.LastFile, v.File), Line: v.LastLine}
	for _, s := range f.steps {
		if s.holds(v.Stream, first, last) {
			s.account.Violations, s.violations = append(s.account.Violations, *v), append(s.violations, v)
			return
		}
	}
	if f.opts.Line.Line == 0 && len(f.steps) == cmp.Or(f.opts.Steps, MaxSteps) {
		return
	}
	f.steps = append(f.steps, &step{first: first, last: last, violations: []*validators.Violation{v}, account: Account{
		Stream: v.Stream, First: Place{File: first.File, Line: first.Line}, Last: Place{File: last.File, Line: last.Line},
		Violations: []validators.Violation{*v}, Judged: []Judgement{}}})
}

// wanted returns the step if it is to be explained, else nil.
func (f *finder) wanted(ts *trace.Step) *step {
	stream := ts.Events[0].Stream
	if f.opts.Only && stream != f.opts.Stream {
		return nil
	}
	named := f.opts.Line.Line > 0
	has := func(ev trace.Event) bool { return ev.Pos == f.opts.Line }
	if named && !slices.ContainsFunc(ts.Events, has) {
		return nil
	}
	for _, s := range f.steps {
		if s.holds(stream, ts.First(), ts.Last()) {
			return s
		}
	}
	if !named {
		return nil
	}
	s := &step{account: Account{Violations: []validators.Violation{}, Judged: []Judgement{}}}
	f.steps = append(f.steps, s)
	return s
}

// before is the Runner's hook.
func (f *finder) before(ts *trace.Step, spec string, m validators.Machine) {
	s := f.wanted(ts)
	if s == nil {
		return
	}
	if !s.seen {
		s.see(ts.Events)
	}
	if v, ok := m.(validators.Variables); ok {
		s.variables(v)
	}
	j := Judgement{Spec: spec}
	if p, ok := m.(validators.Prober); ok {
		parts, whole := p.Probe(ts), 0
		for i := range parts {
			if parts[i].Whole {
				whole++
			}
		}
		for _, part := range parts {
			j.Parts = append(j.Parts, Part{
				What: part.What, Line: ts.Events[part.Line].Pos.Line, Whole: part.Whole && whole == 1, full: part.Whole, Attempts: part.Attempts,
			})
		}
	}
	s.account.Judged = append(s.account.Judged, j)
}

// see records the step's lines.
func (s *step) see(events []trace.Event) {
	s.seen = true
	a := &s.account
	for i := range events {
		ev := events[i].Clone()
		s.whole.Events = append(s.whole.Events, ev)
		if len(a.Events) < validators.MaxChanges {
			a.Events = append(a.Events, event(&ev))
		}
		s.about(&ev)
	}
	a.Stream = s.whole.Events[0].Stream
	s.first, s.last = s.whole.First(), s.whole.Last()
	a.First, a.Last, a.Total = place(&s.whole.Events[0]), place(&s.whole.Events[len(events)-1]), len(events)
}

// variables records the state before the step from a module's machine. For a violation, it
// records only the variables that the violation names.
func (s *step) variables(m validators.Variables) {
	a := &s.account
	for i := range a.Violations {
		a.State = append(a.State, a.Violations[i].State...)
	}
	if len(a.State) == 0 {
		m.Objects(func(_ trace.Kind, id string, object []byte) {
			a.State = append(a.State, validators.Binding{Name: id, Value: gjson.GetBytes(object, "value").Str})
		})
	}
	for i := range a.State {
		if list := m.Writes(a.State[i].Name); len(list) > 0 {
			a.Objects = append(a.Objects, History{Kind: trace.KindVariable.String(), ID: a.State[i].Name, Before: list})
		}
	}
}

// about records the event's object.
func (s *step) about(ev *trace.Event) {
	if ev.Kind == trace.KindLine {
		return // the event has no object
	}
	switch o := objectOf(ev); {
	case slices.ContainsFunc(s.objects, o.is):
	case len(s.objects) == MaxObjects:
		s.account.MoreObjects++
	default:
		s.objects = append(s.objects, o)
		s.account.Objects = append(s.account.Objects, History{Kind: o.kind.String(), ID: o.id, Namespace: o.namespace, Before: []validators.Event{}})
	}
}

// after is the Runner's hook.
func (f *finder) after(ts *trace.Step, spec string, by []string, _ []validators.Finding) {
	s := f.wanted(ts)
	if s == nil {
		return
	}
	for i := range s.account.Judged {
		if j := &s.account.Judged[i]; j.Spec == spec {
			j.By = slices.Clone(by) // a machine may reuse its list
			j.Allowances = allowances(f.opts.Judge.Specs, spec, by)
		}
	}
}

func allowances(specs []*validators.Spec, name string, by []string) (list []Allowance) {
	for _, spec := range specs {
		if spec.Name != name {
			continue
		}
		for _, a := range spec.Allows() {
			if slices.Contains(by, a.Name) {
				list = append(list, Allowance{Name: a.Name, Doc: a.Doc, Relaxes: a.Relaxes, Source: a.Source})
			}
		}
	}
	return list
}

// snapshots records the line of a run of snapshots that broke a rule.
func (f *finder) snapshots(ev *trace.Event) {
	if ev.Op != trace.OpSnapshot {
		return
	}
	for _, s := range f.steps {
		for i := range s.account.Violations {
			v := &s.account.Violations[i]
			if s.account.Stream == ev.Stream && v.Line == ev.Pos.Line && v.File == ev.Pos.File && len(s.whole.Events) == 0 {
				own := ev.Clone()
				s.about(&own)
			}
		}
	}
}

// line handles a named line that does not belong to a step.
func (f *finder) line(ev *trace.Event) {
	for _, s := range f.steps {
		for i := range s.account.Violations {
			v := &s.account.Violations[i]
			s.seen = s.seen || s.account.Stream == ev.Stream && v.File == ev.Pos.File && v.Line == ev.Pos.Line
		}
	}
}
