package explain

import (
	"errors"

	"tracecheck/trace"
	"tracecheck/validators"
)

// mostLines bounds the lines of a step that is tried in other states. Of a larger step,
// only the violating line is tried.
const mostLines = 64

// follow tries one step in all earlier states, with one spec.
type follow struct {
	spec   string
	causes []Causes // of each action
	tried  trace.Step
	line   int // of the part, an index into tried
	full   bool
	last   lastStep
	now    [][]outcome        // of each action's guards
	saw    []map[string]sight // of each action's clauses
	texts  []spoken           // of these clauses, at the step itself
	reads  *reads
	done   bool // the step itself has come
}

// outcome is the result of a guard in the last state in which the step was tried.
type outcome struct {
	holds bool
	held  string // the values that it read when it last held
}

// lastStep is the step that led to the current state.
type lastStep struct {
	events    []validators.Event
	objects   []object // of the events
	total     int
	snapshots bool
}

// traceBack completes the accounts with histories, changes and causes.
func traceBack(input Input, opts *Options, steps []*step) error {
	streams := map[string]*followed{}
	open := len(steps)
	for _, s := range steps {
		t := &tracked{step: s, after: opts.After, wanting: len(s.objects)}
		t.reads = reads{of: t, named: map[object]*other{}}
		t.reads.broken(s.account.Violations)
		for i := range s.account.Judged {
			if f := s.follow(&s.account.Judged[i]); f != nil {
				f.reads = &t.reads
				t.reads.texts = append(t.reads.texts, f.texts...)
				t.follows = append(t.follows, f)
			}
		}
		if streams[s.account.Stream] == nil {
			streams[s.account.Stream] = follows(&opts.Judge)
		}
		streams[s.account.Stream].add(t)
	}
	each := func(ts *trace.Step, spec string, last trace.Pos, do func(*follow)) {
		list := streams[ts.Events[0].Stream]
		if list == nil {
			return
		}
		for _, t := range list.steps {
			for _, f := range t.follows {
				if !f.done && f.spec == spec {
					do(f)
					f.done = last == t.last
				}
			}
		}
	}
	judging := opts.Judge
	judging.Before = func(ts *trace.Step, spec string, m validators.Machine) {
		p, ok := m.(validators.Prober)
		if !ok {
			return
		}
		each(ts, spec, ts.Last(), func(f *follow) { f.try(p) })
	}
	judging.OnStep = func(ts *trace.Step, spec string, _ []string, _ []validators.Finding) {
		each(ts, spec, trace.Pos{}, func(f *follow) { f.last.of(ts) })
	}
	runner, err := validators.NewRunner(judging)
	if err != nil {
		return err
	}
	err = push(input, func(events []trace.Event) error {
		for i := range events {
			ev := &events[i]
			list := streams[ev.Stream]
			if list == nil {
				continue
			}
			list.take(ev)
			// One by one, so that the hooks see the state after the events so far.
			if err := runner.Push(events[i : i+1]); err != nil {
				return err
			}
			for _, t := range list.steps {
				if t.done() && !t.counted {
					t.counted = true
					open--
				}
				if ev.Op == trace.OpSnapshot {
					for _, f := range t.follows {
						f.last = lastStep{events: []validators.Event{event(ev)}, total: 1, snapshots: true}
					}
				}
			}
			if open == 0 {
				return errDone
			}
		}
		for _, list := range streams {
			list.seq.Own()
		}
		return nil
	})
	runner.Finish() // judges a step that the input's end leaves open
	for _, list := range streams {
		list.end()
	}
	if _, unfit := errors.AsType[*trace.Error](err); unfit || errors.Is(err, validators.ErrEnough) {
		return nil // the first reading has reported it
	}
	return err
}

