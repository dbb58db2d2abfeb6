package input

import (
	"cmp"
	"context"
	"fmt"

	"tracecheck/ingest/history"
	"tracecheck/trace"
)

// repeated reads the input. A later reading is from memory if all lines are kept there,
// else from the files.
func (in *Input) repeated(ctx context.Context, what string, take func(Batch) error) error {
	readable := in.Readable()
	if in.kept != nil {
		_, whole := in.kept.Reach()
		switch {
		case whole && !in.cut:
			return cmp.Or(in.kept.Each(func(events []trace.Event) error { return take(Batch{Events: events}) }), in.ended)
		case readable:
			return in.once(ctx, what, take)
		}
		return fmt.Errorf("the trace is read more than once, and at most %d MiB of standard input are kept: write it to a file first",
			history.SizeToRepeat>>20)
	}
	in.kept = history.New(cmp.Or(in.keepBytes, history.SizeToRepeat))
	in.kept.Lines = in.Limits.Lines
	var stopped error
	in.ended = in.once(ctx, what, func(b Batch) error {
		b.Hold(in.kept)
		if stopped == nil {
			stopped = take(b)
		} else {
			b.Release()
		}
		if in.cut = stopped != nil && readable; in.cut {
			return stopped
		}
		return nil // read on: the rest must be kept, since it cannot be read later
	})
	return cmp.Or(stopped, in.ended)
}
