package workerimpl_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/workerimpl"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// genTrace is one draw; nil where nothing is left to judge.
func genTrace(rng *rand.Rand, o caseOpts) []string {
	w := newWalker(rng, o)
	out := writer{rng: rng, claims: o.claims}
	steps := "atomic"
	if o.batched {
		steps = "batched"
	}
	events := []oracle.Event{{Kind: "meta", Object: map[string]any{"format": 1.0, "spec": []any{"workerimpl"}, "steps": steps}}}
	events = append(events, out.begin(w.state)...)
	var held []walkStep // steps to be merged
	flush := func() {
		for len(held) > 0 {
			n := 1
			if o.batched {
				n += rng.IntN(len(held))
			}
			events = append(events, out.batch(held[:n])...)
			held = held[n:]
		}
	}
	for range o.steps {
		if o.environment && oracle.Chance(rng, 0.1) {
			flush()
			events = append(events, out.other(w.disturb())...)
			continue
		}
		if step, ok := w.step(); ok {
			held = append(held, step)
		}
		if !o.batched || oracle.Chance(rng, 0.35) {
			flush()
		}
	}
	flush()
	for range o.mutations {
		if mutated := mutators[mutators.Pick(rng)](rng, slices.Clone(events)); mutated != nil {
			events = mutated
		}
	}
	if !slices.ContainsFunc(events, func(e oracle.Event) bool { return e.Kind != "meta" && e.Op != "snapshot" }) {
		return nil
	}
	return oracle.Render(out.rng, events, 0)
}

// outcome is what the machine says of a trace's first violating step.
type outcome struct {
	steps       [][2]int // of each violation, the step's first and last line
	lines       []int
	kinds       []string
	verdict     validators.Verdict
	result      *validators.Result
	explanation []string // of the last step
}

func run(t *testing.T, lines []string) outcome {
	t.Helper()
	return runWith(t, lines, validators.Options{})
}

func runWith(t *testing.T, lines []string, opts validators.Options) outcome {
	t.Helper()
	var o outcome
	res := validatorstest.Judge(t, validators.Options{
		Specs: []*validators.Spec{workerimpl.Spec}, Attach: opts.Attach, KeepGoing: opts.KeepGoing, OnGap: opts.OnGap,
		OnStep: func(_ *trace.Step, _ string, explanation []string, _ []validators.Finding) {
			o.explanation = explanation
		},
	}, lines...)
	o.verdict, o.result = res.Verdict, res
	for _, v := range res.Violations {
		o.steps = append(o.steps, [2]int{v.FirstLine, v.LastLine})
		o.lines = append(o.lines, v.Line)
		o.kinds = append(o.kinds, string(v.Kind))
	}
	return o
}

// at is what the machine says of one step.
func (o outcome) at(first, last int) outcome {
	of := outcome{verdict: o.verdict}
	for i, step := range o.steps {
		if step == [2]int{first, last} {
			of.steps, of.lines, of.kinds = append(of.steps, step), append(of.lines, o.lines[i]), append(of.kinds, o.kinds[i])
		}
	}
	return of
}

// agrees says whether the machine's outcome is the oracle's verdict, of the step
// or of the first one before that is reported late.
func (v verdict) agrees(o outcome) bool {
	first := []verdict{v}
	for i, past := range v.late {
		switch {
		case i == 0 || past.first < first[0].first:
			first = []verdict{past}
		case past.first == first[0].first: // of another node
			first = append(first, past)
		}
	}
	for _, of := range first {
		for _, other := range first {
			of.open = append(of.open, other.kinds...)
		}
		if !of.agreesAt(o.at(of.first, of.last)) {
			return false
		}
	}
	return len(o.at(first[0].first, first[0].last).steps) == len(o.steps)
}

func (v verdict) agreesAt(o outcome) bool {
	for _, k := range v.kinds {
		if !slices.Contains(o.kinds, k) {
			return false
		}
	}
	for i, k := range o.kinds {
		if !slices.Contains(v.kinds, k) && !slices.Contains(v.open, k) {
			return false
		}
		if v.typeFirst && (k == "type") != (i == 0) {
			return false
		}
		if v.line != 0 && (k == "transition" || k == "property") && o.lines[i] != v.line {
			return false
		}
	}
	return len(v.kinds)+len(v.late) == 0 || o.verdict == validators.Violated
}

