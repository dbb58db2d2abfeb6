// Package shrink makes short traces of long ones that show the same violation.
package shrink

import (
	"context"
	"errors"
	"strings"

	"tracecheck/ingest"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Options say how the violation was found, and what is wanted.
type Options struct {
	Judge validators.Options // as the run was judged that found the violation
	Slice bool               // keep whole steps, with their lines as they are

	// Lines reads the lines of another log, one event of each; nil: they are format 1. Such
	// a log has no snapshots: what is left of it is lines of the stream, from its beginning.
	Lines ingest.LineDecoder
}

// Source calls do with a trace's events, in order, block by block; do keeps
// nothing of them. Each call starts at the beginning. An error of do ends it and is
// returned.
type Source func(ctx context.Context, do func([]trace.Event) error) error

// Result is a short trace.
type Result struct {
	Lines     []string             // of which the first is its meta line, but of another log
	Violation validators.Violation // as the lines show it
	Later     bool                 // the lines show others before it: it takes validators.Options.KeepGoing to see it
	Story     []int                // of a liveness violation: the lines that made it so, from 1, though it would show without them
	Runs      int                  // how many shorter traces were judged
}

// Spans says that the violation's step has the line.
func Spans(v *validators.Violation, at trace.Pos) bool {
	first, last := trace.Pos{File: v.File, Line: v.FirstLine}, trace.Pos{File: v.File, Line: v.LastLine}
	if v.FirstFile != "" {
		first.File = v.FirstFile
	}
	if v.LastFile != "" {
		last.File = v.LastFile
	}
	switch at.File {
	case first.File:
		return at.Line >= first.Line && (first.File != last.File || at.Line <= last.Line)
	case last.File:
		return at.Line <= last.Line
	}
	return false
}

// Flags are those that show the violation of the lines: the flags beside that the meta line
// cannot hold, and one more if other violations come first.
func (r *Result) Flags(beside string) string {
	if r.Later {
		return " --keep-going" + beside
	}
	return beside
}

// ErrNotAgain says that the violation does not show when the trace is judged
// again.
var ErrNotAgain = errors.New("the violation does not show again when its stream is judged by its spec alone")

// Of returns a trace that shows the violation: the same rule of the same spec,
// broken in the same way by an event of the same object, and no rule that the
// trace does not break there. Of liveness, the same object waits for the same
// action, since the same step, and what made it so is there. Options that a meta
// line holds (spec, steps, profile, constants) are in the first line; the others
// must be given again where the trace is judged. An error is ErrNotAgain, one of
// the source, or that of ctx.
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
	shown := j.shows(d)
	if j.err != nil {
		return nil, j.err
	}
	if shown == nil {
		return nil, ErrNotAgain
	}
	return &Result{Lines: d.text(), Violation: *shown, Later: j.opts.KeepGoing, Story: d.storyLines(), Runs: j.runs}, nil
}

// jury says of drafts whether they show the violation.
type jury struct {
	ctx     context.Context
	spec    *validators.Spec
	slice   bool
	lines   ingest.LineDecoder // of another log; nil: format 1
	opts    validators.Options
	want    mark
	owed    *validators.Waiting // of liveness: what waits for too long; of a predicate, what has waited longest then
	foreign map[string]bool     // actions of other specs
	beside  map[string]bool     // rules that may be broken by the same step; nil: any
	broken  map[string]bool     // by the draft that was judged last
	runs    int
	err     error // nothing can be said any more
}

// mark is what makes two violations the same.
type mark struct {
	kind    validators.ViolationKind
	rule    string
	how     string    // the nearest action with what failed of it, or the message; of liveness, what waits for what
	object  objectKey // of the event that breaks the rule
	anybody bool      // of whichever event
}

type objectKey struct {
	kind trace.Kind
	id   string
}

func newJury(ctx context.Context, v *validators.Violation, opts Options) (*jury, error) {
	j := &jury{ctx: ctx, slice: opts.Slice, lines: opts.Lines, foreign: map[string]bool{}}
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
		Deadline: judge.Deadline, Prompt: judge.Prompt, Budget: judge.Budget, Shards: 1, KeepGoing: v.Kind == validators.OfLiveness,
	}
	j.want = mark{kind: v.Kind, rule: v.Rule, how: how(v), anybody: true}
	return j, nil
}

// how is in which way the rule is broken.
func how(v *validators.Violation) string {
	if v.Waiting != nil {
		return asText(v.Waiting)
	}
	if len(v.Nearest) > 0 {
		return v.Nearest[0].Action + ": " + strings.Join(v.Nearest[0].Failed, "; ")
	}
	text, _, _ := strings.Cut(v.Message, " (") // what follows are values
	return text
}

// shows judges the draft and returns the violation that it shows, nil if it
// shows none, or another one.
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
		return nil // a line without the field that names its stream
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
		if j.want.anybody {
			same.object, same.anybody = j.want.object, true
		}
		if same == j.want && (v.Waiting == nil || j.owes(d, events, v)) {
			return v
		}
	}
	return nil
}

// follows says that the violation is no other than the one that is wanted: that a
// predicate does not hold, where an action is owed that may be all it takes.
func (j *jury) follows(v *validators.Violation) bool {
	return j.want.kind == validators.OfLiveness && v.Waiting != nil && v.Waiting.Kind == ""
}

func (j *jury) accepts(d *draft) bool { return j.shows(d) != nil }
