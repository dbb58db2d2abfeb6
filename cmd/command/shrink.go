package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"
	"go.uber.org/zap"

	"tracecheck/ingest/input"
	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/internal/tracefile"
	"tracecheck/postmortem/replay"
	"tracecheck/postmortem/shrink"
	"tracecheck/trace"
	"tracecheck/validators"
)

// shrinkSettings are the flags of slice and of shrink.
type shrinkSettings struct {
	*settings
	out    tracefile.Flags
	around string
	slice  bool
	beside shrink.Given
}

func sliceCommand(env console.Environment) *cli.Command {
	return shrinkingCommand(env, &cli.Command{
		Usage: "keep only the few steps of a trace that show a violation",
		Description: "The result begins with snapshots of the related objects. Then it has the fewest whole steps of\n" +
			"the trace that show the same violation, with unchanged lines.\n\n" + shrinkStatus,
	}, true)
}

func shrinkCommand(env console.Environment) *cli.Command {
	return shrinkingCommand(env, &cli.Command{
		Usage: "make a minimal trace that shows the same violation",
		Description: "Removes streams, objects, steps, lines and fields. In the result, a line of the same object breaks\n" +
			"the same rule in the same way. It also replaces steps by snapshots. For a wait that is too long, it keeps\n" +
			"the lines that caused it. Nothing more can be removed from the result.\n\n" + shrinkStatus,
	}, false)
}

const shrinkStatus = "The flags for judging are those of validate. The result's meta line has the spec, the profile, the steps and the constants.\n\n" +
	"Exit status: 0 written, 2 wrong usage, no such violation or an I/O failure, 3 the input is not a trace."

// decidingFlags are the flags of validate that affect the violations.
var decidingFlags = []string{"spec", "steps", "profile", "constant", "attach", "deadline", "on-gap", "remember", "map", "max-line", "budget"}

// aboutBind are the flags about a bind file. A meta line cannot have them.
var aboutBind = []string{"bind", "module-path", "env", "max-states"}

func shrinkingCommand(env console.Environment, cmd *cli.Command, slice bool) *cli.Command {
	s := &shrinkSettings{settings: newSettings(env.Specs), out: tracefile.NewFlags(), slice: slice}
	cmd.ArgsUsage = "TRACE…"
	cmd.Flags = append(s.out.List(),
		&cli.StringFlag{Name: "around", Destination: &s.around, Usage: "take the violation whose step has `LINE`, or FILE:LINE", DefaultText: "the first"})
	cmd.Flags = slices.Concat(cmd.Flags, s.only(decidingFlags), s.module.OfBind("full"))
	cmd.Action = func(c *cli.Context) error {
		if err := s.module.BindFlags.Refuse(c); err != nil {
			return err
		}
		s.beside = cmdline.Giving(c, aboutBind)
		return s.run(c.Context, env, env.Specs, c.Args().Slice())
	}
	return cmd
}

func (s *shrinkSettings) run(ctx context.Context, env console.Environment, all []*validators.Spec, names []string) error {
	if len(names) == 0 {
		return errors.New("no trace: name its files, or - for standard input")
	}
	var at trace.Pos // the zero position: the first violation
	if s.around != "" {
		var err error
		if at, err = replay.ParseLine(s.around, names); err != nil {
			return fmt.Errorf("--around: %w", err)
		}
	}
	all, err := s.module.Bound(all)
	if err != nil {
		return err
	}
	if s.module.Order() != nil {
		return errors.New("a log with order cannot be made shorter: its clocks count all lines")
	}
	in, err := s.input(env, names, s.MaxLine, zap.NewNop(), false)
	if err != nil {
		return err
	}
	in.Repeat = true
	out, err := s.out.Open(env)
	if err != nil {
		return err
	}
	options := s.Options(all)
	v, lines, err := s.find(ctx, in, options, at)
	if err != nil {
		return unusable(err)
	}
	began := time.Now()
	result, err := shrink.Of(ctx, func(ctx context.Context, do func([]trace.Event) error) error {
		return in.Each(ctx, "reading again", do)
	}, v, s.wanted(options))
	if err != nil {
		return unusable(err)
	}
	for _, line := range result.Lines {
		if _, err := io.WriteString(out, line+"\n"); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	found := fmt.Sprintf("%d of %d lines show it", len(result.Lines), lines)
	if len(result.Lines) > lines { // with a meta line of its own
		found = "no shorter trace shows it"
	}
	fmt.Fprintf(env.Stderr, "tracecheck: %s: %s %s %s at line %d (%d shorter traces judged in %s)\n",
		found, v.Spec, v.Kind, v.Rule, result.Violation.Line, result.Runs, time.Since(began).Round(time.Millisecond))
	if flags := result.Flags(s.beside); flags != "" {
		fmt.Fprintf(env.Stderr, "tracecheck: to see it: tracecheck validate%s %s\n", flags, s.out.OrFile())
	}
	return nil
}

// find judges the trace to find the violation. If no stream's first violation is at the
// position, it continues after the first ones.
func (s *shrinkSettings) find(ctx context.Context, in *input.Input, options validators.Options, at trace.Pos) (*validators.Violation, int, error) {
	for {
		runner, err := validators.NewRunner(options)
		if err != nil {
			return nil, 0, err
		}
		result, _, err := (&judging{in: in, runner: runner}).judge(ctx)
		if err != nil {
			return nil, 0, err
		}
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		for i := range result.Violations {
			if v := &result.Violations[i]; at.Line == 0 || shrink.Spans(v, at) {
				return v, result.Events, nil
			}
		}
		switch {
		case len(result.Violations) == 0 && result.Verdict == validators.Unusable:
			return nil, 0, &trace.Error{Reason: result.Reason}
		case len(result.Violations) == 0:
			return nil, 0, errors.New("the trace conforms: there is no violation to show; pass the flags with which `tracecheck validate` reports one")
		case options.KeepGoing:
			return nil, 0, fmt.Errorf("there is no violation at %s: the first is at %s:%d", at, result.Violations[0].File, result.Violations[0].Line)
		}
		options.KeepGoing = true
	}
}

// wanted returns the options for the result.
func (s *shrinkSettings) wanted(judge validators.Options) shrink.Options {
	o := shrink.Options{Judge: judge, Slice: s.slice}
	if lines := s.module.Lines(); lines != nil {
		o.Lines = lines()
	}
	return o
}
