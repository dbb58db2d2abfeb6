package command

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"tracecheck/ingest/history"
	"tracecheck/internal/amount"
	"tracecheck/postmortem/past"
	"tracecheck/report"
	"tracecheck/trace"
	"tracecheck/validators"
)

// again calls do with the events again, in order: from memory, or else from the input if it can
// be read again. from is the first available position if the beginning is lost.
func (j *judging) again(ctx context.Context, what string, do func([]trace.Event) error) (from trace.Pos, err error) {
	var start trace.Pos
	whole := false
	if j.kept != nil {
		start, whole = j.kept.Reach()
	}
	switch {
	case whole:
		err = j.kept.Each(do)
	case j.in.Readable():
		err = j.in.Each(ctx, what, do)
	case j.kept == nil:
		err = errors.New("none of its lines were kept")
	default:
		from, err = start, j.kept.Each(do)
	}
	if _, unfit := errors.AsType[*trace.Error](err); unfit || errors.Is(err, trace.ErrStop) {
		err = nil // the end of what was judged
	}
	return from, err
}

// history sets the history of the violations: the last earlier events of the same objects. why
// is the reason if it cannot.
func (j *judging) history(ctx context.Context, violations []validators.Violation) (why string) {
	if len(violations) == 0 || j.known {
		return ""
	}
	var from trace.Pos
	err := past.Find(violations, j.remember, func(do func([]trace.Event) error) (err error) {
		from, err = j.again(ctx, "history", do)
		return err
	})
	for i := range violations[:min(len(violations), past.MaxViolations)] {
		if kept, known := j.histories[violations[i].ID]; known {
			violations[i].History = kept
		}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return "the earlier events of the same objects are missing: the run was interrupted."
	case err != nil:
		j.in.Log.Warn("cannot find the earlier events of the objects", zap.Error(err))
	case from.File != "":
		past.Forget(violations)
		return fmt.Sprintf("the earlier events of the same objects come from the last %s before a violation: the input cannot be read again.", amount.Of(history.Size>>20, "MiB"))
	}
	if n := len(violations); n > past.MaxViolations {
		return fmt.Sprintf("the earlier events of the same objects are shown for the first %d violations.", past.MaxViolations)
	}
	return ""
}

// timeline sets the document's timeline, up to the last judged event. why is the reason if it
// cannot.
func (j *judging) timeline(ctx context.Context, d *report.Document) (why string) {
	t := report.NewTimeline(d)
	left := d.Result.Events
	from, err := j.again(ctx, "timeline", func(events []trace.Event) error {
		for i := range events {
			if left == 0 {
				return trace.ErrStop
			}
			left--
			t.Add(&events[i])
		}
		return nil
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return "there is no timeline: the run was interrupted."
	case err != nil:
		j.in.Log.Warn("cannot read the input again for the timeline", zap.Error(err))
		return "there is no timeline: the input could not be read again."
	case from.File != "":
		why = fmt.Sprintf("the timeline begins at %s: the input cannot be read again, and its last %s are kept.", from, amount.Of(history.Size>>20, "MiB"))
	}
	d.Timeline = t
	return why
}
