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

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/internal/generate"
	"tracecheck/internal/tracefile"
	"tracecheck/validators"
)

// defaultBatch is the default of --batch.
const defaultBatch = 8

// generateSettings are the flags of generate.
type generateSettings struct {
	specs     flagvalue.Words
	events    flagvalue.Number
	seed      uint64
	streams   flagvalue.Number
	objects   flagvalue.Number
	snapshot  bool
	steps     flagvalue.Choice
	batch     flagvalue.Number
	noClaims  bool
	start     flagvalue.Moment
	interval  flagvalue.Duration
	constants flagvalue.Constants
	violate   string
	at        flagvalue.Number
	output    string
}

func generateCommand(env console.Environment) *cli.Command {
	s := &generateSettings{
		specs:     flagvalue.Words{Known: generate.SpecNames()},
		events:    flagvalue.Number{Least: 1},
		streams:   flagvalue.Number{Value: 1, Least: 1},
		objects:   flagvalue.Number{Least: 1},
		steps:     flagvalue.Choice{Value: string(validators.Atomic), Allowed: []string{string(validators.Atomic), string(validators.Batched)}},
		batch:     flagvalue.Number{Least: 1},
		start:     flagvalue.Moment(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)),
		interval:  flagvalue.Duration(time.Millisecond),
		constants: flagvalue.Constants{},
		at:        flagvalue.Number{Least: 1},
	}
	return &cli.Command{
		Usage: "make a random trace from a spec's actions",
		Description: "The trace conforms to the spec, and each line names its action. The same flags always make the\n" +
			"same trace. With --violate, the trace breaks one rule, and a message on stderr names the line.\n\n" +
			"   tracecheck generate --spec swarmkit --events 1000 --seed 7 -o swarm.jsonl\n" +
			"   tracecheck generate --spec swarmkit --events 100000 --violate Inv | tracecheck validate -\n" +
			"   tracecheck generate --spec portallocator,updatecluster --events 5000 --streams 3\n" +
			"   tracecheck generate --spec swarmkit --events 2000000 --objects 1000000 --snapshot -o a.jsonl.zst\n\n" +
			"Exit status: 0 generated, 2 wrong usage or an I/O failure, or the rule could not be broken.",
		Flags: s.flags(),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return s.specs.Unexpected(c.Args().First())
			}
			return s.run(c.Context, env, env.Specs)
		},
	}
}

func (s *generateSettings) flags() []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{Name: "spec", Value: &s.specs, Usage: "take the actions of the spec `NAME` (repeatable, or separated by commas: each stream then has events of all)"},
		&cli.GenericFlag{Name: "events", Value: &s.events, Usage: "make `N` events; meta lines do not count"},
		&cli.Uint64Flag{Name: "seed", Destination: &s.seed, Usage: "set the seed of the random choices to `S`", DefaultText: "0"},
		&cli.GenericFlag{Name: "streams", Value: &s.streams, Usage: "make `K` streams, s0001 and so on, whose steps alternate at random"},
		&cli.GenericFlag{Name: "objects", Value: &s.objects, Usage: "keep about `N` live objects in each stream", DefaultText: "a hundredth of its events, from 10 to 300"},
		&cli.BoolFlag{Name: "snapshot", Destination: &s.snapshot, Usage: "begin with the objects of --objects, as snapshot lines", DisableDefaultText: true},
		&cli.GenericFlag{Name: "steps", Value: &s.steps, Usage: "make each step of one action, or of several: `atomic|batched`"},
		&cli.GenericFlag{Name: "batch", Value: &s.batch, Usage: "combine at most `N` actions in a batched step", DefaultText: fmt.Sprint(defaultBatch)},
		&cli.BoolFlag{Name: "no-claims", Destination: &s.noClaims, Usage: "leave out the action and the actor of each line", DisableDefaultText: true},
		&cli.GenericFlag{Name: "start", Value: &s.start, Usage: "the `TIME` of the first step, in RFC 3339"},
		&cli.GenericFlag{Name: "interval", Value: &s.interval, Usage: "put `DURATION` between the times of two steps"},
		&cli.GenericFlag{Name: "constant", Value: s.constants, Usage: "set a spec's constant: `NAME=VALUE`, where VALUE is JSON or a word (repeatable)"},
		&cli.StringFlag{Name: "violate", Destination: &s.violate, Usage: "break the rule `RULE`, or make a wrong claim: actor or action"},
		&cli.GenericFlag{Name: "at", Value: &s.at, Usage: "break the rule at the `N`th event, or at the next possible one", DefaultText: "near the end; for a rule that needs a deadline, in the middle"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Destination: &s.output, Usage: "write to `FILE`, which must be new; .gz and .zst are compressed", DefaultText: "standard output"},
	}
}

func (s *generateSettings) run(ctx context.Context, env console.Environment, all []*validators.Spec) error {
	o, err := s.options(all)
	if err != nil {
		return err
	}
	out := &tracefile.File{Name: s.output, Stdout: env.Stdout, Compression: tracefile.CompressionOf(s.output)}
	broken, err := generate.Run(ctx, o, out)
	if closeErr := out.Close(); closeErr != nil {
		return closeErr
	}
	if err != nil || broken == nil {
		return err
	}
	text := fmt.Sprintf("broken: %s at line %d: %s", broken.Rule, broken.Line, broken.What)
	if broken.Deadline > 0 {
		text += fmt.Sprintf("; validate --deadline %s shows it", broken.Deadline)
	}
	return printLines(env.Stderr, text)
}

// options checks the combination of the flags.
func (s *generateSettings) options(all []*validators.Spec) (generate.Options, error) {
	o := generate.Options{
		Specs: s.specs.Values, Events: int64(s.events.Value), Seed: s.seed, Streams: s.streams.Value, Objects: s.objects.Value,
		Snapshot: s.snapshot, NoClaims: s.noClaims, Start: time.Time(s.start), Interval: time.Duration(s.interval),
		Constants: s.constants, Violate: s.violate, At: int64(s.at.Value),
	}
	without := func(name string) bool {
		return findSpec(all, name) != nil && !slices.Contains(generate.SpecNames(), name)
	}
	switch i := slices.IndexFunc(o.Specs, without); {
	case i >= 0:
		return o, fmt.Errorf("cannot generate traces of %s: expected one of %s", o.Specs[i], strings.Join(generate.SpecNames(), ", "))
	case len(o.Specs) == 0:
		return o, errors.New("no --spec: name the spec whose actions the trace has")
	case o.Events == 0:
		return o, errors.New("no --events: set how many events to make")
	case s.batch.Value > 0 && s.steps.Value != string(validators.Batched):
		return o, errors.New("--batch is only for batched steps: add --steps batched")
	case o.At > o.Events:
		return o, fmt.Errorf("--at %d comes after the last of %d --events", o.At, o.Events)
	case o.At > 0 && o.Violate == "":
		return o, errors.New("--at is only for --violate: add --violate RULE")
	}
	if s.steps.Value == string(validators.Batched) {
		o.Batch = cmp.Or(s.batch.Value, defaultBatch)
	}
	if o.Objects == 0 {
		o.Objects = min(max(s.events.Value/s.streams.Value/100, 10), 300)
	}
	_, err := validators.NewRunner(validators.Options{Specs: all, Constants: s.constants}) // it checks them
	return o, err
}
