package portallocator_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/portallocator"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// genCase makes a trace and the oracle's verdict on it; the same seed gives the
// same case. The verdict is never unknown.
func genCase(seed uint64) (lines []string, want verdict) {
	rng := rand.New(rand.NewPCG(seed, 1))
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
// to, to another one: the ports of some endpoints are drawn anew.
func genJump(seed uint64) (lines []string, want verdict) {
	rng := rand.New(rand.NewPCG(seed, 2))
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

// push feeds the lines to the runner, from bytes that are used again: nothing
// borrowed may be kept.
func push(t testing.TB, r *validators.Runner, lines []string) {
	t.Helper()
	var d trace.Decoder
	var buffer []byte
	for i, line := range lines {
		buffer = append(buffer[:0], line...)
		d.Reset()
		events := make([]trace.Event, 1)
		if err := d.Decode(buffer, trace.Pos{Line: i + 1}, &events[0]); err != nil {
			t.Fatal(err)
		}
		if err := r.Push(events); err != nil {
			t.Fatal(err)
		}
		for k := range buffer {
			buffer[k] = '#'
		}
	}
}

// run has the checker judge the lines: its first violating step.
func run(t testing.TB, lines []string) (first, last int, kinds []string, res *validators.Result) {
	t.Helper()
	r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{portallocator.Spec}})
	if err != nil {
		t.Fatal(err)
	}
	push(t, r, lines)
	res = r.Finish()
	for _, v := range res.Violations {
		first, last = v.FirstLine, v.LastLine
		kinds = append(kinds, string(v.Kind))
		if v.Line < v.FirstLine || v.Line > v.LastLine {
			t.Errorf("line %d is not within the step of lines %d to %d", v.Line, v.FirstLine, v.LastLine)
		}
	}
	return first, last, kinds, res
}

// compare has the checker and the oracle judge generated traces, and returns
// how many there were of each verdict.
func compare(t *testing.T, cases uint64, generate func(seed uint64) ([]string, verdict)) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for seed := range validatorstest.Seeds(t, cases) {
		lines, want := generate(seed)
		first, last, kinds, res := run(t, lines)
		if res.Verdict == validators.Unusable {
			t.Fatalf("seed %d: unusable: %s\n%s", seed, res.Reason, numbered(lines))
		}
		if !want.Accepts(first, last, kinds) {
			t.Fatalf("seed %d: got lines %d to %d, %v; want %+v\n%s\n%+v", seed, first, last, kinds, want, numbered(lines), res.Violations)
		}
		if slices.Contains(want.Kinds, "type") && kinds[0] != "type" {
			t.Fatalf("seed %d: %v; a value outside its type is to come first\n%s", seed, kinds, numbered(lines))
		}
		steps := "atomic "
		if strings.Contains(lines[0], "batched") {
			steps = "batched "
		}
		counts[steps+strings.Join(want.Kinds, " ")]++
	}
	t.Logf("%v", counts)
	return counts
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

func numbered(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&b, "%d %s\n", i+1, l)
	}
	return b.String()
}
