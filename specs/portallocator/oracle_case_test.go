package portallocator_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/portallocator"
	"tracecheck/validators/validatorstest"
)

// genCase makes a trace and the oracle's verdict on it, which is never unknown.
func genCase(rng *rand.Rand) (lines []string, want verdict) {
	return oracle.Case(func() []string { return genTrace(rng) }, func(lines []string) verdict { return judge(lines, 1200) })
}

// genTrace is one draw; nil where nothing is left to judge, or to mutate.
func genTrace(rng *rand.Rand) []string {
	w := randomModel(rng)
	batched := oracle.Chance(rng, 0.5)
	out := writer{rng: rng, model: w.model, claims: oracle.Chance(rng, 0.5), logs: oracle.Pick(rng, []float64{0, 0.3, 1})}
	if batched {
		w.names, w.statics = w.names[:min(2, len(w.names))], w.statics[:min(2, len(w.statics))]
		w.model.last = min(w.model.last, w.model.first+1)
		w.maxPorts = min(w.maxPorts, 2)
		out.model = w.model
	}
	events := []oracle.Event{out.header(batched)}
	if oracle.Chance(rng, 0.6) {
		logs := oracle.Chance(rng, 0.6)
		if w.start(logs); oracle.Chance(rng, 0.2) {
			w.fill()
		}
		ids := oracle.Shuffled(rng, w.state.ids())
		if oracle.Chance(rng, 0.1) { // not all that it should
			ids = ids[:rng.IntN(len(ids)+1)]
			logs = true
		}
		events = append(events, out.snapshot(w.state, ids, logs)...)
	}
	var held []walkStep // steps to be merged
	flush := func() {
		for len(held) > 0 {
			n := 1
			if batched {
				n += rng.IntN(len(held))
			}
			events = append(events, out.steps(held[:n])...)
			held = held[n:]
		}
	}
	for range 1 + rng.IntN(25) {
		if oracle.Chance(rng, 0.03) {
			flush()
			logs := oracle.Chance(rng, 0.5)
			var ids []string
			for _, id := range w.state.ids() {
				if oracle.Chance(rng, 0.5) {
					ids = append(ids, id)
				}
			}
			events = append(events, out.snapshot(w.state, ids, logs)...)
			continue
		}
		step := w.step(oracle.Chance(rng, 0.2))
		if step.isRefusal {
			if flush(); oracle.Chance(rng, 0.3) {
				events = append(events, out.refusal(step)...)
			}
			continue
		}
		held = append(held, step)
		if !batched || oracle.Chance(rng, 0.4) {
			flush()
		}
	}
	flush()
	if oracle.Chance(rng, 0.7) {
		if events = oracle.Pick(rng, mutators).apply(&w, events); events == nil {
			return nil
		}
	}
	if len(events) == 0 || events[0].Kind != "meta" || !oracle.HasStep(events) ||
		slices.ContainsFunc(events[1:], func(e oracle.Event) bool { return e.Kind == "meta" }) {
		return nil
	}
	return oracle.Lines(events)
}

// genJump is a trace of one batched step, from a state that nothing need lead
// to, to another one: the ports of some endpoints are drawn again.
func genJump(rng *rand.Rand) (lines []string, want verdict) {
	for {
		w := randomModel(rng)
		w.model.protocols, w.model.last = w.model.protocols[:1], w.model.first+rng.IntN(2)
		w.names, w.statics = w.names[:min(2, len(w.names))], w.statics[:min(2+rng.IntN(2), len(w.statics))]
		w.ids, w.maxPorts = w.ids[:min(3, len(w.ids))], min(w.maxPorts, 2)
		out := writer{rng: rng, model: w.model, logs: 0.3}
		w.start(true)
		full := oracle.Chance(rng, 0.7)
		if full {
			w.fill()
		}
		from := w.state
		events := append([]oracle.Event{out.header(true)}, out.snapshot(from, oracle.Shuffled(rng, from.ids()), true)...)
		w.start(false)
		to := from.clone()
		for _, id := range w.ids {
			if oracle.Chance(rng, 0.7) {
				to.allocated = to.allocated.minus(ingressAddrs(from.endpoints[id].ports)).plus(ingressAddrs(w.state.endpoints[id].ports))
				delete(to.endpoints, id)
				if e, ok := w.state.endpoints[id]; ok {
					to.endpoints[id] = e
				}
			}
		}
		if oracle.Chance(rng, 0.8) && !to.consistent() {
			continue // seen at a glance: not too many of these
		}
		way := []walkStep{{from: from, to: to}}
		if oracle.Chance(rng, 0.3) {
			id := oracle.Pick(rng, w.ids)
			gone := from.clone()
			delete(gone.endpoints, id)
			way = []walkStep{{from: from, to: gone}, {from: gone, to: to}}
		}
		step := out.steps(way)
		if oracle.Chance(rng, 0.3) && len(step) > 0 {
			oracle.Pick(rng, []func(){
				func() { step[rng.IntN(len(step))].Action = "UpdateEndpoint" },
				func() { step[rng.IntN(len(step))].Action = "NewEndpoint" },
				func() { step[rng.IntN(len(step))].Action = "RemoveEndpoint" },
			})()
		}
		if len(step) == 0 {
			continue
		}
		lines := oracle.Lines(append(events, step...))
		if want := judge(lines, 4000); !want.Unknown {
			return lines, want
		}
	}
}

// compare has the checker and the oracle judge generated traces, and returns
// how many there were of each verdict.
func compare(t *testing.T, cases uint64, generate func(*rand.Rand) ([]string, verdict)) map[string]int {
	t.Helper()
	counts := map[string]int{}
	validatorstest.CheckOracle(t, portallocator.Spec, cases, 1, nil, func(rng *rand.Rand) ([]string, validatorstest.Verdict) {
		lines, want := generate(rng)
		steps := "atomic "
		if strings.Contains(lines[0], "batched") {
			steps = "batched "
		}
		counts[steps+want.Reported()]++
		return lines, typeFirst{want}
	})
	return counts
}

// typeFirst is a verdict by which a value outside its type is to come first.
type typeFirst struct{ verdict }

func (v typeFirst) Accepts(first, last int, kinds []string) bool {
	return v.verdict.Accepts(first, last, kinds) && (!slices.Contains(v.Kinds, "type") || kinds[0] == "type")
}

// The checker agrees with the oracle in verdict, kinds and lines on walks and
// their mutants.
func TestMachineAgreesWithOracle(t *testing.T) {
	counts := compare(t, 1000, genCase)
	for _, kind := range []string{"", "transition", "invariant transition", "invariant", "claim", "property", "type", "rejection"} {
		for _, steps := range []string{"atomic ", "batched "} {
			if counts[steps+kind] == 0 && exhaustive.Asked() {
				t.Errorf("no case is %q", steps+kind)
			}
		}
	}
}

// And on batched steps between any two states.
func TestMachineAgreesWithOracleOnJumps(t *testing.T) {
	counts := compare(t, exhaustive.Or[uint64](600, 400), genJump) // a share of fewer has not each kind
	for _, kind := range []string{"batched ", "batched transition", "batched claim"} {
		if counts[kind] < exhaustive.Or(1, 5) {
			t.Errorf("only %d cases are %q", counts[kind], kind)
		}
	}
}
