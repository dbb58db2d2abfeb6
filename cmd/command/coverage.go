package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/files"
	"tracecheck/internal/flagvalue"
	"tracecheck/postmortem/coverage"
	"tracecheck/report"
	"tracecheck/tlaplus/tracespec"
	"tracecheck/validators"
)

// coverageSettings are the flags of coverage: those for judging, and its own.
type coverageSettings struct {
	judge   *settings
	output  *flagvalue.Outputs
	minimum coverage.Minimum
	against string
}

// coverageFlags are the flags of validate for judging.
var coverageFlags = []string{"spec", "steps", "profile", "constant", "attach", "on-gap", "remember", "map", "max-line", "budget", "no-progress", "color",
	"bind", "module", "config", "module-path", "env", "any-path", "max-states"}

func coverageCommand(env console.Environment) *cli.Command {
	s := &coverageSettings{
		judge:  newSettings(env.Specs),
		output: &flagvalue.Outputs{Stdout: outputText, Allowed: []string{outputText, outputJSON, outputHTML}},
	}
	return &cli.Command{
		Usage:     "show which parts of the specs traces exercise",
		ArgsUsage: "TRACE…",
		Description: "Each file is a separate trace; - is standard input. Judging continues after a violation.\n\n" +
			"With --bind, each file is a log, and the module's actions are counted. With --module, each file is a log of the trace spec. If several paths explain the most lines, an action counts once for each line where one of them takes it.\n\n" +
			"Exit status: 0 reported, 1 below --min, 2 wrong usage or configuration or an I/O failure, 3 a trace cannot be judged to its end.",
		Flags: append([]cli.Flag{
			&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: s.output, Usage: "`FORMAT` of the report: text, json or html; FORMAT=FILE writes it to a file (repeatable)"},
			&cli.GenericFlag{Name: "min", Value: &s.minimum, Usage: "fail if less is exercised than `PERCENT` of each spec's actions, or actions=80,transitions=60; also clauses, branches and disjuncts", DefaultText: "none"},
			&cli.StringFlag{Name: "against", Destination: &s.against, Usage: "compare with an earlier report, the JSON in `FILE`"},
		}, s.judge.only(coverageFlags)...),
		Action: func(c *cli.Context) error {
			if err := s.judge.module.Refuse(c, "min", "against"); err != nil {
				return err
			}
			return s.run(c.Context, env, env.Specs, c.Args().Slice())
		},
	}
}

func (s *coverageSettings) run(ctx context.Context, env console.Environment, all []*validators.Spec, names []string) error {
	if len(names) == 0 && s.judge.module.Given() {
		names = []string{""} // --env may name the log
	} else if len(names) == 0 {
		return errors.New("no trace to cover: name its file, or - for standard input")
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("%s is named twice: name each trace once", name)
		}
	}
	err := s.output.Check(names)
	if err == nil && !s.judge.module.Given() {
		all, err = s.judge.module.Bound(all)
	}
	if err != nil {
		return err
	}
	var old []byte
	if s.against != "" {
		if old, err = files.Read(s.against, files.Document); err != nil {
			return fmt.Errorf("--against: %w: write it with `tracecheck coverage --output json=FILE`", err)
		}
	}
	r := &coverage.Report{}
	for _, name := range names {
		result, err := s.cover(ctx, env, all, name)
		if err != nil {
			return err
		}
		if name == "" {
			name = s.judge.module.Named()
		}
		r.Add(name, result)
	}
	r.Check(s.minimum)
	if s.against != "" {
		if err := r.Compare(s.against, old); err != nil {
			return fmt.Errorf("--against %s: %w", s.against, err)
		}
	}
	if err := s.output.Write(env.Stdout, func(w io.Writer, format string, file bool) error { return s.print(env, w, format, file, r) }); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	switch {
	case r.Unusable():
		return verdictStatus(validators.Unusable.ExitStatus())
	case len(r.Below) > 0:
		return verdictStatus(validators.Violated.ExitStatus())
	}
	return nil
}

// cover judges one trace.
func (s *coverageSettings) cover(ctx context.Context, env console.Environment, all []*validators.Spec, name string) (*validators.Result, error) {
	if s.judge.module.Given() {
		return s.coverModule(ctx, env, name)
	}
	log := console.NewLogger(env.Stderr, false)
	options := s.judge.Options(all)
	options.Coverage, options.KeepGoing = s.judge.module.Bind == "", true // with a bind file, only actions are counted
	runner, err := validators.NewRunner(options)
	if err != nil {
		return nil, err
	}
	in, err := s.judge.input(env, []string{name}, s.judge.MaxLine, log, s.judge.noProgress)
	if err != nil {
		return nil, err
	}
	result, _, err := (&judging{in: in, runner: runner}).judge(ctx)
	return result, err
}

// coverModule judges one log by a trace spec.
func (s *coverageSettings) coverModule(ctx context.Context, env console.Environment, name string) (*validators.Result, error) {
	o, log, err := s.judge.module.Options(slices.DeleteFunc([]string{name}, func(n string) bool { return n == "" }))
	if err != nil {
		return nil, err
	}
	done := s.judge.watch(env, &o)
	found, covered, err := tracespec.Cover(ctx, o)
	done()
	if err != nil {
		return nil, err
	}
	result := found.Judged(log, false)
	if covered != nil {
		result.Coverage = append(result.Coverage, *covered)
	}
	return result, nil
}

func (s *coverageSettings) print(env console.Environment, w io.Writer, format string, file bool, r *coverage.Report) error {
	switch format {
	case outputJSON:
		return report.CoverageJSON(w, r)
	case outputHTML:
		return report.CoverageHTML(w, r)
	}
	opts := textOptions(env, s.judge.color.Value)
	if file {
		opts = report.TextOptions{}
	}
	return report.Coverage(w, r, opts)
}
