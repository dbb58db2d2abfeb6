package updatecluster

import (
	"fmt"
	"slices"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

func TestWhatWaitsIsEnabled(t *testing.T) {
	validatorstest.CheckEnabled(t, Spec, validatorstest.ReadGraph(t, graphFile), nil)
}

// TestGap: what is lost with the state waits no more, nor is confOK known.
func TestGap(t *testing.T) {
	result := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{Spec}, OnGap: trace.ResyncOnGap},
		`{"seq":1,"kind":"cluster","op":"snapshot","object":{"request":"r1","complete":false,"last_submitted":2,"conf_ok":true}}`,
		`{"seq":2,"kind":"request","op":"snapshot","id":"r1","object":{"status":"partialFailure","rank":2,"queued":false}}`,
		`{"seq":3,"kind":"request","op":"snapshot","id":"r2","object":{"status":"valid","rank":1,"queued":true}}`,
		`{"seq":4,"kind":"request","op":"create","id":"r3","object":{"status":"waiting","rank":null,"queued":false}}`,
		`{"seq":9,"kind":"cluster","op":"snapshot","object":{"request":"r1","complete":false,"last_submitted":2}}`,
		`{"seq":10,"kind":"request","op":"snapshot","id":"r1","object":{"status":"partialFailure","rank":2,"queued":false}}`,
		`{"seq":11,"kind":"request","op":"snapshot","id":"r4","object":{"status":"valid","rank":1,"queued":false}}`,
	)
	var got []string
	for _, l := range result.Liveness {
		for _, w := range l.Waiting {
			got = append(got, fmt.Sprintf("%d %s %s", w.SinceLine, w.ID, w.Action))
		}
	}
	if want := []string{"7 r4 PushToQueue", "7  NoPartialUpdateTermination"}; !slices.Equal(got, want) {
		t.Errorf("waiting are %q, want %q", got, want)
	}
}

// TestGapKeepsLogged: that the stream logs queued is known behind a gap, too.
func TestGapKeepsLogged(t *testing.T) {
	result := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{Spec}, OnGap: trace.ResyncOnGap},
		`{"seq":1,"kind":"request","op":"snapshot","id":"r1","object":{"status":"valid","rank":1,"queued":true}}`,
		`{"seq":9,"kind":"request","op":"snapshot","id":"r2","object":{"status":"rejected","rank":2}}`,
		`{"seq":10,"kind":"request","op":"create","id":"r3","object":{"status":"submitted","rank":3}}`,
		`{"seq":11,"kind":"request","op":"update","id":"r3","object":{"status":"valid"}}`,
		`{"seq":12,"kind":"request","op":"update","id":"r3","object":{"status":"processing"}}`,
	)
	var got []string
	for _, v := range result.Violations {
		got = append(got, fmt.Sprint(v.Line, " ", v.Rule))
	}
	if want := []string{"5 Next"}; !slices.Equal(got, want) {
		t.Errorf("violations are %q, want %q", got, want)
	}
}

// TestRecordingsApart: what one recording of a stream logs is of it alone.
func TestRecordingsApart(t *testing.T) {
	result := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{Spec}},
		`{"kind":"meta","object":{"format":1}}`,
		`{"seq":1,"kind":"request","op":"create","id":"r1","object":{"status":"submitted","rank":1,"queued":false}}`,
		`{"kind":"meta","object":{"format":1}}`,
		`{"seq":1,"kind":"request","op":"create","id":"r1","object":{"status":"submitted","rank":1}}`,
		`{"seq":2,"kind":"request","op":"update","id":"r1","object":{"status":"valid"}}`,
		`{"seq":3,"kind":"request","op":"update","id":"r1","action":"PushToQueue","object":{"status":"processing"}}`,
	)
	if result.Verdict != validators.Conforming || result.Steps != 4 {
		t.Errorf("%s, %d steps, %+v; want four that conform", result.Verdict, result.Steps, result.Violations)
	}
}

// TestTemporal: what the temporal properties refer to is there.
func TestTemporal(t *testing.T) {
	asked := make([]int, len(Spec.Waits))
	for _, p := range Spec.Temporal {
		for _, w := range p.Waits {
			asked[w]++
		}
		isRule := slices.ContainsFunc(Spec.Rules, func(r validators.RuleDoc) bool { return r.Name == p.Step })
		if (len(p.Waits) > 0) == isRule {
			t.Errorf("%s: waits %v, step %q; want one of them", p.Name, p.Waits, p.Step)
		}
	}
	if asked[0] != 0 || slices.ContainsFunc(asked[1:], func(n int) bool { return n != 1 }) {
		t.Errorf("waits are asked for %v times, want each once", asked)
	}
}
