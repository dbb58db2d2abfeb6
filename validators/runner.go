// Package validators judges streams of steps against specs. It knows no spec
// by name: a spec is a value that makes machines, one for each stream.
package validators

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tracecheck/internal/nearest"
	"tracecheck/trace"
)

// Options are the settings of a run. For an empty setting, a stream's meta line
// decides.
type Options struct {
	Specs         []*Spec // all available specs
	Select        []string
	Steps         Steps
	Profile       string
	Constants     map[string]string // raw JSON by name
	Attach        bool
	OnGap         trace.OnGap
	KeepGoing     bool            // judge a stream past its first violating step
	Recover       bool            // continue an unusable stream at its next snapshot
	Known         map[string]bool // fingerprints of violations that are only counted
	MaxViolations int             // end the run after this number of violations, in the order of the input; there is only one shard; 0: no bound
	Deadline      time.Duration   // the longest wait, by the events' times; 0: no bound
	Prompt        time.Duration   // without Deadline: the longest wait for what a system does at once (Reasoner.Prompt), without long silences; 0: no bound
	Budget        int             // actions that the search for one batched step may try, of which one counts as several in a large step; 0: DefaultBudget
	Remember      int             // the number of a stream's last numbered lines that a duplicate is compared with; 0: trace.DefaultRemember
	Shards        int             // the number of goroutines that judge, each its own streams; 0: one for each processor. The result does not depend on it. With MaxViolations, OnStep or Before it is 1
	InParts       int             // a stream with at least this number of objects is saved in parts; 0: DefaultInParts
	Coverage      bool            // also count transitions, clauses and branches
	Brief         bool            // the result leaves out the streams' states and temporal properties

	// Order, unless nil, puts the lines of each stream in order before they are judged. The
	// streams of one goroutine have the same Workspace.
	Order func(*Workspace) Orderer

	// OnStep, unless nil, is called for each judged step with its explanation, in the order
	// of the input. There is only one shard. The step is valid until OnStep returns.
	OnStep func(step *trace.Step, spec string, explanation []string, findings []Finding)

	// Before, unless nil, is called for each step before it is judged, with the machine
	// that judges it, in the order of the input. There is only one shard.
	Before func(step *trace.Step, spec string, machine Machine)
}

// hasDeadline says that an obligation may be overdue.
func (o *Options) hasDeadline() bool { return o.Deadline > 0 || o.Prompt > 0 }

// DefaultInParts objects take some milliseconds to save.
const DefaultInParts = 5000

// DefaultPrompt is nearly eight times the longest known wait for the managers of a
// healthy swarm (docs/monitor-config.md).
const DefaultPrompt = 2 * time.Minute

// DefaultBudget bounds the search for one batched step to some seconds.
const DefaultBudget = 1_000_000

// ErrEnough ends a run that has found MaxViolations.
var ErrEnough = errors.New("the bound on violations is reached")

// Runner judges the events of many streams in one pass.
type Runner struct {
	opts   Options
	shards []shard
	events int
	before int                   // at least the event number at which any restored stream began
	file   *inputFile            // the current file
	files  map[string]*inputFile // by name
	shared [trace.MaxKinds]bool  // whether several specs read the kind

	constants []string // of the specs
	snapshots bool     // whether a stream may have snapshots: a log of lines has none

	unfit   *trace.Error // the first reason why the input is unusable
	missed  *trace.Error // events of any stream are missing; nil: none
	broken  bool         // the input broke off
	partial bool
	own     *batch         // for a Push that one goroutine judges
	batches chan *batch    // free batches
	wait    sync.WaitGroup // for the shards
	found   atomic.Int64   // violations
	busy    atomic.Int32   // shards that judge
}

// inputFile is a file of the input.
type inputFile struct {
	name  string
	place int
	lines int // the number of its lines that belong to steps
}

