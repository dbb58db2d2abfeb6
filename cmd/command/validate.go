package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/ingest/input"
	"tracecheck/ingest/kafka/kafkaflags"
	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/internal/files"
	"tracecheck/internal/flagvalue"
	"tracecheck/internal/version"
	"tracecheck/report"
	"tracecheck/validators"
	"tracecheck/validators/judgeflags"
)

// settings are the flags of validate.
type settings struct {
	judgeflags.Flags
	logFlags
	output *flagvalue.Outputs

	writeBaseline string

	format     flagvalue.Choice
	quiet      bool
	verbose    bool
	noProgress bool
	color      *flagvalue.Choice
	socket     string
	kafka      kafkaflags.Flags
	duration   flagvalue.Duration

	explain string // as in report.TextOptions
}

func newSettings(all []*validators.Spec) *settings {
	return &settings{
		Flags:  judgeflags.New(all),
		output: resultOutputs(),
		format: flagvalue.Choice{Value: formatAuto, Allowed: []string{formatAuto, formatLines, formatITF}},
		color:  colorChoice(),
		kafka:  kafkaflags.New(),
	}
}

func validateCommand(env console.Environment) *cli.Command {
	s := newSettings(env.Specs)
	return &cli.Command{
		Usage:     "check a trace, a live swarm or Kafka topics against the specs",
		ArgsUsage: "TRACE…",
		Description: "TRACE is a file of JSON Lines, plain or compressed with gzip or zstd; - is standard input. " +
			"Several files are one trace, in the order given.\n\n" +
			"For a log in another format, name a file of rules with --map (`tracecheck help map`). " +
			"--swarm judges a live swarm, and --kafka topics, until --duration or an interrupt. " +
			"--bind judges any log by a TLA+ module. --module judges a log by a trace spec: a TLA+ module that reads the log, as for TLC.\n\n" +
			description,
		Flags: s.flags(),
		Action: func(c *cli.Context) error {
			if err := s.module.Refuse(c); err != nil {
				return err
			}
			names := c.Args().Slice()
			if len(names) > 0 {
				s.explain = "tracecheck explain" + cmdline.Given(c, judgingFlags) + " " + cmdline.Words(names)
			}
			return s.run(c.Context, env, env.Specs, names)
		},
	}
}

func (s *settings) flags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: s.output, Usage: "`FORMAT` of the result: text, json, html, junit, sarif or github; FORMAT=FILE writes it to a file (repeatable)"},
	}, s.Flags.Named("spec", "steps", "profile", "constant", "attach", "keep-going", "max-violations", "baseline"), []cli.Flag{
		&cli.StringFlag{Name: "write-baseline", Destination: &s.writeBaseline, Usage: "write the violations to `FILE`, a baseline, with those of --baseline; --keep-going finds them all"},
	}, s.Flags.Named("deadline", "on-gap", "remember"), []cli.Flag{
		judgeflags.MapFlag(&s.rules),
	}, s.Flags.Named("max-line"), []cli.Flag{
		&cli.GenericFlag{Name: "format", Value: &s.format, Usage: "the format of the traces: `auto|jsonl|itf`; jsonl is JSON Lines, itf is a behaviour of a TLA+ tool (docs/tla.md)"},
	}, s.Flags.Named("budget"), []cli.Flag{
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &s.quiet, Usage: "print no text report; only set the exit status", DisableDefaultText: true},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Destination: &s.verbose, Usage: "log each judged step on stderr, with the actions that explain it; only one processor then judges", DisableDefaultText: true},
		noProgressFlag(&s.noProgress),
		&cli.StringFlag{Name: "swarm", Destination: &s.socket, Usage: "judge the live swarm behind a manager's control `SOCKET`", DefaultText: "the files named"},
		flagvalue.DurationFlag(&s.duration),
		colorFlag(s.color),
	}, s.module.List(), s.kafka.List())
}

// only returns the flags with these names.
func (s *settings) only(names []string) []cli.Flag {
	return slices.DeleteFunc(s.flags(), func(f cli.Flag) bool { return !slices.Contains(names, f.Names()[0]) })
}

