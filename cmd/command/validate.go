package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"
	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/report"
	"tracecheck/trace"
	"tracecheck/validators"
)

// settings are the flags of validate.
type settings struct {
	output        *flagvalue.Outputs
	specs         flagvalue.Words
	steps         flagvalue.Choice
	profile       string
	constants     flagvalue.Constants
	attach        bool
	keepGoing     bool
	maxViolations flagvalue.Number
	deadline      flagvalue.Deadline
	onGap         flagvalue.Choice
	remember      flagvalue.Number
	rules         string
	maxLine       flagvalue.Size
	format        flagvalue.Choice
	budget        flagvalue.Number
	quiet         bool
	verbose       bool
	noProgress    bool
	color         *flagvalue.Choice
	socket        string
	kafka         kafkaFlags
	duration      flagvalue.Duration
	module        moduleFlags
}

const (
	gapFail   = "fail"
	gapResync = "resync"
)

func newSettings(all []*validators.Spec) *settings {
	return &settings{
		output:    resultOutputs(),
		specs:     flagvalue.Words{Known: specNames(all)},
		steps:     flagvalue.Choice{Allowed: []string{string(validators.Atomic), string(validators.Batched)}},
		constants: flagvalue.Constants{},
		format:    flagvalue.Choice{Value: formatAuto, Allowed: []string{formatAuto, formatLines, formatITF}},
		onGap:     flagvalue.Choice{Value: gapFail, Allowed: []string{gapFail, gapResync}},
		remember:  newRemember(),
		budget:    flagvalue.Number{Least: 1},
		color:     colorChoice(),
		kafka:     newKafkaFlags(),
	}
}

func validateCommand(env environment, all []*validators.Spec) *cli.Command {
	s := newSettings(all)
	return &cli.Command{
		Name:      "validate",
		Usage:     "check a trace, a live swarm or Kafka topics against the specs",
		ArgsUsage: "TRACE…",
		Description: "TRACE is a file of JSON Lines, plain or compressed with gzip or zstd; - is standard input. " +
			"Several files are one trace, in the order given.\n\n" +
			"For another log, name a file of rules with --map (`tracecheck help map`). " +
			"--swarm judges a live swarm, and --kafka topics, until --duration or an interrupt. " +
			"--module judges the log of a trace spec: a TLA+ module that was written for TLC to follow a log.\n\n" +
			description,
		Flags: s.flags(),
		Action: func(c *cli.Context) error {
			if err := s.module.refuse(c); err != nil {
				return err
			}
			return s.run(c.Context, env, all, c.Args().Slice())
		},
	}
}

func (s *settings) flags() []cli.Flag {
	return append([]cli.Flag{
		&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: s.output, Usage: "`FORMAT` of the result: text, json, html, junit, sarif or github; FORMAT=FILE writes it to a file (repeatable)"},
		&cli.GenericFlag{Name: "spec", Value: &s.specs, Usage: "judge by the spec `NAME` (repeatable, or separated by commas)", DefaultText: "the trace's meta, or each spec whose kinds appear"},
		&cli.GenericFlag{Name: "steps", Value: &s.steps, Usage: "judge each step as `atomic|batched`: one action, or the sum of several", DefaultText: "the trace's meta, or atomic"},
		&cli.StringFlag{Name: "profile", Destination: &s.profile, Usage: "judge under the profile `NAME`: spec, the TLA+ text to the letter, or moby, with what a healthy Docker swarm does beyond it", DefaultText: "the trace's meta, or spec"},
		&cli.GenericFlag{Name: "constant", Value: s.constants, Usage: "set a spec's constant: `NAME=VALUE`, where VALUE is JSON or a word (repeatable)"},
		&cli.BoolFlag{Name: "attach", Destination: &s.attach, Usage: "the trace begins in the middle: take the first sight of an object as its snapshot", DisableDefaultText: true},
		&cli.BoolFlag{Name: "keep-going", Aliases: []string{"k"}, Destination: &s.keepGoing, Usage: "judge a stream past its first violating step", DisableDefaultText: true},
		&cli.GenericFlag{Name: "max-violations", Value: &s.maxViolations, Usage: "stop when `N` violations are found; 0: no bound", DefaultText: "0"},
		&cli.GenericFlag{Name: "deadline", Value: &s.deadline, Usage: "what waits for longer than `DURATION`, such as 90s or 5m, by the events' time, is a violation; prompt: " + validators.DefaultPrompt.String() + " for what a swarm's managers do at once; none"},
		&cli.GenericFlag{Name: "on-gap", Value: &s.onGap, Usage: "at a jump in seq, `fail|resync`; resync goes on from the stream's next snapshot"},
		rememberFlag(&s.remember),
		&cli.StringFlag{Name: "map", Destination: &s.rules, Usage: "the files are another log; `FILE` has the rules that make events of its lines (see tracecheck map)", DefaultText: "the files are traces"},
		maxLineFlag(&s.maxLine),
		&cli.GenericFlag{Name: "format", Value: &s.format, Usage: "read traces as `auto|jsonl|itf`: JSON Lines, or behaviours of TLA+ tools (docs/tla.md)"},
		&cli.GenericFlag{Name: "budget", Value: &s.budget, Usage: "let the search for one batched step try at most `N` actions", DefaultText: fmt.Sprint(validators.DefaultBudget)},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &s.quiet, Usage: "no text report, only the exit status", DisableDefaultText: true},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Destination: &s.verbose, Usage: "log each judged step, with the actions that explain it, on stderr", DisableDefaultText: true},
		&cli.BoolFlag{Name: "no-progress", Destination: &s.noProgress, Usage: "no progress bar, not even on a terminal", DisableDefaultText: true},
		&cli.StringFlag{Name: "swarm", Destination: &s.socket, Usage: "judge the live swarm behind a manager's control `SOCKET`", DefaultText: "the files named"},
		durationFlag(&s.duration),
		&cli.GenericFlag{Name: "color", Value: s.color, Usage: "colour, `auto|always|never`; auto is on a terminal, and keeps NO_COLOR"},
	}, append(s.module.flags(), s.kafka.flags()...)...)
}