// follow begins to look for the causes of what the judgement found, nil where no
// guard failed.
func (s *step) follow(j *Judgement) *follow {
	part, nearest := s.nearest(j)
	if nearest == nil {
		return nil
	}
	f := &follow{spec: j.Spec, full: part.full}
	failed, effects := nearest.Failed()
	for i := range part.Attempts {
		a := &part.Attempts[i]
		if n, e := a.Failed(); n != failed || e != effects {
			continue
		}
		c := Causes{Action: a.Action, Alone: len(s.whole.Events) > mostLines}
		for k := range a.Clauses {
			if t := &a.Clauses[k]; !t.Holds && !t.Effect {
				c.Guards = append(c.Guards, Guard{Clause: t.Text, Values: t.Values})
			}
		}
		if len(c.Guards) > 0 {
			f.causes = append(f.causes, c)
			f.now = append(f.now, make([]outcome, len(c.Guards)))
			f.saw = append(f.saw, map[string]sight{})
			for k := range a.Clauses {
				f.texts = append(f.texts, spoken{label(a, &a.Clauses[k]), a.Clauses[k].Values})
			}
		}
	}
	if len(f.causes) == 0 {
		return nil
	}
	j.Causes = f.causes
	for i := range s.whole.Events {
		ev := s.whole.Events[i]
		ev.Time, ev.Nanos = "", 0 // tried at the time of each state
		switch here := ev.Pos.Line == part.Line; {
		case len(s.whole.Events) <= mostLines:
			if here {
				f.line = len(f.tried.Events)
			}
			f.tried.Events = append(f.tried.Events, ev)
		case here:
			f.tried.Events = []trace.Event{ev}
		}
	}
	return f
}

// nearest returns the action that the violation names as nearest, with its part. Otherwise it
// returns the nearest action of the last part.
func (s *step) nearest(j *Judgement) (*Part, *validators.Attempt) {
	for i := range s.account.Violations {
		v := &s.account.Violations[i]
		if v.Spec != j.Spec || v.Rule != validators.NextRule {
			continue
		}
		if len(v.Nearest) > 0 {
			if part, a := named(j.Parts, v.Nearest[0].Action, len(v.Nearest[0].Failed)); a != nil {
				return part, a
			}
		}
		for k := len(j.Parts) - 1; k >= 0; k-- {
			if part := &j.Parts[k]; len(part.Attempts) > 0 {
				return part, &part.Attempts[0]
			}
		}
	}
	return nil, nil
}

// named finds the action among the parts, preferably with the given number of failed clauses.
func named(parts []Part, action string, failed int) (*Part, *validators.Attempt) {
	var part *Part
	var found *validators.Attempt
	for i := range parts {
		for k := range parts[i].Attempts {
			a := &parts[i].Attempts[k]
			if a.Action != action {
				continue
			}
			if n, _ := a.Failed(); n == failed {
				return &parts[i], a
			}
			if found == nil {
				part, found = &parts[i], a
			}
		}
	}
	return part, found
}

// try tries the step in the current state. If the step cannot be an action there, its guards
// are not evaluated.
func (f *follow) try(p validators.Prober) {
	parts := p.Probe(&f.tried)
	for i := range f.causes {
		a := f.attempt(parts, f.causes[i].Action)
		f.look(i, a)
		if a == nil {
			continue
		}
		f.causes[i].States++
		for k := range f.causes[i].Guards {
			g := &f.causes[i].Guards[k]
			for c := range a.Clauses {
				if t := &a.Clauses[c]; t.Text == g.Clause {
					f.see(g, &f.now[i][k], t)
				}
			}
		}
	}
}

// attempt returns the attempt of the action for the same part of the step as at the step
// itself. If the step changes less in this state, it may be that of the other part.
func (f *follow) attempt(parts []validators.Part, action string) (found *validators.Attempt) {
	for i := range parts {
		if parts[i].Line != f.line {
			continue
		}
		for k := range parts[i].Attempts {
			if a := &parts[i].Attempts[k]; a.Action == action && (found == nil || parts[i].Whole == f.full) {
				found = a
			}
		}
	}
	return found
}

// see records the result of a guard in the current state.
func (f *follow) see(g *Guard, now *outcome, t *validators.Tried) {
	if t.Holds {
		*now = outcome{true, t.Values}
		return
	}
	if now.holds {
		now.holds = false
		g.Turned, g.Held, g.Since = true, now.held, t.Values
		g.Events, g.Total, g.Snapshots = f.last.events, f.last.total, f.last.snapshots
	}
}

// of records a judged step.
func (l *lastStep) of(ts *trace.Step) {
	*l = lastStep{total: len(ts.Events)}
	for i := range ts.Events[:min(len(ts.Events), validators.MaxChanges)] {
		ev := ts.Events[i].Clone()
		l.events = append(l.events, event(&ev))
		l.objects = append(l.objects, object{kind: ev.Kind, id: ev.ID})
	}
}
