package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/internal/nearest"
	"tracecheck/report"
	"tracecheck/tlaplus/moduleflags"
	"tracecheck/validators"
	"tracecheck/validators/judgeflags"
)

func specsCommand(env console.Environment) *cli.Command {
	all := env.Specs
	output, color, full := outputChoice(), colorChoice(), false
	module := &moduleflags.Flags{}
	profile := &flagvalue.Choice{Value: validators.ProfileSpec, Allowed: validators.ProfileNames(all)}
	return &cli.Command{
		Usage:     "print the specs: actions with their clauses, rules, constants",
		ArgsUsage: "[NAME [RULE]] | --module FILE [RULE]",
		Description: "Prints the rules that validate judges by. Without arguments, it prints an overview; --full prints every spec completely. " +
			"NAME is a spec. RULE is one of its actions, rules, temporal properties or allowances.\n\n" +
			"With --module, it prints a trace spec, a TLA+ module. It reads no log.",
		Flags: append([]cli.Flag{
			&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: output, Usage: "`FORMAT`: text or json"},
			&cli.BoolFlag{Name: "full", Destination: &full, Usage: "print all specs with every action, clause and rule", DisableDefaultText: true},
			&cli.GenericFlag{Name: "profile", Value: profile, Usage: "print the specs under the profile `" + strings.Join(profile.Allowed, "|") + "`, with its allowances"},
			colorFlag(color),
		}, module.TextFlags("print")...),
		Action: func(c *cli.Context) error {
			all, args := under(profile.Value, all), c.Args().Slice()
			read, err := module.Described()
			if err != nil {
				return err
			}
			if read != nil {
				all, args = []*validators.Spec{read}, append([]string{read.Name}, args...)
			}
			specs, write, err := chooseSpecs(all, args)
			if err != nil {
				return err
			}
			if full && c.NArg() == 0 {
				write = eachSpec(all)
			}
			if output.Value == outputJSON {
				err = report.SpecsJSON(env.Stdout, specs)
			} else {
				err = write(env.Stdout, textOptions(env, color.Value))
			}
			if err != nil {
				return fmt.Errorf("cannot write the specs: %w", err)
			}
			return nil
		},
	}
}

// under returns the specs under the profile.
func under(profile string, all []*validators.Spec) []*validators.Spec {
	chosen := make([]*validators.Spec, len(all))
	for i, s := range all {
		chosen[i] = s.Under(profile)
	}
	return chosen
}

type textWriter func(io.Writer, report.TextOptions) error

// chooseSpecs finds the specs or the rule that [NAME [RULE]] means, and how to write them.
func chooseSpecs(all []*validators.Spec, args []string) ([]*validators.Spec, textWriter, error) {
	switch len(args) {
	case 0:
		return all, func(w io.Writer, o report.TextOptions) error { return report.Specs(w, all, o) }, nil
	case 1, 2:
	default:
		return nil, nil, errors.New("too many arguments: expected [NAME [RULE]], or with --module [RULE]")
	}
	spec := findSpec(all, args[0])
	if spec == nil {
		return nil, nil, unknownSpec(all, args[0])
	}
	write := report.Spec
	if len(args) == 2 {
		part := report.Named(spec, args[1])
		if part == nil {
			names := ruleNames(spec)
			return nil, nil, fmt.Errorf("%s has no action or rule %q: %s", spec.Name, args[1],
				nearest.Or(args[1], names, "it has "+strings.Join(names, ", ")))
		}
		spec, write = part, report.Part
	}
	return []*validators.Spec{spec}, func(w io.Writer, o report.TextOptions) error { return write(w, spec, o) }, nil
}

// unknownSpec is the error that no spec has the name, which may be a file name.
func unknownSpec(all []*validators.Spec, name string) error {
	if _, err := os.Stat(name); err == nil {
		return fmt.Errorf("%s is a file, not a spec: to judge it, run `tracecheck validate %s`", name, name)
	}
	for _, s := range all {
		if report.Named(s, name) != nil {
			return fmt.Errorf("%s is part of a spec: run `tracecheck specs %s %s`", name, s.Name, name)
		}
	}
	names := judgeflags.SpecNames(all)
	return fmt.Errorf("unknown spec %q: this version has %s%s", name, strings.Join(names, ", "), nearest.Hint(name, names))
}

// eachSpec writes every spec in full.
func eachSpec(all []*validators.Spec) textWriter {
	return func(w io.Writer, o report.TextOptions) error {
		for i, s := range all {
			if i > 0 {
				if _, err := fmt.Fprintln(w); err != nil {
					return err
				}
			}
			if err := report.Spec(w, s, o); err != nil {
				return err
			}
		}
		return nil
	}
}

func findSpec(all []*validators.Spec, name string) *validators.Spec {
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// ruleNames returns the possible values of RULE.
func ruleNames(s *validators.Spec) []string {
	names := []string{validators.NextRule}
	for i := range s.Actions {
		names = append(names, s.Actions[i].Name)
	}
	for i := range s.Rules {
		names = append(names, s.Rules[i].Name)
	}
	for i := range s.Temporal {
		if name := s.Temporal[i].Name; !slices.Contains(names, name) { // some are rules, too
			names = append(names, name)
		}
	}
	for _, a := range s.Allows() {
		names = append(names, a.Name)
	}
	return names
}

// printLines writes lines of text.
func printLines(w io.Writer, lines ...string) error {
	b := bufio.NewWriter(report.Visible(w))
	for _, line := range lines {
		fmt.Fprintln(b, line)
	}
	return b.Flush()
}