func newRemember() flagvalue.Number { return flagvalue.Number{Value: trace.DefaultRemember, Least: 1} }

func rememberFlag(n *flagvalue.Number) cli.Flag {
	return &cli.GenericFlag{Name: "remember", Value: n, Usage: "know duplicates among the last `N` numbered lines of each stream"}
}

func maxLineFlag(z *flagvalue.Size) cli.Flag {
	return &cli.GenericFlag{Name: "max-line", Value: z, Usage: "refuse lines of more than `BYTES`, such as 65536 or 8MiB", DefaultText: "4MiB"}
}

// options are the settings that the Runner has.
func (s *settings) options(all []*validators.Spec, log *zap.Logger) validators.Options {
	o := validators.Options{
		Specs: all, Select: s.specs.Values, Steps: validators.Steps(s.steps.Value), Profile: s.profile,
		Constants: s.constants, Attach: s.attach, KeepGoing: s.keepGoing,
		MaxViolations: s.maxViolations.Value, Budget: s.budget.Value,
		Remember: s.remember.Value,
	}
	if o.Deadline = time.Duration(s.deadline.Duration); s.deadline.Word == flagvalue.Prompt {
		o.Prompt = validators.DefaultPrompt
	}
	if s.onGap.Value == gapResync {
		o.OnGap = trace.ResyncOnGap
	}
	if s.verbose {
		o.OnStep = logStep(log)
	}
	return o
}

// run judges the files named and prints the result. Its error is a
// verdictStatus, or says what failed.
func (s *settings) run(ctx context.Context, env environment, all []*validators.Spec, names []string) error {
	if s.module.given() {
		return s.runModule(ctx, env, names)
	}
	log := console.NewLogger(env.stderr, s.verbose)
	source, err := s.source(env, names, log)
	if err != nil {
		return err
	}
	options := s.options(all, log)
	if source != nil && !source.again() {
		options.OnStep = logFindings(log, options.OnStep)
	}
	if len(names) == 0 && source == nil {
		return errors.New("no trace to validate: name its files, or - for standard input")
	}
	runner, err := validators.NewRunner(options)
	if err != nil {
		return err
	}
	rules, err := s.mapping(all)
	if err != nil {
		return err
	}
	job := &job{
		names: names, source: source, rules: rules, limits: ingest.Options{MaxLine: int(s.maxLine), Stdin: env.stdin}, log: log,
	}
	job.format(s.format.Value)
	if console.IsTerminal(env.screen) && !s.quiet && !s.noProgress && !s.verbose {
		job.progress = env.screen
	}
	if k, ok := source.(*kafkaInput); ok {
		k.expect, k.progress = runner.Expect, job.progress
	}
	result, ended, err := job.judge(ctx, runner)
	if result == nil {
		return err
	}
	doc := &report.Document{Result: result, Specs: all, Version: readVersion().Version, Notes: job.notes(ctx, result, s, ended)}
	if s.output.Has(outputHTML) {
		if why := job.timeline(ctx, doc); why != "" {
			doc.Notes = append(doc.Notes, why)
		}
	}
	if printErr := s.print(env, doc); printErr != nil {
		return fmt.Errorf("cannot write the result: %w", printErr)
	}
	if err != nil {
		return err
	}
	if status := result.Verdict.ExitStatus(); status != 0 {
		return verdictStatus(status)
	}
	return nil
}

// source is nil where files are judged.
func (s *settings) source(env environment, names []string, log *zap.Logger) (source, error) {
	if len(s.kafka.brokers.Values) > 0 {
		return s.kafkaInput(env, names, log)
	}
	if flag := s.kafka.given(); flag != "" {
		return nil, fmt.Errorf("%s is about Kafka: name its brokers with --kafka", flag)
	}
	live, err := s.live(names, log)
	if live == nil {
		return nil, err
	}
	return live, nil
}

func (s *settings) print(env environment, doc *report.Document) error {
	return s.output.Write(env.stdout, func(w io.Writer, format string, file bool) error {
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
		opts.Notes = doc.Notes
		return report.Text(w, doc.Result, opts)
	})
}

func specNames(all []*validators.Spec) []string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	return names
}
