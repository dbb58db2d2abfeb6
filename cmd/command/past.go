package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"go.uber.org/zap"

	"tracecheck/ingest/history"
	"tracecheck/postmortem/past"
	"tracecheck/report"
	"tracecheck/trace"
	"tracecheck/validators"
)

// again calls do with the events that were read, in order: from memory, as far as they
// are kept there, or else from the input, if that can be read again. from is where they
// begin, if the beginning is in neither.
func (j *job) again(ctx context.Context, what string, do func([]trace.Event) error) (from trace.Pos, err error) {
	start, whole := j.kept.Reach()
	switch {
	case whole:
		err = j.kept.Each(do)
	case j.readable():
		err = j.each(ctx, what, do)
	default:
		from, err = start, j.kept.Each(do)
	}
	if _, unfit := errors.AsType[*trace.Error](err); unfit || errors.Is(err, history.Stop) {
		err = nil // the end of what was judged
	}
	return from, err
}

// readable reports whether the input can be read again.
func (j *job) readable() bool {
	if j.source != nil {
		return j.source.again()
	}
	return !slices.ContainsFunc(j.names, func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.Mode().IsRegular()
	})
}

// watch looks up what came before the violations found so far, while it is known:
// where the input cannot be read again, memory has its last lines only.
func (j *job) watch(runner *validators.Runner) error {
	found := runner.Found()
	if !j.keep || found == j.watched || !j.kept.Full() || len(j.histories) >= past.MaxViolations || j.readable() {
		return nil
	}
	if err := runner.Wait(); err != nil {
		return err
	}
	j.watched = found
	fresh := slices.DeleteFunc(runner.Violations(), func(v validators.Violation) bool { _, known := j.histories[v.ID]; return known })
	if err := past.Find(fresh, j.remember, j.kept.Each); err != nil && !errors.Is(err, history.Stop) {
		return err
	}
	for i := range fresh[:min(len(fresh), past.MaxViolations)] {
		j.histories[fresh[i].ID] = fresh[i].History
	}
	return nil
}

// history gives the violations the last earlier events of the same objects. why says
// what stands against it.
func (j *job) history(ctx context.Context, violations []validators.Violation) (why string) {
	if len(violations) == 0 || j.lines != nil { // a machine of a bind file says it itself
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
		return "what happened before to the same objects was not looked up: the run was interrupted."
	case err != nil:
		j.log.Warn("cannot look up what happened before", zap.Error(err))
	case from.File != "":
		return fmt.Sprintf("what happened before to the same objects is known from the last %s before a violation: the input cannot be read again.", report.Count(history.Size>>20, "MiB"))
	}
	if n := len(violations); n > past.MaxViolations {
		return fmt.Sprintf("what happened before to the same objects is shown for the first %d violations.", past.MaxViolations)
	}
	return ""
}

// timeline gives the document its timeline, of the input as far as it was judged. why
// says what stands against it.
func (j *job) timeline(ctx context.Context, d *report.Document) (why string) {
	t := report.NewTimeline(d)
	left := d.Result.Events
	from, err := j.again(ctx, "timeline", func(events []trace.Event) error {
		for i := range events {
			if left == 0 {
				return history.Stop
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
		j.log.Warn("cannot read the input again for the timeline", zap.Error(err))
		return "there is no timeline: the input could not be read again."
	case from.File != "":
		why = fmt.Sprintf("the timeline begins at %s: the input cannot be read again, and its last %s are kept.", from, report.Count(history.Size>>20, "MiB"))
	}
	d.Timeline = t
	return why
}

// repeated is each of an input that is read several times: from memory, if all of it is
// kept there, or else from the files.
func (j *job) repeated(ctx context.Context, what string, do func([]trace.Event) error) error {
	readable := j.readable()
	if j.kept != nil {
		_, whole := j.kept.Reach()
		switch {
		case whole && !j.cut:
			return cmp.Or(j.kept.Each(do), j.ended)
		case readable:
			return j.once(ctx, what, do)
		}
		return fmt.Errorf("the trace is read more than once, and it has more than the %s that are kept of what is no file: write it to one first",
			report.Count(history.SizeToRepeat>>20, "MiB"))
	}
	j.kept = history.New(cmp.Or(j.keepBytes, history.SizeToRepeat))
	var stopped error
	j.ended = j.once(ctx, what, func(events []trace.Event) error {
		j.kept.Add(events)
		if stopped == nil {
			stopped = do(events)
		}
		if j.cut = stopped != nil && readable; j.cut {
			return stopped
		}
		return nil // the rest is kept: it cannot be read later
	})
	return cmp.Or(stopped, j.ended)
}
