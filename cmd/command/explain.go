package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/amount"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/postmortem/explain"
	"tracecheck/postmortem/past"
	"tracecheck/postmortem/replay"
	"tracecheck/report"
	"tracecheck/tlaplus/tracespec"
	"tracecheck/trace"
	"tracecheck/validators"
)

// explainSettings are the flags of explain: those for judging, and its own.
type explainSettings struct {
	*settings
	format *flagvalue.Choice
	stream string
	line   string
	after  flagvalue.Number
}

// judgingFlags are the flags for judging of validate, explain and report.
var judgingFlags = slices.Concat(decidingFlags, []string{"bind", "module", "config", "module-path", "env", "any-path", "full", "max-states"})

func explainCommand(env console.Environment) *cli.Command {
	s := &explainSettings{settings: newSettings(env.Specs), format: outputChoice()}
	return &cli.Command{
		Usage:     "explain a violating step, or any step, in depth",
		ArgsUsage: "TRACE…",
		Description: "Explains the first violating step of each stream. It shows every action that the step could have been, clause by clause,\n" +
			"with the values that the clauses read. For each failed guard of the nearest action, it shows which earlier step made it\n" +
			"fail. It also shows the whole history of the step's objects. It reads the trace three times. If standard input\n" +
			"is longer than 64 MiB, write it to a file first. It judges on one processor only.\n\n" +
			"Exit status: 0 the step conforms, 1 it is a violation, 2 wrong usage or an I/O failure, 3 unusable input.",
		Flags: append([]cli.Flag{
			&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: s.format, Usage: "`FORMAT` of the explanation: text or json"},
			&cli.StringFlag{Name: "line", Destination: &s.line, Usage: "explain the step of `LINE`, or FILE:LINE, even if it conforms", DefaultText: "the violating steps"},
			&cli.StringFlag{Name: "stream", Destination: &s.stream, Usage: "explain only steps of the stream `NAME`", DefaultText: "all"},
			&cli.GenericFlag{Name: "after", Value: &s.after, Usage: "also show `N` later events of each object", DefaultText: "0"},
		}, s.only(slices.Concat(judgingFlags, []string{"keep-going", "no-progress", "color"}))...),
		Action: func(c *cli.Context) error {
			if err := s.module.Refuse(c, "line"); err != nil {
				return err
			}
			return s.run(c.Context, env, env.Specs, c.IsSet("stream"), c.Args().Slice())
		},
	}
}

func (s *explainSettings) run(ctx context.Context, env console.Environment, all []*validators.Spec, only bool, names []string) error {
	if s.module.Given() {
		return s.runModule(ctx, env, names)
	}
	all, err := s.module.Bound(all)
	if err != nil {
		return err
	}
	log := console.NewLogger(env.Stderr, false)
	opts := explain.Options{Judge: s.Options(all), Stream: s.stream, Only: only, After: s.after.Value}
	if len(names) == 0 {
		return errors.New("no trace to explain: name its files, or - for standard input")
	}
	if s.line != "" {
		var err error
		if opts.Line, err = replay.ParseLine(s.line, names); err != nil {
			return err
		}
	}
	in, err := s.input(env, names, s.MaxLine, log, s.noProgress)
	if err != nil {
		return err
	}
	in.Repeat = true
	accounts, result, err := explain.Explain(func(push func([]trace.Event) error) error { return in.Each(ctx, "reading", push) }, opts)
	return s.show(env, accounts, result, err)
}

// runModule explains a step of a trace spec's log.
func (s *explainSettings) runModule(ctx context.Context, env console.Environment, names []string) error {
	o, log, err := s.module.Options(names)
	if err != nil {
		return err
	}
	var line trace.Pos
	if s.line != "" {
		if line, err = replay.ParseLine(s.line, []string{log}); err != nil {
			return err
		}
	}
	done := s.watch(env, &o)
	accounts, result, err := tracespec.Explain(ctx, o, log, s.module.Full, line.Line)
	done()
	if result == nil {
		return err
	}
	return s.show(env, accounts, result, err)
}

// show writes the accounts, or the reason why there are none.
func (s *explainSettings) show(env console.Environment, accounts []explain.Account, result *validators.Result, err error) error {
	switch {
	case errors.Is(err, explain.ErrConforms):
		return s.nothing(env, result)
	case err != nil:
		return unusable(err)
	}
	if s.format.Value == outputJSON {
		err = report.ExplainJSON(env.Stdout, accounts)
	} else {
		text := textOptions(env, s.color.Value)
		text.Notes = s.explainNotes(accounts, result)
		err = report.Explain(env.Stdout, accounts, text)
	}
	if err != nil {
		return fmt.Errorf("cannot write the explanation: %w", err)
	}
	for i := range accounts {
		if len(accounts[i].Violations) > 0 {
			return verdictStatus(validators.Violated.ExitStatus())
		}
	}
	return nil
}

// nothing reports that there is no violating step.
func (s *explainSettings) nothing(env console.Environment, result *validators.Result) error {
	if result.Verdict == validators.Unusable {
		return unusableInput{fmt.Errorf("no step breaks a rule before the line where judging stops: %s", result.Reason)}
	}
	if s.format.Value == outputJSON {
		return report.ExplainJSON(env.Stdout, []explain.Account{})
	}
	where := ""
	if s.stream != "" {
		where = " of " + trace.StreamName(s.stream)
	}
	return printLines(env.Stdout, fmt.Sprintf("No step%s breaks a rule (%d were judged). To explain a step that conforms, name it with --line.", where, result.Steps))
}

// explainNotes returns notes on what is not explained.
func (s *explainSettings) explainNotes(accounts []explain.Account, result *validators.Result) []string {
	var notes []string
	switch {
	case s.module.Given():
		notes = append(notes, result.Notes...)
	case s.line != "":
	case !s.KeepGoing:
		notes = append(notes, notePast)
	default:
		explained := 0
		for i := range accounts {
			explained += len(accounts[i].Violations)
		}
		if left := len(result.Violations) - explained; left > 0 && s.stream == "" {
			notes = append(notes, amount.Of(left, "more violation")+" without an explanation here: name the step with --line; `tracecheck validate --keep-going` lists all.")
		}
	}
	for i := range accounts {
		notes = append(notes, past.Faults(accounts[i].Violations, s.Attach)...)
	}
	if result.Verdict == validators.Unusable {
		notes = append(notes, "the input could not be judged to its end: "+strings.TrimSuffix(result.Reason, ".")+".")
	}
	return notes
}
