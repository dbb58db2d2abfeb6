package validators

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tracecheck/trace"
)

// Findings become violations: they get the context of the step or the
// snapshots.

// report turns findings into violations. Unless the run keeps going, it stops
// the machine.
func (s *stream) report(j *judge, findings []Finding, first, last trace.Pos, step *trace.Step) error {
	if len(findings) == 0 {
		return nil
	}
	opts, sh := &s.shard.run.opts, s.shard
	known := s.known(j, findings)
	if !opts.KeepGoing {
		findings, known = sh.run.firstStep(findings, known)
	}
	sh.known += len(known)
	var broke map[ruleAt]int
	if len(findings) > 1 {
		broke = map[ruleAt]int{}
	}
	for i := range findings {
		f := &findings[i]
		v := Violation{
			Stream: s.name, Spec: j.spec.Name, Kind: f.Kind, Rule: f.Rule,
			File: f.Pos.File, Line: f.Pos.Line, FirstLine: first.Line, LastLine: last.Line,
			Message: f.Message, Nearest: f.Nearest, Changes: f.Changes, Sequence: f.Sequence,
			Waiting: f.Waiting, Text: f.Text, State: f.State, History: f.History,
		}
		if offset, ok := f.Pos.Offset(); ok {
			v.Offset = &offset
		}
		if v.Nearest == nil {
			v.Nearest = []Near{}
		}
		j.broke(f)
		switch {
		case f.First.Line > 0:
			v.FirstLine, v.LastLine = f.First.Line, f.Last.Line
			v.Span(f.First, f.Last)
		case step != nil:
			v.place(step, f.Pos)
		default: // a run of snapshots
			v.Span(first, last)
		}
		at := ruleAt{f.Rule, f.Pos}
		if v.identify(s.showed(f, last, step), broke[at]); broke != nil {
			broke[at]++
		}
		switch {
		case known[i]:
		case j.provisional:
			s.withhold(j, v)
		default:
			sh.found = append(sh.found, v)
			sh.run.found.Add(1)
			s.broken++
		}
	}
	if len(known) == len(findings) {
		return nil // judging continues as after a conforming step
	}
	if !opts.KeepGoing {
		j.machine = nil
		s.over = true
		for _, other := range s.judges {
			// A provisional one waits for a kind of its own.
			s.over = s.over && other.machine == nil && !other.provisional
		}
	}
	if opts.MaxViolations > 0 && len(sh.found) >= opts.MaxViolations {
		sh.found = sh.found[:opts.MaxViolations]
		s.shard.run.Interrupt() // there is only one shard
		return ErrEnough
	}
	return nil
}

// withhold keeps a violation of a provisional judge. An endless run bounds
// their number: at the bound the judge gives up.
func (s *stream) withhold(j *judge, v Violation) {
	if j.trial == nil {
		j.trial = &trial{}
	}
	switch t := j.trial; {
	case t.failed != nil: // it failed in this step
	case !s.shard.run.opts.Recover || len(t.withheld) < mostWithheld:
		t.withheld = append(t.withheld, v)
	default:
		reason := &trace.Error{Pos: trace.Pos{File: v.File, Line: v.Line}, Stream: v.Stream, Reason: fmt.Sprintf(
			"more than %d steps are none of %s, and no setting names that spec: choose the specs with --spec", mostWithheld, j.spec.Name)}
		j.machine, *t = nil, trial{failed: reason}
		if !slices.ContainsFunc(s.judges, func(j *judge) bool { return !j.provisional }) {
			s.trouble(reason, false) // no judge reports
		}
	}
}

const mostWithheld = 1000

// known returns the indices of the findings that the baseline has: they are only counted.
func (s *stream) known(j *judge, findings []Finding) map[int]bool {
	list := s.shard.run.opts.Known
	if len(list) == 0 {
		return nil
	}
	known := map[int]bool{}
	for i := range findings {
		f := &findings[i]
		v := Violation{Stream: s.name, Spec: j.spec.Name, Kind: f.Kind, Rule: f.Rule, Changes: f.Changes, Nearest: f.Nearest, Waiting: f.Waiting, Message: f.Message}
		if list[v.Fingerprint()] {
			known[i] = true
		}
	}
	return known
}

// firstStep returns the findings up to the earliest step with an unknown one.
func (r *Runner) firstStep(findings []Finding, known map[int]bool) ([]Finding, map[int]bool) {
	var first trace.Pos
	for i := range findings {
		if at := findings[i].First; at.Line > 0 && !known[i] && (first.Line == 0 || r.order(at, first, "", "") < 0) {
			first = at
		}
	}
	if first.Line == 0 {
		return findings, known // all belong to the current step
	}
	var kept []Finding
	stay := map[int]bool{}
	for i, f := range findings {
		if f.First == first || known[i] && f.First.Line > 0 && r.order(f.First, first, "", "") < 0 {
			if known[i] {
				stay[len(kept)] = true
			}
			kept = append(kept, f)
		}
	}
	return kept, stay
}

// place copies what the report needs of the step: its bytes are reused.
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
	v.Span(step.First(), step.Last())
}

// Span names the files of the step's first and last line, if they differ from the violation's.
func (v *Violation) Span(first, last trace.Pos) {
	if first.File != v.File {
		v.FirstFile = first.File
	}
	if last.File != v.File {
		v.LastFile = last.File
	}
}

// last is the position of the step's last line.
func (v *Violation) last() trace.Pos {
	return trace.Pos{File: cmp.Or(v.LastFile, v.File), Line: v.LastLine}
}
