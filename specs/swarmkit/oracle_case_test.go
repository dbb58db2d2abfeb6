package swarmkit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
)

// caseOpts chooses what genCase makes.
type caseOpts struct {
	steps       int  // of the walk, at most; 0: 30
	batched     bool // runs of steps merged, only the net change shown
	blind       bool // of batched: merge also where an object's changes do not show
	unreachable bool // begin in a random well-typed state that satisfies Inv
	claims      bool // some lines name the actor or the action, truly
	environment bool // nodes come (and without a mutation go), snapshots overlay
	mutation    string
	searchCap   int // states a batched search may visit; 0: 3000
}

// randomOpts draws from everything that genCase can do.
func randomOpts(rng *rand.Rand) caseOpts {
	o := caseOpts{
		steps:       1 + rng.IntN(50),
		batched:     oracle.Chance(rng, 0.4),
		blind:       oracle.Chance(rng, 0.3),
		unreachable: oracle.Chance(rng, 0.5),
		claims:      oracle.Chance(rng, 0.6),
		environment: oracle.Chance(rng, 0.3),
	}
	if oracle.Chance(rng, 0.75) {
		o.mutation = mutators.Pick(rng)
	}
	return o
}

// genCase makes a trace and the oracle's verdict on it; the same rng and
// options give the same case. The verdict is never unknown: such a trace, and
// one that the wanted mutation finds no place in, is drawn again, after a
// while with a mutation that always does.
func genCase(rng *rand.Rand, o caseOpts) (lines []string, want verdict) {
	if o.steps == 0 {
		o.steps = 30
	}
	if o.searchCap == 0 {
		o.searchCap = 3000
	}
	draws := 0
	return oracle.Case(func() []string {
		lines := genTrace(rng, o)
		if draws++; lines == nil && o.mutation != "" && draws >= 20 {
			o.mutation = "field"
		}
		return lines
	}, func(lines []string) verdict { return judge(lines, o.searchCap) })
}

// genTrace is one draw; nil where nothing is left to judge, or to mutate.
func genTrace(rng *rand.Rand, o caseOpts) []string {
	w := walker{rng: rng, maxTerminated: oracle.Pick(rng, []int{0, 1, 1, 2, 5}), nodesGo: o.mutation == ""}
	for i := range 9 {
		w.taskIDs = append(w.taskIDs, fmt.Sprintf("t%d", i+1))
	}
	if o.batched {
		w.taskIDs = w.taskIDs[:2+rng.IntN(5)] // few, so that ids come again soon
	}
	start := randomState(rng, w.taskIDs)
	if !o.unreachable {
		start.services, start.tasks = newOracleState().services, newOracleState().tasks
	}
	w.state = start
	out := writer{rng: rng, claims: o.claims}
	events := append([]oracle.Event{out.header(o.batched, w.maxTerminated)}, out.begin(start)...)

	var held []walkStep // steps to be merged
	flush := func() {
		for len(held) > 0 {
			n := mergeable(rng, o, held)
			events = append(events, out.batch(held[:n])...)
			held = held[n:]
		}
	}
	for range o.steps {
		if o.environment && oracle.Chance(rng, 0.08) {
			flush()
			if oracle.Chance(rng, 0.5) {
				events = append(events, out.other(w.snapshot())...)
			} else if step, ok := w.environment(); ok {
				events = append(events, out.other(step)...)
			}
			continue
		}
		step, ok := w.step()
		if !ok {
			continue
		}
		held = append(held, step)
		if !o.batched || oracle.Chance(rng, 0.4) {
			flush()
		}
	}
	flush()
	if mutate := mutators[o.mutation]; mutate != nil {
		events = mutate(rng, events)
	}
	if !oracle.HasStep(events) {
		return nil
	}
	return oracle.Render(out.rng, events, 0.02)
}

// mergeable is how many of the held steps go into one.
func mergeable(rng *rand.Rand, o caseOpts, held []walkStep) int {
	if !o.batched {
		return 1
	}
	for n := 1 + rng.IntN(len(held)); n > 1; n-- {
		states := []oracleState{held[0].from}
		for _, step := range held[:n] {
			states = append(states, step.to)
		}
		if !reused(states[0], states[n]) && (o.blind || honest(states)) {
			return n
		}
	}
	return 1
}

// cases is how many to run.
func cases(n uint64) uint64 { return exhaustive.Or(n/8, n) }

