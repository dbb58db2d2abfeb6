package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.uber.org/zap"

	"tracecheck/report"
	"tracecheck/trace"
)

// timeline reads the input once more, as far as it was judged, and gives the
// document its timeline. why says what stands against it.
func (j *job) timeline(ctx context.Context, d *report.Document) (why string) {
	for _, name := range j.names {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return fmt.Sprintf("there is no timeline: it is shown only for files, which can be read twice: %q is none.", name)
		}
	}
	t := report.NewTimeline(d)
	left := d.Result.Events
	err := j.each(ctx, "timeline", func(events []trace.Event) error {
		for i := range events {
			if left == 0 {
				return errComplete
			}
			left--
			t.Add(&events[i])
		}
		return nil
	})
	_, unfit := errors.AsType[*trace.Error](err)
	switch {
	case err == nil, err == errComplete, unfit: // the end of what was judged
	case ctx.Err() != nil:
		return "there is no timeline: the run was interrupted."
	default:
		j.log.Warn("cannot read the input again for the timeline", zap.Error(err))
		return "there is no timeline: the input could not be read again."
	}
	d.Timeline = t
	return ""
}