// TestMachineAgreesWithOracle compares verdicts, kinds and lines over random
// traces.
func TestMachineAgreesWithOracle(t *testing.T) {
	kinds := map[string]int{}
	judged, unknown, late := 0, 0, 0
	for seed := range validatorstest.Seeds(t, 2500) {
		rng := rand.New(rand.NewPCG(1, seed))
		o := randomOpts(rng)
		lines := genTrace(rng, o)
		if lines == nil {
			continue
		}
		want := judge(lines, 1500)
		got := run(t, lines)
		if want.unknown {
			unknown++
			continue
		}
		judged++
		if !want.agrees(got) {
			t.Fatalf("seed %d, %+v:\n%s\nwant %+v\ngot of lines %v, %v %v\n%s", seed, o,
				strings.Join(lines, "\n"), want, got.steps, got.kinds, got.lines, describe(got.result))
		}
		if len(want.kinds)+len(want.late) == 0 {
			kinds["none"]++
		}
		for _, k := range want.kinds {
			kinds[k]++
		}
		if len(want.late) > 0 {
			late++
		}
	}
	t.Logf("%d cases judged, %d unknown, kinds %v, %d reported of an earlier step", judged, unknown, kinds, late)
	for _, k := range []string{"none", "transition", "type", "claim", "property"} {
		if kinds[k] < judged/400 {
			t.Errorf("%d of %d cases are %s: too few to show anything", kinds[k], judged, k)
		}
	}
	if late < judged/200 {
		t.Errorf("%d of %d cases are reported of an earlier step: too few to show anything", late, judged)
	}
	if unknown > judged/3 {
		t.Errorf("%d of %d cases unknown: too many", unknown, judged)
	}
}

func describe(r *validators.Result) string {
	text := string(r.Verdict) + " " + r.Reason
	for _, v := range r.Violations {
		text += fmt.Sprintf("\n%s %s line %d: %s", v.Kind, v.Rule, v.Line, v.Message)
	}
	return text
}

// TestAttachAcceptsWhatConforms: a part of a trace that conforms, judged from
// its middle on, conforms under --attach.
func TestAttachAcceptsWhatConforms(t *testing.T) {
	cases := exhaustive.Or[uint64](300, 1500)
	judged, conforming := 0, 0
	for i := range cases {
		rng := rand.New(rand.NewPCG(3, i))
		o := randomOpts(rng)
		o.mutations, o.workers, o.others, o.steps = 0, 1, 0, 30
		lines := genTrace(rng, o)
		if lines == nil || run(t, lines).verdict != validators.Conforming {
			continue
		}
		conforming++
		from := 1 + rng.IntN(len(lines)-1)
		for from > 1 && sameTx(lines[from-1], lines[from]) {
			from--
		}
		got := runWith(t, append([]string{lines[0]}, lines[from:]...), validators.Options{Attach: true})
		if got.verdict == validators.Violated {
			t.Fatalf("case %d, from line %d:\n%s\n%s", i, from+1, strings.Join(lines, "\n"), describe(got.result))
		}
		if got.verdict == validators.Conforming {
			judged++
		}
	}
	t.Logf("of %d conforming traces, %d had steps to judge", conforming, judged)
	if judged < conforming/3 {
		t.Errorf("of %d conforming traces, %d had steps to judge: too few to show anything", conforming, judged)
	}
}

func sameTx(a, b string) bool {
	x, y := oracle.Parse(a, 0), oracle.Parse(b, 0)
	return x.Tx != nil && x.Tx == y.Tx
}

// TestKeepsGoing: whatever a trace says, the machine goes on after it.
func TestKeepsGoing(t *testing.T) {
	cases := exhaustive.Or[uint64](300, 1500)
	found := 0
	for i := range cases {
		rng := rand.New(rand.NewPCG(4, i))
		o := randomOpts(rng)
		o.mutations = 4
		lines := genTrace(rng, o)
		if lines == nil {
			continue
		}
		got := runWith(t, lines, validators.Options{KeepGoing: true, Attach: oracle.Chance(rng, 0.3)})
		found += len(got.kinds)
		if got.verdict == validators.Unusable && !strings.Contains(got.result.Reason, "no step to judge") && !strings.Contains(got.result.Reason, "gap") {
			t.Fatalf("case %d:\n%s\n%s", i, strings.Join(lines, "\n"), describe(got.result))
		}
	}
	if found < int(cases) {
		t.Errorf("%d violations in %d traces: too few to show anything", found, cases)
	}
}

// TestRecreatedIsAnother: a task that a step recreates with another Id is not the
// one that the step deletes.
func TestRecreatedIsAnother(t *testing.T) {
	lines := []string{
		`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`,
		`{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}`,
		`{"tx":1,"kind":"task","op":"delete","id":"t1"}`,
		`{"tx":1,"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":2,"node":"","state":"new","desired_state":"running"}}`,
	}
	for _, near := range run(t, lines).result.Violations[0].Nearest {
		if near.Action == "CreateTask" && !slices.Equal(near.Failed, []string{`tasks' = tasks \union {t}`}) {
			t.Errorf("CreateTask fails on %q", near.Failed)
		}
	}
}
