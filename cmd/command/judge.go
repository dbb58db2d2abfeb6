package command

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/ingest/history"
	"tracecheck/ingest/input"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/postmortem/past"
	"tracecheck/tlaplus/export"
	"tracecheck/trace"
	"tracecheck/validators"
)

// itf is the Informal Trace Format of TLA+ tools.
var itf = ingest.Format{Is: export.IsITF, Lines: export.Lines}

// inputOf are the files and what limits them. Progress is shown on a terminal, unless it
// is not wanted.
func inputOf(env console.Environment, names []string, maxLine flagvalue.Size, log *zap.Logger, noProgress bool) *input.Input {
	in := &input.Input{Names: names, Log: log, Limits: ingest.Options{MaxLine: int(maxLine), Stdin: env.Stdin, Formats: []ingest.Format{itf}}}
	if console.IsTerminal(env.Screen) && !noProgress {
		in.Progress = env.Screen
	}
	return in
}

// judging is one run of an input through a runner.
type judging struct {
	in     *input.Input
	runner *validators.Runner
	seen   func(*validators.Violation) // is called with each violation soon after it is found; nil: nobody looks

	// For what came before violations: the last lines, and of an input that cannot be read
	// again what they said when a violation was found, by its id.
	keep      bool
	known     bool // the machine itself says what came before a violation
	keepBytes int  // 0: what suits the input
	remember  int  // as in validators.Options
	kept      *history.Ring
	histories map[string][]validators.Event
	watched   int             // the violations up to which these were looked up
	reported  map[string]bool // by the id of a violation that seen has seen
}

// judge runs the whole input through the runner. ended says why a partial
// result is partial. With an error, the result is that of what was read before
// it, nil if nothing could be.
func (j *judging) judge(ctx context.Context) (result *validators.Result, ended string, err error) {
	j.begin()
	for batch, e := range j.in.Batches(ctx, "judging") {
		if err = e; err != nil {
			break
		}
		if err = j.push(batch); err == nil {
			err = j.look()
		}
		if err != nil {
			break
		}
	}
	if over := j.runner.Wait(); err == nil {
		err = over
	}
	if closed, ok := errors.AsType[input.NotOpened](err); ok {
		return nil, "", closed.Unwrap()
	}
	unfit, isUnfit := errors.AsType[*trace.Error](err)
	switch {
	case errors.Is(err, validators.ErrEnough):
		ended, err = "--max-violations was reached", nil
	case err == nil:
	case isUnfit:
		j.runner.Fail(unfit)
		err = nil
	case ctx.Err() != nil:
		j.runner.Interrupt()
		ended, err = "it was interrupted", nil
	default:
		j.runner.Interrupt()
		ended = "the input could not be read on"
	}
	result = j.runner.Finish()
	result.Unmapped = j.in.Counts.Unmapped
	return result, ended, err
}

// push has the batch judged, and keeps its lines. Events that live until they are released
// are kept as they are, and judged while the next ones are read.
func (j *judging) push(b input.Batch) error {
	if j.keep {
		b.Hold(j.kept)
	}
	if !b.Keeps() {
		return j.runner.Push(b.Events)
	}
	return j.runner.PushLater(b.Events, b.Release)
}

func (j *judging) begin() {
	j.histories, j.reported = map[string][]validators.Event{}, map[string]bool{}
	if !j.keep {
		return
	}
	size := history.Size
	if j.in.Readable() {
		size = history.SizeOfFiles
	}
	j.kept = history.New(cmp.Or(j.keepBytes, size))
	j.kept.Lines = j.in.Limits.Lines
}

// look looks at the violations that were found since it was last called. Where the input
// cannot be read again, what came before them is looked up while it is kept.
func (j *judging) look() error {
	found := j.runner.Found()
	watch := j.keep && !j.known && j.kept.Full() && len(j.histories) < past.MaxViolations && !j.in.Readable()
	if found == j.watched || j.seen == nil && !watch {
		return nil
	}
	if err := j.runner.Wait(); err != nil {
		return err
	}
	all := j.runner.Violations()
	for i := range all {
		if v := &all[i]; j.seen != nil && !j.reported[v.ID] {
			j.reported[v.ID] = true
			j.seen(v)
		}
	}
	if !watch {
		return nil
	}
	j.watched = found
	all = slices.DeleteFunc(all, func(v validators.Violation) bool { _, known := j.histories[v.ID]; return known })
	if err := past.Find(all, j.remember, j.kept.Each); err != nil && !errors.Is(err, history.ErrStop) {
		return err
	}
	for i := range all[:min(len(all), past.MaxViolations)] {
		j.histories[all[i].ID] = all[i].History
	}
	return nil
}
