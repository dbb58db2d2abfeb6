package updatecluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
	"tracecheck/validators/validatorstest"
)

// life is the steps of a request that is applied.
func life(id string, rank int) []string {
	request := func(object string) string {
		return fmt.Sprintf(`{"kind":"request","op":"update","id":%q,"object":{%s}}`, id, object)
	}
	return []string{
		request(fmt.Sprintf(`"status":"submitted","rank":%d`, rank)) + "\n" + fmt.Sprintf(`{"kind":"cluster","op":"update","object":{"last_submitted":%d}}`, rank),
		request(`"status":"valid"`),
		request(`"queued":true`),
		request(`"status":"processing","queued":false`),
		request(`"status":"partial"`) + "\n" + fmt.Sprintf(`{"kind":"cluster","op":"update","object":{"request":%q,"complete":false}}`, id),
		request(`"status":"success"`) + "\n" + `{"kind":"cluster","op":"update","object":{"complete":true}}`,
	}
}

// TestConformingStepsDoNotAllocate: beyond the records of new requests.
func TestConformingStepsDoNotAllocate(t *testing.T) {
	const runs = 100
	var lines []string
	var all [][]*trace.Step
	for i := range runs + 1 { // AllocsPerRun makes one run more
		id := fmt.Sprintf("r%d", i)
		lines = append(lines, fmt.Sprintf(`{"kind":"request","op":"snapshot","id":%q,"object":{"status":"waiting","rank":null,"queued":false}}`, id))
		all = append(all, validatorstest.Steps(t, life(id, i+1)...))
	}
	for _, mode := range []validators.Steps{validators.Atomic, validators.Batched} {
		m, _ := validatorstest.Machine(t, Spec, validators.Config{Steps: mode, Ledger: validators.NewLedger(len(waits))}, lines...)
		n := 0
		allocs := testing.AllocsPerRun(runs, func() {
			for _, step := range all[n] {
				if found, judged, err := m.Step(step); len(found) > 0 || !judged || err != nil {
					t.Fatalf("%v %v %v", found, judged, err)
				}
			}
			n++
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations for the life of a request, want none", mode, allocs)
		}
	}
}

// TestLargeBatch: thousands of requests in one step, in an order that must be
// found, with a claim on each line.
func TestLargeBatch(t *testing.T) {
	const n = 10000
	var lines []string
	for i := range n {
		id := fmt.Sprintf("r%d", i)
		action := `"action":"CompleteApply",`
		if i%3 == 0 {
			action = `"action":"Submit",`
		}
		lines = append(lines, fmt.Sprintf(`{"kind":"request","op":"update","id":%q,%s"object":{"status":"success","rank":%d}}`, id, action, n-i))
	}
	slices.Sort(lines)
	for _, c := range []struct {
		last string
		want []validators.ViolationKind
	}{
		{`"id":"","action":"StartApply","object":{"request":"r0"}`, nil},
		{`"id":"","action":"Rollback","object":{"request":"r0"}`, []validators.ViolationKind{validators.OfClaim}},
		{`"id":"","object":{"request":"r1"}`, []validators.ViolationKind{validators.OfTransition}},
		{`"id":"","object":{"request":"r0","complete":false}`, []validators.ViolationKind{validators.OfTransition}},
	} {
		m, _ := validatorstest.Machine(t, Spec, validators.Config{Steps: validators.Batched, Budget: 1000})
		step := validatorstest.Steps(t, strings.Join(append(lines, `{"kind":"cluster","op":"update",`+c.last+`}`), "\n"))[0]
		found, _, err := m.Step(step)
		if err != nil {
			t.Fatalf("%s: %v", c.last, err)
		}
		var kinds []validators.ViolationKind
		for _, f := range found {
			kinds = append(kinds, f.Kind)
		}
		if !slices.Equal(kinds, c.want) {
			t.Errorf("%s: %v, want %v", c.last, kinds, c.want)
		}
		if len(found) == 0 && len(m.Explanation()) != 6*n {
			t.Errorf("explained by %d actions, want %d", len(m.Explanation()), 6*n)
		}
	}
}

// TestLargeBatchOfRollbacks: each of these serves one application, and the
// cluster is left incomplete.
func TestLargeBatchOfRollbacks(t *testing.T) {
	const n = 2000
	lines := []string{`{"kind":"cluster","op":"snapshot","object":{"request":null,"complete":false,"last_submitted":1,"conf_ok":true}}`}
	var step []string
	for i := range n {
		for _, r := range [][3]string{{"a", "partialFailure", "rolledback"}, {"b", "processing", "partialFailure"}} {
			lines = append(lines, fmt.Sprintf(`{"kind":"request","op":"snapshot","id":"%s%d","object":{"status":%q,"rank":1,"queued":false}}`, r[0], i, r[1]))
			step = append(step, fmt.Sprintf(`{"kind":"request","op":"update","id":"%s%d","object":{"status":%q}}`, r[0], i, r[2]))
		}
	}
	for _, c := range []struct {
		complete bool
		holds    bool
	}{{false, true}, {true, false}} {
		m, _ := validatorstest.Machine(t, Spec, validators.Config{Steps: validators.Batched, Budget: 1000}, lines...)
		text := strings.Join(append(step, fmt.Sprintf(`{"kind":"cluster","op":"update","object":{"request":"b7","complete":%v}}`, c.complete)), "\n")
		found, _, err := m.Step(validatorstest.Steps(t, text)[0])
		if err != nil || (len(found) == 0) != c.holds {
			t.Errorf("left complete %v: %v %v", c.complete, found, err)
		}
	}
}

// TestBudget: a search that runs out of it is no verdict.
func TestBudget(t *testing.T) {
	var step []string
	lines := []string{`{"kind":"cluster","op":"snapshot","object":{"request":null,"complete":true,"last_submitted":1,"conf_ok":true}}`}
	for i := range 5 {
		lines = append(lines, fmt.Sprintf(`{"kind":"request","op":"snapshot","id":"r%d","object":{"status":"processing","rank":1,"queued":true}}`, i))
		step = append(step, fmt.Sprintf(`{"kind":"request","op":"update","id":"r%d","object":{"status":"success","queued":false}}`, i))
	}
	step = append(step, `{"kind":"cluster","op":"update","object":{"request":"r9"}}`)
	m, _ := validatorstest.Machine(t, Spec, validators.Config{Steps: validators.Batched, Budget: 50}, lines...)
	found, _, err := m.Step(validatorstest.Steps(t, strings.Join(step, "\n"))[0])
	var unfit *trace.Error
	if !errors.As(err, &unfit) || !strings.Contains(unfit.Reason, "--budget") {
		t.Errorf("got %v, %v; want an error that names --budget", found, err)
	}
	m, _ = validatorstest.Machine(t, Spec, validators.Config{Steps: validators.Batched, Budget: validators.DefaultBudget}, lines...)
	if found, _, err := m.Step(validatorstest.Steps(t, strings.Join(step, "\n"))[0]); err != nil || len(found) == 0 {
		t.Errorf("got %v, %v; want a violation: the cluster is left with a request of the step", found, err)
	}
}

// TestOutdated: StartApply's guards keep an outdated request from being
// applied, and the property shows if they do not.
func TestOutdated(t *testing.T) {
	s := text.Fresh()
	s.cluster.Amend(func(c *Cluster) { c.Last, c.Conf = 5, yes })
	r := Request{Status: Processing, Rank: model.OptionalInt{Set: true, Value: 3}, Queue: out}
	guards := startApply.Guards
	if s.outdated("r1", &r, guards) {
		t.Error("StartApply is enabled for a request that is not the last one submitted")
	}
	if !s.outdated("r1", &r, guards[1:]) {
		t.Error("without the conjunct on ranks, nothing says that the request is outdated")
	}
}
