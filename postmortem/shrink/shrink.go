// Package shrink makes short traces of long ones that show the same violation.
package shrink

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"tracecheck/ingest"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Options set how the violation was found, and the form of the result.
type Options struct {
	Judge validators.Options // the settings of the run that found the violation
	Slice bool               // keep whole steps, with unchanged lines

	// Lines decodes a log in another format, with one event for each line; nil: the lines
	// have format 1. Such a log has no snapshots, so the result has lines from its beginning.
	Lines ingest.LineDecoder
}

// Source calls do with a trace's events, in order, block by block. do must not keep references
// to them. Each call starts at the beginning. An error of do ends the call, and is returned.
type Source func(ctx context.Context, do func([]trace.Event) error) error

// Result is a short trace.
type Result struct {
	Lines     []string             // the first is its meta line, except in a log of another format
	Violation validators.Violation // the violation in these lines
	Later     bool                 // the lines show other violations before it: judging needs validators.Options.KeepGoing
	Story     []int                // for a liveness violation: the numbers of the lines that caused it, from 1
	Runs      int                  // the number of shorter traces that were judged
}

// Spans reports whether the violation's step has the line.
func Spans(v *validators.Violation, at trace.Pos) bool {
	first, last := trace.Pos{File: cmp.Or(v.FirstFile, v.File), Line: v.FirstLine}, trace.Pos{File: cmp.Or(v.LastFile, v.File), Line: v.LastLine}
	switch at.File {
	case first.File:
		return at.Line >= first.Line && (first.File != last.File || at.Line <= last.Line)
	case last.File:
		return at.Line <= last.Line
	}
	return false
}

// Given returns the given ones of the named flags of the run, with a space before each.
type Given func(names ...string) string

// Flags returns the flags that judging the result needs: those that a meta line cannot have, and
// one more if other violations come first. Only a wait that is too long needs a deadline: the
// result of another violation may have no times. A nil beside gives no flags.
func (r *Result) Flags(beside Given) string {
	flags := ""
	if r.Later {
		flags = " --keep-going"
	}
	if beside == nil {
		return flags
	}
	names := []string{"attach", "budget"}
	if r.Violation.Kind == validators.OfLiveness {
		names = append(names, "deadline")
	}
	return flags + beside(names...)
}

// ErrNotAgain means that the violation does not show when the trace is judged again.
var ErrNotAgain = errors.New("the violation does not show again when its stream is judged by its spec alone")

// Of returns a short trace that shows the violation: an event of the same object breaks the
// same rule of the same spec in the same way. It breaks no rule that the trace does not break
// there. For liveness, the same object waits for the same action since the same step. The
// lines that caused the wait are kept. The first line has the options that a meta line can
// have (spec, steps, profile, constants). Pass the others again to judge the result. An error
// is ErrNotAgain, that of the source, or that of ctx.
func Of(ctx context.Context, source Source, v *validators.Violation, opts Options) (*Result, error) {
	j, err := newJury(ctx, v, opts)
	if err != nil {
		return nil, err
	}
	d, err := j.cut(source, v, &opts.Judge)
	if err != nil {
		return nil, err
	}
	if d = j.earliest(d); j.err != nil {
		return nil, j.err
	}
	switch {
	case opts.Slice && j.lines != nil:
		d = j.reduce(j.reduce(d, (*draft).withoutValues), (*draft).withoutLines)
	case opts.Slice:
		d = j.reduce(d, (*draft).withoutSnapshots)
	default:
		d = j.shrink(d)
	}
	d = d.numbered()
	later := j.opts.KeepGoing
	j.opts.KeepGoing = false // what came before may be gone
	shown := j.shows(d)
	if later = later && shown == nil; later {
		j.opts.KeepGoing = true
		shown = j.shows(d)
	}
	if j.err != nil {
		return nil, j.err
	}
	if shown == nil {
		return nil, ErrNotAgain
	}
	return &Result{Lines: d.text(), Violation: *shown, Later: later, Story: d.storyLines(), Runs: j.runs}, nil
}

