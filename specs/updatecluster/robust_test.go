package updatecluster_test

import (
	"fmt"
	"strings"
	"testing"

	"tracecheck/specs/updatecluster"
	"tracecheck/trace"
	"tracecheck/validators"
)

// TestAnyInputIsJudged: whatever the lines say, each step is judged, and what
// is found lies in the input.
func TestAnyInputIsJudged(t *testing.T) {
	kinds, ids := []string{"request", "request", "cluster"}, []string{"r1", "r2", "r3"}
	names := []string{"status", "status", "rank", "queued", "request", "complete", "last_submitted", "conf_ok", "other"}
	good := []string{`"waiting"`, `"submitted"`, `"valid"`, `"processing"`, `"partial"`, `"partialFailure"`, `"success"`, "1", "2", "true", "false"}
	ops := []string{"snapshot", "create", "update", "update", "update", "delete", "reject"}
	values := []string{"null", "true", "false", "0", "1", "-3", "2.5", "1e400", `""`, `"r1"`, `"c1"`, "[]", "{}", `{"c1":"Sync"}`, `{"c1":{"a":1},"":null}`, "9223372036854775807"}
	for seed := range uint64(3000) {
		rng := newRand(seed)
		var lines []string
		for range 1 + rng.IntN(25) {
			var fields []string
			for range rng.IntN(4) {
				value := pick(rng, values)
				if chance(rng, 0.5) {
					value = pick(rng, good)
				}
				fields = append(fields, fmt.Sprintf("%q:%s", pick(rng, names), value))
			}
			object := "{" + strings.Join(fields, ",") + "}"
			if chance(rng, 0.05) {
				object = "null"
			}
			tx := ""
			if chance(rng, 0.6) {
				tx = fmt.Sprintf(`,"tx":%d`, rng.IntN(3))
			}
			if chance(rng, 0.2) {
				tx += fmt.Sprintf(`,"action":%q`, pick(rng, append([]string{"Nothing"}, oracleActions...)))
			}
			lines = append(lines, fmt.Sprintf(`{"kind":%q,"op":%q,"id":%q%s,"object":%s}`, pick(rng, kinds), pick(rng, ops), pick(rng, ids), tx, object))
		}
		r, err := validators.NewRunner(validators.Options{
			Specs: []*validators.Spec{updatecluster.Spec}, KeepGoing: true, Budget: 2000, Attach: chance(rng, 0.4),
			Steps: pick(rng, []validators.Steps{validators.Atomic, validators.Batched}),
		})
		if err != nil {
			t.Fatal(err)
		}
		var d trace.Decoder
		var events []trace.Event
		for i, line := range lines {
			var ev trace.Event
			if err := d.Decode([]byte(line), trace.Pos{Line: i + 1}, &ev); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			events = append(events, ev)
		}
		if err := r.Push(events); err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Finish().Violations {
			if v.Line < v.FirstLine || v.Line > v.LastLine || v.LastLine > len(lines) || v.Message == "" {
				t.Errorf("seed %d: %+v\n%s", seed, v, strings.Join(lines, "\n"))
			}
		}
	}
}
