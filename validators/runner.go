// Package validators judges streams of steps against specs. It knows no spec
// by name: a spec is a value that makes machines, one for each stream.
package validators

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tracecheck/internal/nearest"
	"tracecheck/trace"
)

// Options is how a run judges. What it leaves empty, a stream's meta line
// decides.
type Options struct {
	Specs         []*Spec // those there are
	Select        []string
	Steps         Steps
	Profile       string
	Constants     map[string]string // raw JSON by name
	Attach        bool
	OnGap         trace.OnGap
	KeepGoing     bool            // judge a stream past its first violating step
	Recover       bool            // go on from its next snapshot with a stream that could not be judged on
	Known         map[string]bool // fingerprints of violations that are only counted
	MaxViolations int             // end the run when so many are found, in the order of the input: one shard judges then; 0: no bound
	Deadline      time.Duration   // for what waits, by the events' time; 0: none
	Prompt        time.Duration   // where there is no Deadline: for what a system does at once (Reasoner), without long silences; 0: none
	Budget        int             // actions that the search for one batched step may try; 0: DefaultBudget
	Remember      int             // how many of a stream's last numbered lines a duplicate is compared with; 0: trace.DefaultRemember
	Shards        int             // how many goroutines judge, each its own streams; 0: one a processor. The result is the same. MaxViolations, OnStep and Before have one judge
	InParts       int             // a stream of so many objects is saved in parts; 0: DefaultInParts
	Coverage      bool            // count also what the steps exercise beyond the actions

	// OnStep, where it is set, sees each judged step with its explanation, in the order of
	// the input: one shard judges then. The step lives until OnStep returns: what is kept
	// of it has to be copied.
	OnStep func(step *trace.Step, spec string, explanation []string, findings []Finding)

	// Before, where it is set, sees each step before it is judged, with the
	// machine that is to judge it, in the order of the input: one shard judges then.
	Before func(step *trace.Step, spec string, machine Machine)
}

// DefaultInParts is so many objects that to save them takes some milliseconds.
const DefaultInParts = 5000

// DefaultPrompt is nearly eight times the longest wait for the managers of a
// healthy swarm that is known (docs/monitor-config.md).
const DefaultPrompt = 2 * time.Minute

// DefaultBudget bounds the search for one batched step: a matter of seconds.
const DefaultBudget = 1_000_000

// ErrEnough ends a run that has found MaxViolations.
var ErrEnough = errors.New("the bound on violations is reached")

// Runner judges the events of many streams in one pass.
type Runner struct {
	opts   Options
	shards []shard
	seed   maphash.Seed // of the names that say which shard is a stream's
	events int
	before int                   // no less than the number of any event at which a stream began that was restored
	file   *inputFile            // being read
	files  map[string]*inputFile // by name
	shared [trace.MaxKinds]bool  // kinds that several specs read

	snapshots bool // a stream may have some: a log of lines has none

	unfit   *trace.Error // the first reason not to judge
	missed  *trace.Error // events of any stream are missing; nil: none
	partial bool
	own     batch          // of a Push that one goroutine judges
	batches chan *batch    // those that are not in use
	wait    sync.WaitGroup // for the shards
	found   atomic.Int64   // violations
}

// inputFile is a file and its place in the input.
type inputFile struct {
	name  string
	place int
	lines int // that are of steps
}

// NewRunner checks the options; an error is one of usage.
func NewRunner(opts Options) (*Runner, error) {
	if opts.Budget == 0 {
		opts.Budget = DefaultBudget
	}
	opts.InParts = cmp.Or(opts.InParts, DefaultInParts)
	r := &Runner{opts: opts, files: map[string]*inputFile{}, seed: maphash.MakeSeed()}
	r.shards = make([]shard, opts.shardCount())
	for i := range r.shards {
		r.shards[i] = shard{run: r, number: i, streams: map[string]*stream{}, counts: map[law]*counts{}, noting: noting{epoch: 1}}
	}
	r.own.shares = make([][]span, len(r.shards))
	r.batches = make(chan *batch, maxBatches)
	for range maxBatches {
		r.batches <- &batch{shares: make([][]span, len(r.shards))}
	}
	if _, err := r.specs(opts.Select); err != nil {
		return nil, err
	}
	if err := checkProfile(opts.Profile, opts.Specs); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, s := range opts.Specs {
		for _, c := range s.Constants {
			known[c.Name] = true
		}
		if _, err := s.New(Config{Steps: Atomic, Profile: opts.Profile, Constants: opts.Constants, Budget: opts.Budget}); err != nil {
			return nil, err
		}
	}
	r.snapshots = len(opts.Specs) == 0
	for k := range trace.Kind(trace.MaxKinds) {
		readers := 0
		for _, s := range opts.Specs {
			if s.Reads(k) {
				readers++
			}
		}
		r.shared[k] = readers > 1
		r.snapshots = r.snapshots || readers > 0 && k != trace.KindLine
	}
	for name := range opts.Constants {
		if !known[name] {
			return nil, fmt.Errorf("no spec has a constant %q; %s", name,
				nearest.Or(name, slices.Sorted(maps.Keys(known)), "`tracecheck specs` lists them"))
		}
	}
	return r, nil
}

