package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/ingest/mapping/preview"
	"tracecheck/ingest/mapping/ready"
	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/internal/nearest"
	"tracecheck/validators"
	"tracecheck/validators/judgeflags"
)

const outputJSONL = "jsonl"

// rulesExample is a first file of rules.
const rulesExample = `   lines: json   # or logfmt, klog, {csv: [time, id, to]}, {matches: '(?P<id>\w+) is (?P<to>\w+)'}
   rules:
     - name: node
       when: {msg: node changed}
       kind: node
       op: update
       id: "{node_id}"
       object: {state: "{state}"}`

// mapSettings are the flags of map.
type mapSettings struct {
	output  *flagvalue.Choice
	check   bool
	list    bool
	show    string
	verbose bool
	maxLine flagvalue.Size
}

func mapCommand(env console.Environment) *cli.Command {
	s := &mapSettings{output: &flagvalue.Choice{Output: true, Value: outputText, Allowed: []string{outputText, outputJSONL}}}
	return &cli.Command{
		Usage:     "turn another log into a trace, by rules",
		ArgsUsage: "RULES LOG… | test RULES LOG… EXPECTED",
		Description: "Shows the events that the rules make of each line. The counts of each rule follow at the end, on stderr. " +
			"`tracecheck validate --map RULES LOG…` judges the log by the same rules. " +
			"Several files, in order, are one log; - is standard input. gzip and zstd are recognised.\n\n" +
			"`tracecheck map test` compares the events with the trace in the file EXPECTED.\n\n" +
			"RULES is a YAML file (docs/map.md), or the name of built-in rules: --list shows them. " +
			"To begin, write one rule, and see which lines no rule matches:\n\n" +
			rulesExample + "\n\n" +
			"Exit status: 0 every line is mapped, ignored or without a rule, 1 the events differ from EXPECTED,\n" +
			"2 wrong usage, faults in the rules or an I/O failure, 3 a line cannot be mapped. With -o jsonl, the\n" +
			"output ends at this line.",
		Flags: []cli.Flag{
			&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: s.output, Usage: "`FORMAT`: text, each line with its events, or jsonl, only the trace"},
			&cli.BoolFlag{Name: "check", Destination: &s.check, Usage: "only check the rules; read no log", DisableDefaultText: true},
			&cli.BoolFlag{Name: "list", Destination: &s.list, Usage: "list the built-in rules", DisableDefaultText: true},
			&cli.StringFlag{Name: "show", Destination: &s.show, Usage: "print the built-in rules `NAME`, to adapt them"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Destination: &s.verbose, Usage: "for each line without a rule, show the nearest rule and its failed conditions; with jsonl, on stderr", DisableDefaultText: true},
			judgeflags.MaxLineFlag(&s.maxLine),
		},
		Action: func(c *cli.Context) error {
			return s.run(c.Context, env, env.Specs, c.Args().Slice())
		},
	}
}

func (s *mapSettings) run(ctx context.Context, env console.Environment, all []*validators.Spec, args []string) error {
	if s.list || s.show != "" {
		return s.ready(env, args)
	}
	compared := len(args) > 0 && args[0] == mapTest
	if compared {
		args = args[1:]
	}
	switch {
	case compared && (len(args) < 3 || s.check):
		return errors.New("expected rules, a log and the expected events: tracecheck map test RULES LOG… EXPECTED")
	case len(args) == 0:
		return errors.New("no rules: name their file, and then the log: tracecheck map RULES LOG…")
	case s.check && len(args) > 1:
		return errors.New("--check reads only the rules: leave the log out")
	case !s.check && len(args) == 1:
		return fmt.Errorf("no log to map: after the rules, %s, name its files, or - for standard input; --check reads only the rules", args[0])
	}
	rules, err := judgeflags.Rules(args[0], all)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w%s", err, nearest.Hint(args[0], []string{mapTest}))
	}
	if err != nil {
		if len(args) > 1 && strings.HasSuffix(args[1], ".yaml") {
			return fmt.Errorf("%w: the rules come before the log: tracecheck map RULES LOG…", err)
		}
		return err
	}
	for _, w := range rules.Warnings {
		fmt.Fprintf(env.Stderr, "warning: %s:%d: %s\n", rules.File, w.Line, w.Text)
	}
	if s.check {
		return printLines(env.Stdout, rules.File+": "+rules.Count()+", no fault")
	}
	opts := preview.Options{
		Rules: rules, JSONL: s.output.Value == outputJSONL, Verbose: s.verbose, MaxLine: int(s.maxLine),
		Stdin: env.Stdin, Out: env.Stdout, Notes: env.Stderr,
	}
	var well bool
	status := validators.Unusable
	if last := len(args) - 1; compared {
		well, err = preview.Test(ctx, args[1:last], args[last], opts)
		status = validators.Violated
	} else {
		well, err = preview.Run(ctx, args[1:], opts)
	}
	if err == nil && !well {
		return verdictStatus(status.ExitStatus())
	}
	return err
}

// mapTest is the first argument of map that compares.
const mapTest = "test"

// ready lists or prints built-in rules.
func (s *mapSettings) ready(env console.Environment, args []string) error {
	text, ok := ready.Text(s.show)
	switch {
	case len(args) > 0:
		return errors.New("--list and --show read no log")
	case s.list:
		return printLines(env.Stdout, cmdline.Items(env.Stdout, ready.List())...)
	case !ok:
		return cmdline.UnknownWord("rules", s.show, ready.Names())
	}
	return printLines(env.Stdout, strings.TrimSuffix(text, "\n"))
}
