package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"go.uber.org/zap"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/internal/tracefile"
	"tracecheck/tlaplus/export"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/judgeflags"
)

// exportSettings are the flags of export.
type exportSettings struct {
	rules     string
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

// What a trace can be exported as.
const (
	asITF = "itf"
	asTLA = "tla"
)

func exportCommand(env console.Environment, all []*validators.Spec) *cli.Command {
	s := &exportSettings{
		out: tracefile.NewFlags(), spec: flagvalue.Choice{Allowed: judgeflags.SpecNames(all)}, constants: flagvalue.Constants{},
		steps: judgeflags.NewSteps(),
		onGap: judgeflags.NewGapPolicy(), remember: judgeflags.NewRemember(),
	}
	return &cli.Command{
		Name:      "export",
		Usage:     "write a trace for TLA+ tools",
		ArgsUsage: "itf|tla TRACE…",
		Description: "export itf writes the states of one stream as the variables of one spec, in the Informal Trace\n" +
			"Format. export tla writes a module and its configuration into the folder --output. With them,\n" +
			"TLC checks the states against the spec's own module. export tla works only with built-in specs.\n\n" +
			"Exit status: 0 written, 2 wrong usage or an I/O failure, 3 the input is not a trace.",
		Flags: append(s.out.List(),
			&cli.GenericFlag{Name: "spec", Value: &s.spec, Usage: "write the variables of the spec `NAME`", DefaultText: "that of the trace's meta, or whose kinds appear"},
			&cli.StringFlag{Name: "stream", Destination: &s.stream, Usage: "write the stream `NAME`", DefaultText: "the only one"},
			&cli.StringFlag{Name: "instance", Destination: &s.instance, Usage: "write the worker (workerimpl) or namespace (kcpstorage) `NAME`", DefaultText: "the only one"},
			&cli.GenericFlag{Name: "steps", Value: &s.steps, Usage: "take the steps as `atomic|batched`", DefaultText: "the trace's meta, or atomic"},
			&cli.GenericFlag{Name: "constant", Value: s.constants, Usage: "set a spec's constant: `NAME=VALUE`, where VALUE is JSON or a word (repeatable)"},
			&cli.StringFlag{Name: "name", Destination: &s.name, Usage: "call the module Trace_`NAME`", DefaultText: "that of the first file"},
			&cli.GenericFlag{Name: "on-gap", Value: &s.onGap, Usage: "at a jump in seq, `fail|resync`"},
			judgeflags.RememberFlag(&s.remember),
			judgeflags.MapFlag(&s.rules),
			judgeflags.MaxLineFlag(&s.maxLine),
		),
		Action: func(c *cli.Context) error {
			args := c.Args().Slice()
			if len(args) < 2 || args[0] != asITF && args[0] != asTLA {
				return errors.New("want itf or tla, and a trace: tracecheck export itf TRACE…" + cmdline.Meant(args, asITF, asTLA))
			}
			return s.run(c.Context, env, all, c.IsSet("stream"), args[0], args[1:])
		},
	}
}

func (s *exportSettings) run(ctx context.Context, env console.Environment, all []*validators.Spec, only bool, as string, names []string) error {
	options := export.Options{
		Spec: s.spec.Value, Stream: s.stream, Only: only, Instance: s.instance, Steps: s.steps.Value, Constants: s.constants,
		Remember: s.remember.Value, OnGap: s.onGap.Policy(), Others: exportable(all),
	}
	in := inputOf(env, names, s.maxLine, zap.NewNop(), false)
	in.Repeat = true
	var err error
	if in.Rules, err = judgeflags.Rules(s.rules, all); err != nil {
		return err
	}
	behaviour, err := export.Export(ctx, func(ctx context.Context, do func([]trace.Event) error) error {
		return in.Each(ctx, "reading", do)
	}, options)
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
	err = behaviour.WriteITF(out)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}

// exportable are the specs with what their tables say of their objects.
func exportable(all []*validators.Spec) (list []export.Other) {
	for _, spec := range all {
		o := export.Other{Spec: spec.Name, Module: spec.Module, Kinds: spec.Kinds, Fields: make([][]string, len(spec.Kinds))}
		for _, c := range spec.Columns {
			i := slices.Index(spec.Kinds, c.Kind)
			o.Fields[i] = append(o.Fields[i], c.Field)
		}
		list = append(list, o)
	}
	return list
}

// writeModule writes the two files and says how TLC is run on them.
func (s *exportSettings) writeModule(env console.Environment, b *export.Behaviour, file string) error {
	if s.out.Compress.Value != "" {
		return errors.New("--compress: TLC reads a module as it is")
	}
	name := "Trace_" + moduleName(s.name)
	if s.name == "" {
		base, _, _ := strings.Cut(filepath.Base(file), ".")
		name = "Trace_" + moduleName(base)
	}
	if err := b.WriteFiles(s.out.Name, name); err != nil {
		return err
	}
	return printLines(env.Stdout, fmt.Sprintf("%s.tla and %s.cfg are written. With %s beside them:", name, name, b.Needs()),
		fmt.Sprintf("java -cp tla2tools.jar tlc2.TLC -config %s.cfg %s.tla", name, name))
}

// moduleName is a name as TLA+ has them.
func moduleName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r < 128 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, s)
}