// NoEvents is the reason of a result of an empty input.
const NoEvents = "the input has no events"

// specs returns the named specs, nil for no names.
func (r *Runner) specs(names []string) ([]*Spec, error) {
	var chosen []*Spec
next:
	for _, name := range names {
		for _, s := range r.opts.Specs {
			if s.Name == name {
				chosen = append(chosen, s)
				continue next
			}
		}
		var have []string
		for _, s := range r.opts.Specs {
			have = append(have, s.Name)
		}
		hint := cmp.Or(nearest.Hint(name, have), "; choose with --spec")
		return nil, fmt.Errorf("unknown spec %q: this version has %s%s", name, strings.Join(have, ", "), hint)
	}
	return chosen, nil
}

// Expect says in which order the violations in files are listed that are not
// read one after the other. Without it, they are as the files first appear.
func (r *Runner) Expect(files []string) {
	for _, name := range files {
		r.enter(name)
	}
}

// enter gives a file its place.
func (r *Runner) enter(name string) *inputFile {
	f := r.files[name]
	if f == nil {
		f = &inputFile{name: strings.Clone(name), place: len(r.files)}
		r.files[f.name] = f
	}
	return f
}

// Fail records that the input cannot be judged from a point on. The first
// reason is the one reported.
func (r *Runner) Fail(err *trace.Error) {
	if r.unfit == nil {
		r.unfit = err
	}
}

// isBefore reports whether the one reason not to judge comes before the other
// in the input; nil is none.
func (r *Runner) isBefore(a, b *trace.Error) bool {
	switch {
	case a == nil || b == nil:
		return a != nil
	case a.Pos.File != b.Pos.File:
		return r.place(a.Pos.File) < r.place(b.Pos.File)
	}
	return a.Pos.Line < b.Pos.Line
}

// place is that of a file; 0 of one that is not known.
func (r *Runner) place(file string) int {
	if f := r.files[file]; f != nil {
		return f.place
	}
	return 0
}

// Interrupt records that the run ends before its input does.
func (r *Runner) Interrupt() { r.partial = true }

// streams are all there were, by first appearance.
func (r *Runner) streams() []*stream {
	var all []*stream
	for i := range r.shards {
		all = append(all, r.shards[i].list...)
	}
	slices.SortFunc(all, func(a, b *stream) int { return a.first - b.first })
	return all
}

func (r *Runner) verdict(res *Result) (Verdict, string) {
	switch {
	case r.unfit != nil:
		return Unusable, r.unfit.Error()
	case len(res.Violations) > 0:
		return Violated, ""
	case r.partial:
		return Unusable, "interrupted before the input ended: what was judged conforms, the rest is not known"
	case res.Steps == 0:
		return Unusable, r.noStep()
	}
	return Conforming, ""
}

func (r *Runner) noStep() string {
	if r.events == 0 {
		return NoEvents
	}
	reason := "no step to judge: the input has nothing but meta lines, snapshots, skipped events and kinds that no chosen spec reads"
	if len(r.opts.Select) > 0 {
		reason += " (chosen: " + strings.Join(r.opts.Select, ", ") + ")"
	}
	return reason
}

// Found is how many violations have been found so far. It may be called at any time,
// also while events are judged.
func (r *Runner) Found() int { return int(r.found.Load()) }

// Violations are all that were found so far, in the order of the input. Wait or Push
// has returned before.
func (r *Runner) Violations() []Violation {
	all := []Violation{}
	for i := range r.shards {
		all = append(all, r.shards[i].found...)
	}
	slices.SortStableFunc(all, func(a, b Violation) int {
		return r.order(trace.Pos{File: a.File, Line: a.LastLine}, trace.Pos{File: b.File, Line: b.LastLine}, a.Stream, b.Stream)
	})
	return all
}

// order compares two places in the input and, of one place, when their streams
// began.
func (r *Runner) order(a, b trace.Pos, of, other string) int {
	if c := cmp.Or(cmp.Compare(r.place(a.File), r.place(b.File)), cmp.Compare(a.Line, b.Line)); c != 0 || of == other {
		return c
	}
	return cmp.Compare(r.first(of), r.first(other))
}

// first is the number of the first event of a stream.
func (r *Runner) first(stream string) int { return r.shardOf(stream).streams[stream].first }