// NewRunner checks the options. An error means wrong usage.
func NewRunner(opts Options) (*Runner, error) {
	if opts.Budget == 0 {
		opts.Budget = DefaultBudget
	}
	opts.InParts = cmp.Or(opts.InParts, DefaultInParts)
	r := &Runner{opts: opts, files: map[string]*inputFile{}}
	r.shards = make([]shard, opts.shardCount())
	for i := range r.shards {
		r.shards[i] = shard{run: r, number: i, streams: map[string]int32{}, counts: map[law]*counts{}, noting: noting{epoch: 1}}
	}
	r.own = r.newBatch()
	r.batches = make(chan *batch, maxBatches)
	for range leastBatches {
		r.batches <- r.newBatch()
	}
	if _, err := r.specs(opts.Select); err != nil {
		return nil, err
	}
	if err := checkProfile(opts.Profile, opts.Specs); err != nil {
		return nil, err
	}
	for _, s := range opts.Specs {
		for _, c := range s.Constants {
			r.constants = append(r.constants, c.Name)
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
		if !slices.Contains(r.constants, name) {
			return nil, fmt.Errorf("no spec has a constant %q; %s", name, r.likeConstant(name))
		}
	}
	return r, nil
}

// likeConstant asks whether the constant with the nearest name was meant.
func (r *Runner) likeConstant(name string) string {
	return nearest.Or(name, slices.Compact(slices.Sorted(slices.Values(r.constants))), "`tracecheck specs` lists them")
}

// NoEvents is the reason of a result of an empty input.
const NoEvents = "the input has no events"

// specs returns the specs with the names; nil for no names.
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
		if strings.HasSuffix(name, ".tla") {
			return nil, fmt.Errorf("unknown spec %q: to judge by a TLA+ module, write a bind file (`tracecheck help bind`); if the module reads the log itself, use --module", name)
		}
		hint := cmp.Or(nearest.Hint(name, have), "; choose with --spec")
		return nil, fmt.Errorf("unknown spec %q: this version has %s%s", name, strings.Join(have, ", "), hint)
	}
	return chosen, nil
}

// Expect sets the order of the files in the list of violations, for files that are not read in
// turn. The default is the order of their first events.
func (r *Runner) Expect(files []string) {
	for _, name := range files {
		r.enter(name)
	}
}

// enter gives a file its place in the input.
func (r *Runner) enter(name string) *inputFile {
	f := r.files[name]
	if f == nil {
		f = &inputFile{name: name, place: len(r.files)}
		r.files[f.name] = f
	}
	return f
}

// Fail records that the input breaks off at a position, from which it cannot be
// read. The first reason in the input is reported.
func (r *Runner) Fail(err *trace.Error) {
	r.broken = true
	if r.unfit == nil {
		r.unfit = err
	}
}

// isBefore reports whether a comes before b in the input. b may be nil.
func (r *Runner) isBefore(a, b *trace.Error) bool {
	switch {
	case a == nil || b == nil:
		return a != nil
	case a.Pos.File != b.Pos.File:
		return r.place(a.Pos.File) < r.place(b.Pos.File)
	}
	return a.Pos.Line < b.Pos.Line
}

// place returns the place of a file, 0 if it is unknown.
func (r *Runner) place(file string) int {
	if f := r.files[file]; f != nil {
		return f.place
	}
	return 0
}

// Interrupt records that the run ends before its input does.
func (r *Runner) Interrupt() { r.broken, r.partial = true, true }

// streams returns all streams, in the order of their first events.
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
	if r.opts.Attach {
		reason += "; with --attach, it has no step about objects that earlier lines have shown"
	}
	return reason
}

// Found returns the number of violations found so far. It may be called at any time,
// also while events are judged.
func (r *Runner) Found() int { return int(r.found.Load()) }

// Violations returns all violations found so far, in the order of the input. Call it only
// after Push or Wait has returned.
func (r *Runner) Violations() []Violation {
	all := []Violation{}
	for i := range r.shards {
		all = append(all, r.shards[i].found...)
	}
	slices.SortStableFunc(all, func(a, b Violation) int {
		return r.order(a.last(), b.last(), a.Stream, b.Stream)
	})
	return all
}

// order compares two positions in the input. For equal positions, it compares the first
// events of the streams.
func (r *Runner) order(a, b trace.Pos, of, other string) int {
	if c := cmp.Or(cmp.Compare(r.place(a.File), r.place(b.File)), cmp.Compare(a.Line, b.Line)); c != 0 || of == other {
		return c
	}
	return cmp.Compare(r.first(of), r.first(other))
}

// first returns the number of the first event of a stream.
func (r *Runner) first(stream string) int { return r.stream(stream).first }