func TestGenCaseIsDeterministic(t *testing.T) {
	for seed := range cases(80) {
		rng, again := oracle.NewRand(seed), oracle.NewRand(seed)
		a, wantA := genCase(rng, randomOpts(rng))
		b, wantB := genCase(again, randomOpts(again))
		if !slices.Equal(a, b) || fmt.Sprint(wantA) != fmt.Sprint(wantB) {
			t.Fatalf("seed %d gives two cases:\n%s\n\n%s", seed, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
	}
}

// Walks must take every action, and stutter by each that can, or a comparison
// over them leaves some of the module out.
func TestWalksTakeEveryAction(t *testing.T) {
	moved, stuttered := map[string]bool{}, map[string]bool{}
	for seed := range uint64(200) {
		w := walker{rng: oracle.NewRand(seed), taskIDs: []string{"t1", "t2", "t3", "t4", "t5", "t6"}, maxTerminated: int(seed % 3)}
		w.state = randomState(w.rng, w.taskIDs)
		for range 40 {
			if step, ok := w.step(); !ok {
				continue
			} else if step.from.equal(step.to) {
				stuttered[step.action] = true
			} else {
				moved[step.action] = true
			}
		}
	}
	for _, a := range oracleActions {
		if !moved[a.action] {
			t.Errorf("no walk takes %s", a.action)
		}
	}
	want := strings.Fields("CleanupTerminated ContainerExit OrphanTasks RemoveService RequestRemoval UpdateService")
	if got := sortedKeys(stuttered); !slices.Equal(got, want) {
		t.Errorf("walks stutter by %v, want %v", got, want)
	}
}

// A walk is its own explanation, so what is written of it conforms.
func TestWalksConform(t *testing.T) {
	for seed := range cases(240) {
		rng := oracle.NewRand(seed)
		o := randomOpts(rng)
		o.mutation, o.blind = "", false
		if lines, want := genCase(rng, o); len(want.Kinds) > 0 {
			t.Fatalf("seed %d, %+v: %+v\n%s", seed, o, want, strings.Join(lines, "\n"))
		}
	}
}

// What one action explains, a batch of one explains, and a batch may need no
// more than it; so "batched" accepts whatever "atomic" accepts.
func TestBatchedAcceptsWhatAtomicAccepts(t *testing.T) {
	judged, later := 0, 0
	for seed := range cases(240) {
		rng := oracle.NewRand(seed)
		o := randomOpts(rng)
		o.batched = false
		lines, atomic := genCase(rng, o)
		meta := slices.IndexFunc(lines, func(l string) bool { return l != "" })
		lines[meta] = strings.Replace(lines[meta], `"atomic"`, `"batched"`, 1)
		batched := judge(lines, 1000)
		switch {
		case batched.Unknown:
			continue
		case len(batched.Kinds) > 0 && (len(atomic.Kinds) == 0 || batched.First < atomic.First):
			t.Fatalf("seed %d: batched %+v, atomic %+v\n%s", seed, batched, atomic, strings.Join(lines, "\n"))
		case batched.First != atomic.First:
			later++
		}
		judged++
	}
	if judged == 0 || later == 0 {
		t.Fatalf("of %d cases, batched accepted more in %d: nothing was compared", judged, later)
	}
}

// Every mutator must be able to do harm, and together they must give every
// kind of verdict that a SwarmKit trace can have.
func TestMutantsReachEveryKind(t *testing.T) {
	kinds, harmless, most := map[string]int{}, 0, exhaustive.Or(4, 12)
	for name := range mutators {
		harm := 0
		for seed := range uint64(400) {
			if harm == most {
				break
			}
			rng := oracle.NewRand(seed)
			o := randomOpts(rng)
			o.mutation, o.environment = name, false
			o.batched = o.batched || name == "standstill"
			lines := genTrace(rng, o)
			if lines == nil {
				continue // no place for it
			}
			v := judge(lines, 300)
			for _, k := range v.Kinds {
				kinds[k]++
			}
			switch {
			case len(v.Kinds) > 0:
				harm++
			case !v.Unknown:
				harmless++
			}
		}
		if harm == 0 {
			t.Errorf("mutator %q never made a violation", name)
		}
	}
	for _, k := range []string{"transition", "claim", "invariant", "type"} {
		if kinds[k] == 0 {
			t.Errorf("no mutant is a violation of kind %s", k)
		}
	}
	if harmless == 0 {
		t.Error("no mutant conforms")
	}
}
