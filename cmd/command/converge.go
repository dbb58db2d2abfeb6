package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/postmortem/converge"
	"tracecheck/postmortem/converge/live"
	"tracecheck/report"
	"tracecheck/trace"
	"tracecheck/validators/judgeflags"
)

// convergeSettings are the flags of converge.
type convergeSettings struct {
	logFlags
	socket      string
	services    flagvalue.Words
	stream      string
	since       flagvalue.Moment
	timeout     flagvalue.Duration
	stable      flagvalue.Duration
	grace       flagvalue.Duration
	maxFailures flagvalue.Number
	output      *flagvalue.Choice
	quiet       bool
	noProgress  bool
	maxLine     flagvalue.Size
	color       *flagvalue.Choice
}

func convergeCommand(env console.Environment) *cli.Command {
	s := &convergeSettings{
		timeout: flagvalue.Duration(5 * time.Minute), stable: flagvalue.Duration(10 * time.Second), grace: flagvalue.Duration(30 * time.Second),
		maxFailures: flagvalue.Number{Value: 3}, output: outputChoice(), color: colorChoice(),
	}
	return &cli.Command{
		Usage:     "wait until a swarm's services have converged",
		ArgsUsage: "[TRACE…]",
		Description: "Waits until each named service has been in SwarmKit's desired state for --stable, with all\n" +
			"tasks of its current spec. If a service cannot reach this state, the wait ends early, with the\n" +
			"reason. --swarm watches a live swarm. Otherwise TRACE is a recording, and the times of its\n" +
			"events count. Several files, in order, are one trace; - is standard input.\n\n" +
			"Exit status: 0 converged, 1 not converged, 2 wrong usage or an I/O failure, 3 cannot tell.",
		Flags: s.flags(),
		Action: func(c *cli.Context) error {
			if c.IsSet("bind") {
				return errors.New("converge waits for services of a swarm, which a module of --bind does not have: turn the log into a trace with --map")
			}
			return s.run(c.Context, env, c.Args().Slice())
		},
	}
}

func (s *convergeSettings) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "swarm", Destination: &s.socket, Usage: "watch the live swarm behind a manager's control `SOCKET`", DefaultText: "the files named"},
		&cli.GenericFlag{Name: "service", Value: &s.services, Usage: "wait for the service with this `NAME` or id (repeatable, or separated by commas)"},
		&cli.GenericFlag{Name: "timeout", Value: &s.timeout, Usage: "stop waiting after `DURATION`"},
		&cli.GenericFlag{Name: "stable", Value: &s.stable, Usage: "the services must stay converged for `DURATION`"},
		&cli.GenericFlag{Name: "grace", Value: &s.grace, Usage: "stop when a task has had no suitable node, or no port, for `DURATION`"},
		&cli.GenericFlag{Name: "max-failures", Value: &s.maxFailures, Usage: "stop when `N` tasks of one slot have failed or ended by themselves; 0: no bound"},
		&cli.GenericFlag{Name: "since", Value: &s.since, Usage: "for a recording: begin the wait at `TIME`, such as 2026-11-20T10:00:00Z", DefaultText: "its first event"},
		&cli.StringFlag{Name: "stream", Destination: &s.stream, Usage: "for a recording: read the stream `NAME`", DefaultText: "the only one"},
		judgeflags.MapFlag(&s.rules),
		&cli.StringFlag{Name: "bind", Hidden: true},
		judgeflags.MaxLineFlag(&s.maxLine),
		&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: s.output, Usage: "`FORMAT` of the result: text or json"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &s.quiet, Usage: "print no text report; only set the exit status", DisableDefaultText: true},
		noProgressFlag(&s.noProgress),
		colorFlag(s.color),
	}
}

// options returns the settings of the Gate.
func (s *convergeSettings) options() converge.Options {
	return converge.Options{
		Services: s.services.Values, Stream: s.stream, Since: time.Time(s.since), Stable: time.Duration(s.stable),
		Timeout: time.Duration(s.timeout), Grace: time.Duration(s.grace), MaxFailures: s.maxFailures.Value,
	}
}

func (s *convergeSettings) run(ctx context.Context, env console.Environment, names []string) error {
	if err := s.check(names); err != nil {
		return err
	}
	options := s.options()
	if s.socket != "" {
		options.Since = time.Now()
	}
	gate, err := converge.New(options)
	if err != nil {
		return err
	}
	var show io.Writer // the terminal to show progress on; nil: none
	if console.IsTerminal(env.Screen) && !s.quiet && !s.noProgress {
		show = env.Screen
	}
	if s.socket != "" {
		wait := &live.Wait{Gate: gate, Socket: s.socket, Options: options, Log: console.NewLogger(env.Stderr, false), Show: show}
		err = wait.Run(ctx)
	} else {
		err = s.read(ctx, env, gate, names, show)
	}
	if err != nil {
		return err
	}
	result := gate.Result()
	if err := s.print(env, result); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	return exit(result.Verdict.ExitStatus())
}

// check checks the combination of the flags.
func (s *convergeSettings) check(names []string) error {
	switch {
	case s.socket == "" && len(names) == 0:
		return errors.New("no input: name the manager's control socket with --swarm, or the files of a recording")
	case s.socket != "" && len(names) > 0:
		return errors.New("--swarm watches a live swarm, not files: give one or the other")
	case s.socket != "" && !time.Time(s.since).IsZero():
		return errors.New("--since is for recordings: the wait for a live swarm begins now")
	case s.socket != "" && s.rules != "":
		return errRulesOfSwarm
	case s.socket != "" && s.stream != "":
		return errors.New("--stream is for recordings: a live swarm has one stream")
	}
	return nil
}

// errDecided ends the reading of a recording: the rest does not count.
var errDecided = errors.New("decided")

// read follows a recording until the gate decides.
func (s *convergeSettings) read(ctx context.Context, env console.Environment, gate *converge.Gate, names []string, show io.Writer) error {
	in, err := s.input(env, names, s.maxLine, console.NewLogger(env.Stderr, false), show == nil)
	if err != nil {
		return err
	}
	err = in.Each(ctx, "reading", func(events []trace.Event) error {
		if err := gate.Push(events); err != nil {
			return err
		}
		if gate.Result() != nil {
			return errDecided
		}
		return nil
	})
	unfit, isUnfit := errors.AsType[*trace.Error](err)
	switch {
	case err == nil, errors.Is(err, errDecided):
		gate.Finish()
	case isUnfit:
		gate.Fail(unfit)
	case ctx.Err() != nil:
		gate.Interrupt()
	default:
		return err
	}
	return nil
}

func (s *convergeSettings) print(env console.Environment, result *converge.Result) error {
	switch {
	case s.output.Value == outputJSON:
		return report.Encode(env.Stdout, result)
	case s.quiet:
		return nil
	}
	return report.Converge(env.Stdout, result, textOptions(env, s.color.Value).Color)
}