// jury judges drafts: do they show the violation?
type jury struct {
	ctx     context.Context
	spec    *validators.Spec
	slice   bool
	lines   ingest.LineDecoder // of another log; nil: format 1
	opts    validators.Options
	want    mark
	owed    *validators.Waiting // for liveness: the wait that is too long; for a predicate, the longest wait
	foreign map[string]bool     // actions of other specs
	claim   bool                // the violation is a claim, which stays
	beside  map[string]bool     // rules that the same step may break; nil: any
	broken  map[string]bool     // rules that the last judged draft breaks
	runs    int
	err     error // judging has failed
}

// mark identifies a violation: two violations with equal marks are the same.
type mark struct {
	kind      validators.ViolationKind
	rule      string
	how       string    // the nearest action with its failed clauses, or the message; for liveness, the wait
	object    objectKey // the object of the event that breaks the rule
	anyObject bool      // the object does not matter
}

type objectKey struct {
	kind trace.Kind
	id   string
}

func newJury(ctx context.Context, v *validators.Violation, opts Options) (*jury, error) {
	j := &jury{ctx: ctx, slice: opts.Slice, lines: opts.Lines, foreign: map[string]bool{}, claim: v.Kind == validators.OfClaim}
	judge := &opts.Judge
	for _, s := range judge.Specs {
		if s.Name == v.Spec {
			j.spec = s
		}
	}
	if j.spec == nil {
		return nil, errors.New("there is no spec " + v.Spec)
	}
	for _, s := range judge.Specs {
		for i := range s.Actions {
			j.foreign[s.Actions[i].Name] = true
		}
	}
	for i := range j.spec.Actions {
		delete(j.foreign, j.spec.Actions[i].Name)
	}
	j.opts = validators.Options{
		Specs: []*validators.Spec{j.spec}, Attach: judge.Attach, OnGap: judge.OnGap, Remember: judge.Remember,
		Budget: judge.Budget, Shards: 1,
	}
	if v.Kind == validators.OfLiveness {
		j.opts.Deadline, j.opts.Prompt, j.opts.KeepGoing = judge.Deadline, judge.Prompt, true
	}
	j.want = mark{kind: v.Kind, rule: v.Rule, how: how(v), anyObject: true}
	return j, nil
}

// how returns in which way the rule is broken.
func how(v *validators.Violation) string {
	if v.Waiting != nil {
		return asText(v.Waiting)
	}
	if len(v.Nearest) > 0 {
		return v.Nearest[0].Action + ": " + strings.Join(v.Nearest[0].Failed, "; ")
	}
	text, _, _ := strings.Cut(v.Message, " (") // values follow
	return text
}

// shows judges the draft. It returns the violation, or nil if the draft does not show it.
func (j *jury) shows(d *draft) *validators.Violation {
	if j.err == nil {
		j.err = j.ctx.Err()
	}
	if j.err != nil || !d.isWhole() {
		return nil
	}
	j.runs++
	runner, err := validators.NewRunner(j.opts)
	if err != nil {
		j.err = err
		return nil
	}
	events, err := j.events(d)
	if err != nil {
		return nil // a line lacks the field that names its stream
	}
	if err := runner.Push(events); err != nil {
		return nil
	}
	result := runner.Finish()
	if result.Verdict != validators.Violated {
		return nil
	}
	j.broken = map[string]bool{}
	for i := range result.Violations {
		rule := string(result.Violations[i].Kind) + " " + result.Violations[i].Rule
		if j.broken[rule] = true; j.beside != nil && !j.beside[rule] && !j.follows(&result.Violations[i]) {
			return nil
		}
	}
	for i := range result.Violations {
		v := &result.Violations[i]
		at := &events[v.Line-1]
		same := mark{kind: v.Kind, rule: v.Rule, how: how(v), object: objectKey{at.Kind, at.ID}}
		if j.want.anyObject {
			same.object, same.anyObject = j.want.object, true
		}
		if same == j.want && (v.Waiting == nil || j.owes(d, events, v)) {
			return v
		}
	}
	return nil
}

// follows reports whether the violation is only a consequence of the wanted one: a predicate
// does not hold, perhaps only because of the wait.
func (j *jury) follows(v *validators.Violation) bool {
	return j.want.kind == validators.OfLiveness && v.Waiting != nil && v.Waiting.Kind == ""
}

func (j *jury) accepts(d *draft) bool { return j.shows(d) != nil }
