package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"go.uber.org/zap"

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/internal/tracefile"
	"tracecheck/postmortem/anonymize"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/judgeflags"
)

// anonymizeSettings are the flags of anonymize.
type anonymizeSettings struct {
	*settings
	out   tracefile.Flags
	keep  flagvalue.Words
	shift flagvalue.Shift
}

func anonymizeCommand(env console.Environment) *cli.Command {
	s := &anonymizeSettings{settings: newSettings(env.Specs), out: tracefile.NewFlags(), keep: flagvalue.Words{Known: anonymize.Names()}}
	return &cli.Command{
		Usage:     "replace the names in a trace, so that you can share it",
		ArgsUsage: "TRACE…",
		Description: "Replaces ids, names, images, labels, streams and named transactions. Each name gets the same\n" +
			"new name everywhere. Messages and unknown fields are removed. Numbers, states, ports and times\n" +
			"stay. The result has the same verdict, at the same lines.\n\n" +
			"With --bind, TRACE is a log of any shape. Each word of a string or key is a name. The words of\n" +
			"the module, the cfg and the bind file are kept. Both logs must have the same verdict.\n\n" +
			"Exit status: 0 written, 2 wrong usage, an I/O failure or another verdict, 3 the input is not a trace;\n" +
			"the lines before the fault are written.",
		Flags: append(append(s.out.List(),
			&cli.GenericFlag{Name: "keep", Value: &s.keep, Usage: "keep names of this `SORT` (repeatable, or separated by commas): " + strings.Join(anonymize.Names(), ", ")},
			&cli.GenericFlag{Name: "shift", Value: &s.shift, Usage: "add `DURATION`, such as 1000h or -90m, to each time", DefaultText: "0"},
			judgeflags.MapFlag(&s.rules),
			judgeflags.MaxLineFlag(&s.MaxLine),
		), s.module.OfBind("full")...),
		Action: func(c *cli.Context) error {
			if err := s.module.BindFlags.Refuse(c); err != nil {
				return err
			}
			if s.module.Bind != "" && c.IsSet("keep") {
				return errors.New("--keep is about the names of a trace: with --bind, a text stays if the bind file has it")
			}
			return s.run(c.Context, env, env.Specs, c.Args().Slice())
		},
	}
}

func (s *anonymizeSettings) run(ctx context.Context, env console.Environment, all []*validators.Spec, names []string) error {
	if len(names) == 0 {
		return errors.New("no trace to anonymize: name its files, or - for standard input")
	}
	bound, err := s.module.Bound(all)
	if err != nil {
		return err
	}
	options := anonymize.Options{
		Words: claimWords(all), Keep: s.keep.Values, Shift: time.Duration(s.shift), Columns: anonymizable(all),
	}
	var same *anonymize.Comparison
	if s.module.With != nil {
		if options.Vocabulary, err = s.module.With.Vocabulary(); err != nil {
			return err
		}
		judge := s.Options(bound)
		judge.Order = s.module.StreamOrder()
		if same, err = anonymize.NewComparison(judge, s.module.Lines()); err != nil {
			return err
		}
	}
	a, err := anonymize.New(options)
	if err != nil {
		return fmt.Errorf("--keep: %w", err)
	}
	in, err := s.input(env, names, s.MaxLine, zap.NewNop(), true)
	if err != nil {
		return err
	}
	in.Order = nil // the lines stay where they are
	out, err := s.out.Open(env)
	if err != nil {
		return err
	}
	var at trace.Pos // of the next line, so that line numbers stay
	var lines []byte
	var places []int // in lines, of the events
	err = in.Each(ctx, "anonymizing", func(events []trace.Event) error {
		lines, places = lines[:0], places[:0]
		for i := range events {
			ev := &events[i]
			if at.File != ev.Pos.File {
				at = trace.Pos{File: strings.Clone(ev.Pos.File), Line: 1}
			}
			for ; at.Line < ev.Pos.Line; at.Line++ {
				lines = append(lines, '\n')
			}
			var err error
			places = append(places, len(lines))
			if lines, err = a.Append(lines, ev); err != nil {
				return err
			}
			places = append(places, len(lines))
			lines = append(lines, '\n')
			at.Line++
		}
		if _, err := out.Write(lines); err != nil {
			return err
		}
		return same.Push(events, lines, places)
	})
	err = cmp.Or(err, out.Close())
	if err != nil {
		return unusable(err)
	}
	return same.End()
}

// anonymizable returns the columns of the specs.
func anonymizable(all []*validators.Spec) (list []anonymize.Column) {
	for _, spec := range all {
		for _, c := range spec.Columns {
			list = append(list, anonymize.Column{Kind: c.Kind, Field: c.Field, Values: c.Values})
		}
	}
	return list
}

// claimWords returns the names of the specs, of their actions and of the actors.
func claimWords(all []*validators.Spec) []string {
	var words []string
	for _, spec := range all {
		words = append(words, spec.Name)
		for _, a := range spec.Actions {
			words = append(words, a.Name, a.Actor)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}
