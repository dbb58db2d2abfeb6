package portallocator_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/portallocator"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// past runs the checker past violations.
func past(t testing.TB, lines []string, opts validators.Options) *validators.Result {
	t.Helper()
	opts.Specs, opts.KeepGoing = []*validators.Spec{portallocator.Spec}, true
	r, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	validatorstest.Push(t, r, lines...)
	return r.Finish()
}

// mutants is a trace that is damaged in several places.
func mutants(rng *rand.Rand, names ...string) []string {
	for {
		w := randomModel(rng)
		out := writer{rng: rng, model: w.model, claims: true, logs: 0.5}
		events := []oracle.Event{out.header(false)}
		w.start(true)
		events = append(events, out.snapshot(w.state, w.state.ids(), true)...)
		for range 20 {
			if step := w.step(false); !step.isRefusal {
				events = append(events, out.steps([]walkStep{step})...)
			} else if oracle.Chance(rng, 0.3) {
				events = append(events, out.refusal(step)...)
			}
		}
		for range 4 {
			m := oracle.Pick(rng, mutators)
			if !slices.Contains(names, m.name) {
				continue
			}
			if damaged := m.apply(&w, events); damaged != nil {
				events = damaged
			}
		}
		if events[0].Kind == "meta" && !slices.ContainsFunc(events[1:], func(e oracle.Event) bool { return e.Kind == "meta" }) {
			return oracle.Lines(events)
		}
	}
}

// Past a violation, too, the checker and the oracle agree on which actions
// explain an atomic step, from states that no invariant holds in. (Invariants
// are left out: the checker judges them of what a step changes.)
func TestMachineAgreesWithOraclePastViolations(t *testing.T) {
	kinds := map[string]int{}
	for seed := range validatorstest.Seeds(t, 1000) {
		rng := rand.New(rand.NewPCG(seed, 4))
		lines := mutants(rng, "port", "ports", "number", "allocated", "claim", "refuse", "refused", "split", "join")
		want, end := judgeAll(lines)
		got := map[int][]string{}
		for _, v := range past(t, lines, validators.Options{}).Violations {
			if v.LastLine <= end && v.Kind != validators.OfInvariant {
				got[v.LastLine] = append(got[v.LastLine], string(v.Kind))
			}
		}
		for line := range lines {
			wanted := slices.DeleteFunc(slices.Clone(want[line].Kinds), func(k string) bool { return k == "invariant" })
			slices.Sort(got[line])
			if !slices.Equal(got[line], wanted) {
				t.Fatalf("seed %d: line %d: %v, want %v\n%s", seed, line, got[line], wanted, strings.Join(lines, "\n"))
			}
			for _, k := range wanted {
				kinds[k]++
			}
		}
	}
	for _, k := range []string{"transition", "claim", "property", "rejection"} {
		if kinds[k] < exhaustive.Or(1, 5) {
			t.Errorf("only %d steps are %q", kinds[k], k)
		}
	}
	t.Logf("%v", kinds)
}

// Whatever the lines say, the checker comes to a verdict, in every mode, and
// the same again.
func TestMachineAlwaysJudges(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 600) {
		rng := rand.New(rand.NewPCG(seed, 5))
		lines := mutants(rng, mutatorNames()...)
		for _, opts := range []validators.Options{
			{}, {Steps: validators.Batched}, {Attach: true}, {Steps: validators.Batched, Attach: true},
		} {
			res := past(t, lines, opts)
			if res.Verdict == validators.Unusable && res.Steps > 0 {
				t.Fatalf("seed %d, %+v: %s\n%s", seed, opts, res.Reason, strings.Join(lines, "\n"))
			}
			if again := past(t, lines, opts); len(again.Violations) != len(res.Violations) {
				t.Fatalf("seed %d, %+v: %d violations, and then %d\n%s", seed, opts, len(res.Violations), len(again.Violations), strings.Join(lines, "\n"))
			}
			for _, v := range res.Violations {
				if v.Message == "" || strings.Contains(v.Message, "%!") {
					t.Fatalf("seed %d: message %q", seed, v.Message)
				}
			}
		}
	}
}
