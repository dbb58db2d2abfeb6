package command

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/internal/version"
	"tracecheck/postmortem/explain"
	"tracecheck/postmortem/incident"
	"tracecheck/postmortem/replay"
	"tracecheck/tlaplus/tracespec"
	"tracecheck/validators"
)

func reportCommand(env console.Environment) *cli.Command {
	s := newSettings(env.Specs)
	var out, line string
	return &cli.Command{
		Usage:     "write a report of a violation, for an issue tracker",
		ArgsUsage: "TRACE…",
		Description: "The report is Markdown. It has the verdict, the cause, the objects before and after the step, and a timeline. It also\n" +
			"has a minimal trace that shows the violation, and the commands that reproduce it. With --output FOLDER, the folder has\n" +
			"incident.md, slice.jsonl, shrunk.jsonl (the minimal trace), result.json and timeline.html.\n\n" +
			"The report is about the first violating step, or that of --line. If the trace conforms, it has only the verdict.\n\n" + description,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Destination: &out, Usage: "write to `NAME`, which must be new: a file if it ends with .md, otherwise a folder; - is standard output", DefaultText: "standard output"},
			&cli.StringFlag{Name: "line", Destination: &line, Usage: "report the violating step of `LINE`, or FILE:LINE", DefaultText: "the first"},
		}, s.only(slices.Concat(judgingFlags, []string{"no-progress"}))...),
		Action: func(c *cli.Context) (err error) {
			names := c.Args().Slice()
			if err := s.module.Refuse(c, "line"); err != nil {
				return err
			}
			if len(names) == 0 {
				return errors.New("no trace to report on: name its files, or - for standard input")
			}
			if err := incident.Check(out); err != nil {
				return err
			}
			o := incident.Options{Files: cmdline.Words(names), Flags: cmdline.Given(c, judgingFlags), Version: version.Read().Version}
			o.Beside, o.About = cmdline.Giving(c, aboutBind), append(version.Read().Lines(), runtime.GOOS+"/"+runtime.GOARCH)
			if line != "" {
				if o.Line, err = replay.ParseLine(line, names); err != nil {
					return err
				}
			}
			gather := s.incident
			if s.module.Given() {
				gather = s.moduleIncident
			}
			found, err := gather(c.Context, env, env.Specs, names, o)
			if err != nil {
				return err
			}
			if err := found.Write(env.Stdout, out); err != nil {
				return fmt.Errorf("cannot write the report: %w", err)
			}
			return exit(found.Result.Verdict.ExitStatus())
		},
	}
}

// incident judges traces by specs.
func (s *settings) incident(ctx context.Context, env console.Environment, all []*validators.Spec, names []string, o incident.Options) (*incident.Incident, error) {
	all, err := s.module.Bound(all)
	if err != nil {
		return nil, err
	}
	in, err := s.input(env, names, s.MaxLine, console.NewLogger(env.Stderr, false), s.noProgress)
	if err != nil {
		return nil, err
	}
	in.Repeat = true
	o.Judge, o.Lines = s.Options(all), in.Limits.Lines
	o.Judged = func(r *validators.Result) { r.Unmapped = in.Counts.Unmapped }
	found, err := incident.Gather(ctx, in.Reading("reading"), o)
	return found, unusable(err)
}

// moduleIncident judges a log by a trace spec.
func (s *settings) moduleIncident(ctx context.Context, env console.Environment, _ []*validators.Spec, names []string, o incident.Options) (*incident.Incident, error) {
	options, log, err := s.module.Options(names)
	if err != nil {
		return nil, err
	}
	done := s.watch(env, &options)
	accounts, result, err := tracespec.Explain(ctx, options, log, s.module.Full, o.Line.Line)
	done()
	if err != nil && !errors.Is(err, explain.ErrConforms) {
		return nil, err
	}
	return incident.OfModule(accounts, result, o)
}
