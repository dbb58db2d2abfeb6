package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"
	"go.uber.org/zap"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/internal/tracefile"
	"tracecheck/tlaplus/export"
	"tracecheck/validators"
	"tracecheck/validators/judgeflags"
)

// exportSettings are the flags of export.
type exportSettings struct {
	logFlags
	out       tracefile.Flags
	spec      flagvalue.Choice
	stream    string
	instance  string
	steps     flagvalue.Choice
	constants flagvalue.Constants
	name      string
	onGap     judgeflags.GapPolicy
	remember  flagvalue.Number
	maxLine   flagvalue.Size
}

// The formats of an export.
const (
	asITF = "itf"
	asTLA = "tla"
)

func exportCommand(env console.Environment) *cli.Command {
	s := &exportSettings{
		out: tracefile.NewFlags(), spec: flagvalue.Choice{Allowed: judgeflags.SpecNames(env.Specs)}, constants: flagvalue.Constants{},
		steps: judgeflags.NewSteps(),
		onGap: judgeflags.NewGapPolicy(), remember: judgeflags.NewRemember(),
	}
	return &cli.Command{
		Usage:     "write a trace for TLA+ tools",
		ArgsUsage: "itf|tla TRACE…",
		Description: "export itf writes the states of one stream as the variables of one spec, in the Informal Trace\n" +
			"Format. export tla writes new files into a folder: a module and its configuration. With them,\n" +
			"TLC checks the states against the spec's own module. export tla works only with built-in specs.\n" +
			"With --bind, export itf writes the module's variables, on one path that explains the log.\n\n" +
			"Exit status: 0 written, 2 wrong usage or an I/O failure, 3 the input is not a trace.",
		Flags: slices.Concat(append(s.out.ListWithFolder(asTLA),
			&cli.GenericFlag{Name: "spec", Value: &s.spec, Usage: "write the variables of the spec `NAME`", DefaultText: "the trace's meta, or the spec that alone reads a kind of the trace; if there is none, swarmkit"},
			&cli.StringFlag{Name: "stream", Destination: &s.stream, Usage: "write the stream `NAME`", DefaultText: "the only one"},
			&cli.StringFlag{Name: "instance", Destination: &s.instance, Usage: "write the worker (workerimpl) or namespace (kcpstorage) `NAME`", DefaultText: "the only one"},
			&cli.GenericFlag{Name: "steps", Value: &s.steps, Usage: "whether a step is one action, or may combine several: `atomic|batched`", DefaultText: "the trace's meta, or atomic"},
			&cli.GenericFlag{Name: "constant", Value: s.constants, Usage: "set a spec's constant: `NAME=VALUE`, where VALUE is JSON or a word (repeatable)"},
			&cli.StringFlag{Name: "name", Destination: &s.name, Usage: "call the module Trace_`NAME`", DefaultText: "the name of the first file"},
			&cli.GenericFlag{Name: "on-gap", Value: &s.onGap, Usage: "what to do where seq jumps, so lines are missing: `fail|resync`"},
			judgeflags.RememberFlag(&s.remember),
			judgeflags.MapFlag(&s.rules),
			judgeflags.MaxLineFlag(&s.maxLine),
		), s.module.OfBind("full")),
		Action: func(c *cli.Context) error {
			args := c.Args().Slice()
			if len(args) < 2 || args[0] != asITF && args[0] != asTLA {
				return errors.New("expected itf or tla, and a trace: tracecheck export itf TRACE…" + cmdline.Meant(args, asITF, asTLA))
			}
			if err := s.module.BindFlags.Refuse(c); err != nil {
				return err
			}
			return s.run(c.Context, env, env.Specs, c.IsSet("stream"), args[0], args[1:])
		},
	}
}

func (s *exportSettings) run(ctx context.Context, env console.Environment, all []*validators.Spec, only bool, as string, names []string) error {
	options := export.Options{
		Spec: s.spec.Value, Stream: s.stream, Only: only, Instance: s.instance, Steps: s.steps.Value, Constants: s.constants,
		Remember: s.remember.Value, OnGap: s.onGap.Policy(), Others: export.Others(all),
	}
	if as == asTLA && s.module.Bind != "" {
		return errors.New("export tla works only with built-in specs: with --bind, use export itf")
	}
	if _, err := s.module.Bound(all); err != nil {
		return err
	}
	in, err := s.input(env, names, s.maxLine, zap.NewNop(), false)
	if err != nil {
		return err
	}
	in.Repeat = s.module.With == nil
	var behaviour *export.Behaviour
	if s.module.With != nil {
		var first *validators.Violation
		if behaviour, first, err = export.ExportBound(ctx, in.Reading("judging"), s.module.With, options); first != nil {
			fmt.Fprintf(env.Stderr, "tracecheck: %s:%d breaks %s: from there, the states begin with the values that the line gives\n", first.File, first.Line, first.Rule)
		}
	} else {
		behaviour, err = export.Export(ctx, in.Reading("reading"), options)
	}
	if err != nil {
		return unusable(err)
	}
	if as == asTLA {
		return s.writeModule(env, behaviour, names[0])
	}
	out, err := s.out.Open(env)
	if err != nil {
		return err
	}
	return cmp.Or(behaviour.WriteITF(out), out.Close())
}

// writeModule writes the two files, and prints the command that runs TLC on them.
func (s *exportSettings) writeModule(env console.Environment, b *export.Behaviour, file string) error {
	if s.out.Compress.Value != "" {
		return errors.New("--compress is not for export tla: TLC cannot read a compressed module")
	}
	name, err := b.WriteFiles(s.out.Name, s.name, file)
	if err != nil {
		return err
	}
	return printLines(env.Stdout, fmt.Sprintf("%s.tla and %s.cfg are written. Copy %s to the same folder, and run:", name, name, b.Needs()),
		fmt.Sprintf("java -cp tla2tools.jar tlc2.TLC -config %s.cfg %s.tla", name, name))
}
