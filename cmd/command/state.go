package command

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/postmortem/replay"
	"tracecheck/report"
	"tracecheck/trace"
	"tracecheck/validators/judgeflags"
)

const placesHelp = "A POINT is LINE (of the only file), FILE:LINE, seq:N, or a time such as 2026-11-20T10:00:00Z.\n" +
	"It means the state after this line or time. A POINT within a transaction means the end of the transaction.\n\n" +
	"Exit status: 0 done, 2 wrong usage, no such POINT, or an I/O failure, 3 unusable input."

// replaySettings are the flags of state and diff.
type replaySettings struct {
	logFlags
	at, from, to string
	stream       string
	kinds        flagvalue.Words
	ids          flagvalue.Words
	output       *flagvalue.Choice
	onGap        judgeflags.GapPolicy
	remember     flagvalue.Number
	maxLine      flagvalue.Size
	noProgress   bool
	color        *flagvalue.Choice
}

func newReplaySettings(output *flagvalue.Choice) *replaySettings {
	s := &replaySettings{output: output, onGap: judgeflags.NewGapPolicy(), remember: judgeflags.NewRemember(), color: colorChoice()}
	s.kinds.Known = slices.DeleteFunc(trace.KindNames(), func(name string) bool { return name == trace.KindMeta.String() })
	return s
}

func (s *replaySettings) flags(own ...cli.Flag) []cli.Flag {
	return append(append(own,
		&cli.StringFlag{Name: "stream", Destination: &s.stream, Usage: "show only the stream `NAME`", DefaultText: "all"},
		&cli.GenericFlag{Name: "kind", Value: &s.kinds, Usage: "show only objects of this `KIND` (repeatable, or separated by commas)"},
		&cli.GenericFlag{Name: "id", Value: &s.ids, Usage: "show only the object `ID` (repeatable, or separated by commas)"},
		&cli.GenericFlag{Name: "on-gap", Value: &s.onGap, Usage: "what to do where seq jumps, so lines are missing: `fail|resync`; resync discards the state, and continues at the stream's next snapshot"},
		judgeflags.RememberFlag(&s.remember),
		judgeflags.MapFlag(&s.rules),
		judgeflags.MaxLineFlag(&s.maxLine),
		noProgressFlag(&s.noProgress),
		colorFlag(s.color),
	), s.module.OfBind("full")...) // all variables are shown anyway
}

// The formats of state's --output; a snapshot is a trace.
const outputTrace = "jsonl"

func stateCommand(env console.Environment) *cli.Command {
	s := newReplaySettings(&flagvalue.Choice{Output: true, Value: outputText, Allowed: []string{outputText, outputTrace}})
	return &cli.Command{
		Usage:     "show the objects at a point of a trace",
		ArgsUsage: "TRACE…",
		Description: "Computes each object from its events, including fields that no spec reads. With --output jsonl, the state is the\n" +
			"beginning of a trace: you can append the lines that follow in TRACE.\n\n" +
			"With --bind, the objects are the module's variables.\n\n" + placesHelp,
		Flags: s.flags(
			&cli.StringFlag{Name: "at", Destination: &s.at, Usage: "show the state after `POINT`", DefaultText: "the end"},
			&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: s.output, Usage: "`FORMAT`: text, a table for each kind, or jsonl, snapshot lines"},
		),
		Action: func(c *cli.Context) error {
			if err := s.module.BindFlags.Refuse(c); err != nil {
				return err
			}
			return s.state(c.Context, env, c.IsSet("stream"), c.Args().Slice())
		},
	}
}

func diffCommand(env console.Environment) *cli.Command {
	s := newReplaySettings(outputChoice())
	return &cli.Command{
		Usage:       "show what changed between two points of a trace",
		ArgsUsage:   "TRACE…",
		Description: "Shows the objects that were created, deleted and changed, field by field. With --bind, the objects are the module's variables.\n\n" + placesHelp,
		Flags: s.flags(
			&cli.StringFlag{Name: "from", Destination: &s.from, Usage: "compare the state after `POINT`", DefaultText: "before the first event"},
			&cli.StringFlag{Name: "to", Destination: &s.to, Usage: "with the state after `POINT`", DefaultText: "the end"},
			&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: s.output, Usage: "`FORMAT` of the result: text or json"},
		),
		Action: func(c *cli.Context) error {
			if err := s.module.BindFlags.Refuse(c); err != nil {
				return err
			}
			return s.diff(c.Context, env, c.IsSet("stream"), c.Args().Slice())
		},
	}
}

func (s *replaySettings) state(ctx context.Context, env console.Environment, only bool, names []string) error {
	if s.module.Bind != "" && s.output.Value == outputTrace {
		return errors.New("--output jsonl writes snapshots, and a log of --bind has none: leave it out to see the variables")
	}
	streams, err := s.replay(ctx, env, only, names, s.at)
	if err != nil {
		return err
	}
	if s.output.Value == outputTrace {
		err = replay.Write(report.Visible(env.Stdout), streams[0], s.keep())
	} else {
		err = report.State(env.Stdout, streams[0], s.keep(), textOptions(env, s.color.Value))
	}
	if err != nil {
		return fmt.Errorf("cannot write the state: %w", err)
	}
	return nil
}

func (s *replaySettings) diff(ctx context.Context, env console.Environment, only bool, names []string) error {
	points := []string{s.to, s.from}
	if s.from == "" { // nothing has been shown yet
		points = points[:1]
	}
	states, err := s.replay(ctx, env, only, names, points...)
	if err != nil {
		return err
	}
	var from []*replay.Stream
	if len(states) > 1 {
		from = states[1]
	}
	list := report.Diffs(from, states[0], s.keep())
	if s.output.Value == outputJSON {
		err = report.DiffJSON(env.Stdout, list)
	} else {
		err = report.Diff(env.Stdout, list, textOptions(env, s.color.Value))
	}
	if err != nil {
		return fmt.Errorf("cannot write the differences: %w", err)
	}
	return nil
}
