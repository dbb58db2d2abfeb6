package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"tracecheck/ingest"
	"tracecheck/ingest/mapping"
	"tracecheck/ingest/mapping/preview"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/report"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/judgeflags"
)

const outputJSONL = "jsonl"

// rulesExample is a first file of rules.
const rulesExample = `   lines: json        # or logfmt, klog, {csv: [time, id, state]}, {matches: '(?P<id>\w+) is (?P<state>\w+)'}
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
	verbose bool
	maxLine flagvalue.Size
}

func mapCommand(env console.Environment, all []*validators.Spec) *cli.Command {
	s := &mapSettings{output: &flagvalue.Choice{Value: outputText, Allowed: []string{outputText, outputJSONL}}}
	return &cli.Command{
		Name:      "map",
		Usage:     "turn another log into a trace, by rules",
		ArgsUsage: "RULES LOG…",
		Description: "Shows what the rules make of each line; counts by rule come last, on stderr. " +
			"`tracecheck validate --map RULES LOG…` judges the log by the same rules. " +
			"Several files, in order, are one log; - is standard input. gzip and zstd are recognised.\n\n" +
			"RULES is a YAML file (docs/map.md). To begin, write one rule, and see which lines no rule matches:\n\n" +
			rulesExample + "\n\n" +
			"Exit status: 0 every line is mapped, ignored or without a rule, 2 wrong usage, faults in the rules\n" +
			"or an I/O failure, 3 a line cannot be mapped: the text goes on past it, a trace ends there.",
		Flags: []cli.Flag{
			&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: s.output, Usage: "`FORMAT`: text, each line with what becomes of it, or jsonl, the trace alone"},
			&cli.BoolFlag{Name: "check", Destination: &s.check, Usage: "read the rules and no log: are they in order?", DisableDefaultText: true},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Destination: &s.verbose, Usage: "say of each line without a rule which came nearest, and why it does not match; with jsonl, on stderr", DisableDefaultText: true},
			judgeflags.MaxLineFlag(&s.maxLine),
		},
		Action: func(c *cli.Context) error {
			return s.run(c.Context, env, all, c.Args().Slice())
		},
	}
}

func (s *mapSettings) run(ctx context.Context, env console.Environment, all []*validators.Spec, args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("no rules: name their file, and then the log: tracecheck map RULES LOG…")
	case s.check && len(args) > 1:
		return errors.New("--check reads the rules alone: name no log")
	case !s.check && len(args) == 1:
		return errors.New("no log to map: name its files, or - for standard input; --check reads the rules alone")
	}
	rules, err := judgeflags.Rules(args[0], all)
	if err != nil {
		return err
	}
	for _, w := range rules.Warnings {
		fmt.Fprintf(env.Stderr, "warning: %s:%d: %s\n", rules.File, w.Line, w.Text)
	}
	if s.check {
		return printLines(env.Stdout, fmt.Sprintf("%s: %d rules, no fault", rules.File, rules.Len()))
	}
	out := &preview.Output{
		Rules: rules, Opening: rules.Opening(), JSONL: s.output.Value == outputJSONL, Verbose: s.verbose,
		Out: bufio.NewWriter(report.Visible(env.Stdout)), Notes: env.Stderr,
		Counts: mapping.Counts{Matched: make([]int, rules.Len())},
	}
	err = s.read(ctx, env, out, args[1:])
	if flushErr := out.Out.Flush(); flushErr != nil {
		return fmt.Errorf("cannot write: %w", flushErr)
	}
	if err == nil || out.Counts.Lines > 0 {
		out.Summary()
	}
	if unfit, ok := errors.AsType[*trace.Error](err); ok {
		fmt.Fprintf(env.Stderr, "tracecheck: %v\n", unfit)
		return verdictStatus(validators.Unusable.ExitStatus())
	}
	switch {
	case err == nil && out.Failed > 0:
		return verdictStatus(validators.Unusable.ExitStatus())
	case ctx.Err() != nil:
		return errors.New("interrupted before the log ended")
	}
	return err
}

// read maps the log's lines, block by block.
func (s *mapSettings) read(ctx context.Context, env console.Environment, out *preview.Output, names []string) error {
	reader, err := ingest.Open(names, ingest.Options{
		MaxLine: int(s.maxLine), Stdin: env.Stdin,
		Lines: func() ingest.LineDecoder {
			return &preview.Lines{Decoder: out.Rules.Decoder(), Strict: out.JSONL, Explain: out.Verbose}
		},
	})
	if err != nil {
		return err
	}
	defer reader.Close() // it was only read: nothing is lost
	for {
		block, err := reader.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		err = out.Block(block.Lines.(*preview.Lines), block.Events)
		block.Release()
		if err != nil {
			return err
		}
	}
}

// mapping are the rules of --map; nil: none were given.
func (s *settings) mapping(all []*validators.Spec) (*mapping.Rules, error) {
	switch {
	case s.rules == "":
		return nil, nil
	case s.socket != "":
		return nil, errors.New("--map is for logs in files: a swarm needs no rules")
	case len(s.kafka.Brokers.Values) > 0:
		return nil, errors.New("--map is for logs in files: the messages of a topic are events")
	case s.format.Value == formatITF:
		return nil, errors.New("--map is for logs of JSON lines, --format itf for behaviours: give one or the other")
	}
	return judgeflags.Rules(s.rules, all)
}
