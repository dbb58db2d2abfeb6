// Package judgeflags has the flags that set how a trace is judged.
package judgeflags

import (
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/flagvalue"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/baseline"
)

// Flags are the flags that set how a trace is judged: several commands have
// them, and they mean the same.
type Flags struct {
	specs         flagvalue.Words
	steps         flagvalue.Choice
	profile       string
	profiles      []validators.Profile // the available profiles
	constants     flagvalue.Constants
	Attach        bool
	KeepGoing     bool
	maxViolations flagvalue.Number
	baseline      string
	Deadline      flagvalue.Deadline
	onGap         GapPolicy
	Remember      flagvalue.Number
	MaxLine       flagvalue.Size
	Budget        flagvalue.Number

	byName map[string]cli.Flag // made by Named
}

func New(all []*validators.Spec) Flags {
	return Flags{
		profiles:  validators.Profiles(all),
		specs:     flagvalue.Words{Known: SpecNames(all)},
		steps:     NewSteps(),
		constants: flagvalue.Constants{},
		onGap:     NewGapPolicy(),
		Remember:  NewRemember(),
		Budget:    flagvalue.Number{Least: 1},
	}
}

// profileUsage lists the profiles, the text's first.
func profileUsage(list []validators.Profile) string {
	text := "judge under the profile `NAME`: " + list[0].Name + ", " + list[0].Doc
	for _, p := range list[1:] {
		text += "; " + p.Name + ", also " + p.Doc
	}
	return text
}

// NewSteps has no value: the trace's meta line decides.
func NewSteps() flagvalue.Choice {
	return flagvalue.Choice{Allowed: []string{string(validators.Atomic), string(validators.Batched)}}
}

// Named returns the flags with these names, in the given order.
func (j *Flags) Named(names ...string) []cli.Flag {
	if j.byName == nil {
		j.byName = map[string]cli.Flag{}
		for _, f := range j.List() {
			j.byName[f.Names()[0]] = f // Names runs a regular expression: a start of the program counts each
		}
	}
	list := make([]cli.Flag, 0, len(names))
	for _, name := range names {
		if f, ok := j.byName[name]; ok {
			list = append(list, f)
		}
	}
	return list
}

func (j *Flags) List() []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{Name: "spec", Value: &j.specs, Usage: "judge by the spec `NAME` (repeatable, or separated by commas)", DefaultText: "the trace's meta, or each spec that alone reads a kind of the trace; if there is none, the first spec that reads the trace"},
		&cli.GenericFlag{Name: "steps", Value: &j.steps, Usage: "whether a step is one action, or may combine several: `atomic|batched`", DefaultText: "the trace's meta, or atomic"},
		&cli.StringFlag{Name: "profile", Destination: &j.profile, Usage: profileUsage(j.profiles), DefaultText: "the trace's meta, or spec"},
		&cli.GenericFlag{Name: "constant", Value: j.constants, Usage: "set a spec's constant: `NAME=VALUE`, where VALUE is JSON or a word (repeatable)"},
		&cli.BoolFlag{Name: "attach", Destination: &j.Attach, Usage: "the trace begins in the middle: take the first event of an object as its snapshot", DisableDefaultText: true},
		&cli.BoolFlag{Name: "keep-going", Aliases: []string{"k"}, Destination: &j.KeepGoing, Usage: "continue judging a stream after its first violating step", DisableDefaultText: true},
		&cli.GenericFlag{Name: "max-violations", Value: &j.maxViolations, Usage: "stop after the first `N` violations in the order of the input; only one processor then judges; 0: no bound", DefaultText: "0"},
		&cli.StringFlag{Name: "baseline", Destination: &j.baseline, Usage: "count the known violations that `FILE` lists, and report the others", DefaultText: "no known violations"},
		&cli.GenericFlag{Name: "deadline", Value: &j.Deadline, Usage: "report a wait of more than `DURATION`, such as 90s or 5m, as a violation, by the events' times; prompt: " + validators.DefaultPrompt.String() + " for what a swarm's managers do at once; none: no deadline"},
		&cli.GenericFlag{Name: "on-gap", Value: &j.onGap, Usage: "what to do where seq jumps, so lines are missing: `fail|resync`; resync continues at the stream's next snapshot"},
		RememberFlag(&j.Remember),
		MaxLineFlag(&j.MaxLine),
		&cli.GenericFlag{Name: "budget", Value: &j.Budget, Usage: "try at most `N` actions in the search for one batched step", DefaultText: fmt.Sprint(validators.DefaultBudget)},
	}
}

// Known returns the named baseline, or nil.
func (j *Flags) Known() (*baseline.Baseline, error) {
	if j.baseline == "" {
		return nil, nil
	}
	return baseline.Load(j.baseline)
}

// GapPolicy is the value of --on-gap.
type GapPolicy struct{ flagvalue.Choice }

func NewGapPolicy() GapPolicy {
	return GapPolicy{flagvalue.Choice{Value: "fail", Allowed: []string{"fail", "resync"}}}
}

func (g *GapPolicy) Policy() trace.OnGap {
	if g.Value == "resync" {
		return trace.ResyncOnGap
	}
	return trace.FailOnGap
}

func NewRemember() flagvalue.Number { return flagvalue.Number{Value: trace.DefaultRemember, Least: 1} }

func RememberFlag(n *flagvalue.Number) cli.Flag {
	return &cli.GenericFlag{Name: "remember", Value: n, Usage: "recognise duplicates of the last `N` numbered lines of each stream"}
}

func MaxLineFlag(z *flagvalue.Size) cli.Flag {
	return &cli.GenericFlag{Name: "max-line", Value: z, Usage: "refuse lines of more than `BYTES`, such as 65536 or 8MiB", DefaultText: "4MiB"}
}

// Options returns the settings for a Runner.
func (j *Flags) Options(all []*validators.Spec) validators.Options {
	o := validators.Options{
		Specs: all, Select: j.specs.Values, Steps: validators.Steps(j.steps.Value), Profile: j.profile,
		Constants: j.constants, Attach: j.Attach, KeepGoing: j.KeepGoing,
		MaxViolations: j.maxViolations.Value, Budget: j.Budget.Value,
		Remember: j.Remember.Value, OnGap: j.onGap.Policy(),
	}
	if o.Deadline = time.Duration(j.Deadline.Duration); j.Deadline.Word == flagvalue.Prompt {
		o.Prompt = validators.DefaultPrompt
	}
	return o
}

// SpecNames returns the names of the specs.
func SpecNames(all []*validators.Spec) []string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	return names
}

// ConstantNames returns the constants of all specs, in the form of --constant.
func ConstantNames(all []*validators.Spec) (names []string) {
	for _, spec := range all {
		for _, c := range spec.Constants {
			if name := c.Name + "="; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
