package updatecluster_test

import (
	"math/rand/v2"
	"slices"

	"tracecheck/specs/internal/oracle"
)

var mutators = oracle.Plain(oracle.Mutators{
	"field":     oracle.SetField(otherValues),
	"bad value": oracle.SetField(badValues),
	"unset":     oracle.Unset,
	"claim":     mutateClaim,
	"op":        oracle.Op,
	"refusal":   mutateRefusal,
})

var otherValues = oracle.Values{
	"request": {
		"status": {"waiting", "submitted", "rejected", "valid", "processing", "partial", "partialFailure", "success", "failure", "rolledback"},
		"rank":   {nil, 0.0, 1.0, 2.0, 3.0, 4.0, -1.0},
		"queued": {true, false, nil},
	},
	"cluster": {
		"request":        {nil, "r1", "r2", "r3", "nosuch"},
		"complete":       {true, false},
		"last_submitted": {0.0, 1.0, 2.0, 3.0, 4.0, nil, -1.0},
		"conf_ok":        {true, false, nil},
	},
}

var badValues = oracle.Values{
	"request": {
		"status": {"Waiting", "", nil, 3.0, "partialfailure", []any{}},
		"rank":   {1.5, "1", true, map[string]any{}},
		"queued": {"yes", 0.0, []any{true}},
	},
	"cluster": {
		"request":        {7.0, false, []any{"r1"}},
		"complete":       {nil, "true", 1.0},
		"last_submitted": {"1", 0.5, true},
		"conf_ok":        {"yes", 1.0, map[string]any{"ok": true}},
	},
}

func mutateClaim(rng *rand.Rand, events []oracle.Event) []oracle.Event {
	i := oracle.At(rng, events, oracle.IsStep)
	if i < 0 {
		return nil
	}
	events[i].Action = oracle.Pick(rng, append(slices.Clone(oracleActions), "InitialCheck", "Next"))
	return events
}

// mutateRefusal puts in what changes nothing.
func mutateRefusal(rng *rand.Rand, events []oracle.Event) []oracle.Event {
	e := oracle.Event{Kind: oracle.Pick(rng, []string{"request", "cluster"}), Op: "reject", ID: "r1", Object: map[string]any{"status": "bogus", "queued": true}}
	if oracle.Chance(rng, 0.5) {
		e.Action = oracle.Pick(rng, []string{"Submit", "Refuse"})
	}
	return slices.Insert(events, 1+rng.IntN(len(events)), e)
}
