package command

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/postmortem/replay"
	"tracecheck/trace"
	"tracecheck/validators"
)

// replay reads the trace once and returns the streams at each of the points.
func (s *replaySettings) replay(ctx context.Context, env console.Environment, only bool, names []string, points ...string) ([][]*replay.Stream, error) {
	if len(names) == 0 {
		return nil, errors.New("no trace: name its files, or - for standard input")
	}
	if _, err := s.module.Bound(nil); err != nil {
		return nil, err
	}
	for _, kind := range s.kinds.Values {
		if !slices.Contains(s.kinds.Known, kind) {
			return nil, cmdline.UnknownWord("kind", kind, s.kinds.Known)
		}
	}
	replays := make([]*replay.Replay, len(points))
	for i, text := range points {
		opts := replay.Options{Stream: s.stream, Only: only, Remember: s.remember.Value, Initially: replay.Initially(env.Specs), OnGap: s.onGap.Policy()}
		if b := s.module.With; b != nil {
			opts.Reordered = b.Order() != nil
			opts.Machine = func() (validators.Machine, error) { return b.Spec.New(validators.Config{}) }
		}
		if text != "" {
			var err error
			if opts.At, err = replay.ParsePoint(text, names); err != nil {
				return nil, err
			}
			if s.module.With != nil && !opts.At.IsLine() {
				return nil, fmt.Errorf("%q is not a position in a log that --bind describes: expected LINE or FILE:LINE", text)
			}
		}
		replays[i] = replay.New(opts)
	}
	in, err := s.input(env, names, s.maxLine, console.NewLogger(env.Stderr, false), s.noProgress)
	if err != nil {
		return nil, err
	}
	read := func(push func([]trace.Event) error) error { return in.Each(ctx, "reading", push) }
	if err := replay.Feed(read, replays); err != nil {
		return nil, unusable(err)
	}
	states := make([][]*replay.Stream, len(replays))
	for i, r := range replays {
		states[i] = r.Streams()
	}
	return states, nil
}

// unusableInput is an error of the input. The exit status is that of the verdict unusable.
type unusableInput struct{ error }

func unusable(err error) error {
	if bad, ok := errors.AsType[*trace.Error](err); ok {
		return unusableInput{bad}
	}
	return err
}

// keep returns the filter of the flags, or nil.
func (s *replaySettings) keep() func(*replay.Object) bool {
	if len(s.kinds.Values)+len(s.ids.Values) == 0 {
		return nil
	}
	return func(o *replay.Object) bool {
		return (len(s.kinds.Values) == 0 || slices.Contains(s.kinds.Values, o.Kind.String())) &&
			(len(s.ids.Values) == 0 || slices.Contains(s.ids.Values, o.ID))
	}
}
