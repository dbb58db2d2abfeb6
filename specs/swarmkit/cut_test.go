package swarmkit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tracecheck/specs/swarmkit"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// A run that is cut and gone on with from what it saved says what one without a
// break says.

func TestCutCases(t *testing.T) {
	validatorstest.CutCases(t, []*validators.Spec{swarmkit.Spec}, "testdata")
}

func TestCutNoise(t *testing.T) {
	for _, n := range noise {
		validatorstest.CutNoise(t, swarmkit.Spec, n, 3000)
	}
}

func TestCutWalks(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 800) {
		rng := newRand(seed)
		lines := genTrace(rng, randomOpts(rng))
		if lines == nil {
			continue
		}
		opts := validators.Options{Specs: []*validators.Spec{swarmkit.Spec}, Attach: chance(rng, 0.2), OnGap: trace.OnGap(rng.IntN(2))}
		if chance(rng, 0.3) {
			opts.Deadline = time.Duration(1+rng.IntN(20)) * time.Second
		}
		if chance(rng, 0.3) {
			opts.Profile = validators.ProfileMoby
		}
		if i := rng.IntN(len(lines)); chance(rng, 0.2) {
			lines = append(lines[:i:i], lines[i+1:]...)
		}
		validatorstest.CutSome(t, fmt.Sprintf("seed %d", seed), []byte(strings.Join(lines, "\n")), opts, 5, seed)
	}
}

// What waits is a function of the state, or it could not be asked for again.
func TestWhatWaitsFollowsFromTheState(t *testing.T) {
	for _, n := range noise {
		for seed := range validatorstest.Seeds(t, 4000) {
			lines, opts := n.Draw(newRand(seed), swarmkit.Spec)
			opts.Budget = 2000
			checkFollowed(t, seed, lines, opts)
		}
	}
	for seed := range validatorstest.Seeds(t, 800) {
		rng := newRand(seed)
		checkFollowed(t, seed, genTrace(rng, randomOpts(rng)), validators.Options{Attach: chance(rng, 0.2)})
	}
}

func checkFollowed(t *testing.T, seed uint64, lines []string, opts validators.Options) {
	t.Helper()
	var machine validators.Machine
	opts.Specs, opts.KeepGoing = []*validators.Spec{swarmkit.Spec}, true
	opts.Before = func(_ *trace.Step, _ string, m validators.Machine) { machine = m }
	opts.OnStep = func(step *trace.Step, _ string, _ []string, _ []validators.Finding) {
		if wrong := swarmkit.Unfollowed(machine); wrong != "" {
			t.Fatalf("seed %d, profile %s, attach %t, after line %d: %s\n%s", seed, opts.Profile, opts.Attach, step.Last().Line, wrong, strings.Join(lines, "\n"))
		}
	}
	r, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	var d trace.Decoder
	for i, line := range lines {
		var ev trace.Event
		if line == "" {
			continue
		}
		if err := d.Decode([]byte(line), trace.Pos{Line: i + 1}, &ev); err != nil {
			t.Fatal(err)
		}
		if err := r.Push([]trace.Event{ev}); err != nil {
			t.Fatal(err)
		}
	}
}