// run judges the named files, and prints the result. Its error is a verdictStatus, or a failure.
func (s *settings) run(ctx context.Context, env console.Environment, all []*validators.Spec, names []string) error {
	if err := s.output.Check(names); err != nil {
		return err
	}
	if s.module.Given() {
		return s.runModule(ctx, env, names)
	}
	if s.writeBaseline == "-" {
		return errors.New("--write-baseline: name a file: standard output has the result")
	}
	all, err := s.module.Bound(all)
	if err != nil {
		return err
	}
	log := console.NewLogger(env.Stderr, s.verbose)
	source, err := s.source(env, names, log)
	if err != nil {
		return err
	}
	known, err := s.Known()
	if err != nil {
		return fmt.Errorf("--baseline: %w", err)
	}
	if s.writeBaseline != "" {
		if err := known.MayWrite(s.writeBaseline); err != nil {
			return err
		}
	}
	options := s.Options(all)
	options.Known, options.Brief = known.Fingerprints(), s.silent()
	if s.verbose {
		options.OnStep = console.LogStep(log)
	}
	runner, err := validators.NewRunner(options)
	if err != nil {
		return err
	}
	if len(names) == 0 && source == nil {
		return errors.New("no trace to validate: name its files, or - for standard input")
	}
	in, err := s.input(env, names, s.MaxLine, log, s.quiet || s.noProgress || s.verbose)
	if err != nil {
		return err
	}
	in.Live = source
	switch s.format.Value {
	case formatITF:
		in.Limits.Format, in.Limits.Formats = &itf, nil
	case formatLines:
		in.Limits.Formats = nil
	}
	if k, ok := source.(*input.Kafka); ok {
		k.Expect, k.Progress, k.Found = runner.Expect, in.Progress, runner.Found
	}
	run := &judging{in: in, runner: runner, grown: env.Grown, keep: true, known: s.module.Bind != "", remember: options.Remember}
	if source != nil && !source.Again() {
		run.seen = func(v *validators.Violation) { console.LogViolation(log, v) }
	}
	result, ended, err := run.judge(ctx)
	if result == nil {
		return err
	}
	doc := &report.Document{Result: result, Specs: all, Version: version.Read().Version, Notes: run.notes(ctx, result, s, ended)}
	if s.output.Has(outputHTML) {
		if why := run.timeline(ctx, doc); why != "" {
			doc.Notes = append(doc.Notes, why)
		}
	}
	if s.writeBaseline != "" {
		err = cmp.Or(err, known.With(s.writeBaseline, result.Violations).Write(known))
	}
	if printErr := s.print(env, doc); printErr != nil {
		return fmt.Errorf("cannot write the result: %w", printErr)
	}
	if err != nil {
		return err
	}
	return exit(result.Verdict.ExitStatus())
}

// silent reports whether only the exit status tells the result.
func (s *settings) silent() bool {
	return s.quiet && s.output.Stdout == outputText && len(s.output.Files) == 0
}

func (s *settings) print(env console.Environment, doc *report.Document) error {
	return s.output.Write(env.Stdout, func(w io.Writer, format string, file bool) error {
		switch format {
		case outputJSON:
			return report.JSON(w, doc.Result)
		case outputHTML:
			return report.HTML(w, doc)
		case outputJUnit:
			return report.JUnit(w, doc)
		case outputSARIF:
			return report.SARIF(w, doc)
		case outputGitHub:
			return report.GitHub(w, doc)
		}
		if s.quiet && !file {
			return nil
		}
		opts := textOptions(env, s.color.Value)
		if file {
			opts = report.TextOptions{}
		}
		opts.Notes, opts.Explain = doc.Notes, s.explain
		if list := doc.Result.Violations; doc.Result.Known > 0 && len(list) > 0 { // explain has no baseline
			opts.Explain = strings.Replace(s.explain, "explain", "explain --line "+files.Quoted(fmt.Sprintf("%s:%d", list[0].File, list[0].Line)), 1)
		}
		return report.Text(w, doc.Result, opts)
	})
}
