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
	"tracecheck/tlaplus/moduleflags"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/judgeflags"
)

// itf is the Informal Trace Format of TLA+ tools.
var itf = ingest.Format{Is: export.IsITF, Lines: export.Lines}

// logFlags set the format of the files: traces, or logs in another format.
type logFlags struct {
	rules  string
	module moduleflags.Flags
}

// input returns the input. A bind file must have been read before. A terminal shows a progress
// bar, unless noProgress is set.
func (l *logFlags) input(env console.Environment, names []string, maxLine flagvalue.Size, log *zap.Logger, noProgress bool) (*input.Input, error) {
	if err := judgeflags.NoFile(names, env.Specs); err != nil {
		return nil, err
	}
	rules, err := judgeflags.Rules(l.rules, env.Specs)
	in := &input.Input{Names: names, Log: log, Rules: rules, Order: l.module.Order(),
		Limits: ingest.Options{MaxLine: int(maxLine), Stdin: env.Stdin, Formats: []ingest.Format{itf}, Lines: l.module.Lines()}}
	if console.IsTerminal(env.Screen) && !noProgress {
		in.Progress = env.Screen
	}
	return in, err
}

// judging is one run of an input through a runner.
type judging struct {
	in     *input.Input
	runner *validators.Runner
	seen   func(*validators.Violation) // called with each violation soon after it is found; nil: not called
	grown  func(objects int)           // called with the number of live objects after each batch; nil: not called

	// For what came before violations: the last lines, and of an input that cannot be read
	// again what they said when a violation was found, by its id.
	keep      bool
	known     bool // the machine itself has the history of a violation
	keepBytes int  // 0: the default for the input
	remember  int  // as in validators.Options
	kept      *history.Ring
	histories map[string][]validators.Event
	misnamed  []string        // notes on the first events
	watched   int             // the violations up to which these were looked up
	reported  map[string]bool // by the id of each violation that seen was called with
}

// judge runs the whole input through the runner. ended is the reason for a partial result. With
// an error, the result is that of the events before it, nil if there are none.
func (j *judging) judge(ctx context.Context) (result *validators.Result, ended string, err error) {
	j.begin()
	j.in.Found = j.runner.Found
	for batch, e := range j.in.Batches(ctx, "judging") {
		if err = e; err != nil {
			break
		}
		if j.keep && !j.known && j.misnamed == nil {
			j.misnamed = past.Misnamed(batch.Events)
		}
		if err = j.push(batch); err == nil {
			err = j.look()
		}
		if err != nil {
			break
		}
	}
	err = cmp.Or(err, j.runner.Wait())
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

// push judges the batch, and keeps its lines. Events that are valid until Release are kept
// without a copy, and judged while the next ones are read.
func (j *judging) push(b input.Batch) error {
	if j.grown != nil {
		j.grown(j.runner.Objects())
	}
	b.Hold(j.kept)
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

// look handles the violations that were found since the last call. If the input cannot be read
// again, it finds their history now, while the lines are kept.
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
	if err := past.Find(all, j.remember, j.kept.Each); err != nil {
		return err
	}
	for i := range all[:min(len(all), past.MaxViolations)] {
		j.histories[all[i].ID] = all[i].History
	}
	return nil
}
