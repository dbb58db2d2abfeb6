package workerimpl_test

import (
	"math/rand/v2"

	"tracecheck/specs/internal/oracle"
)

var mutators = oracle.Plain(oracle.Mutators{
	"field":     oracle.SetField(otherValues),
	"bad value": oracle.SetField(badValues),
	"claim":     mutateClaim,
	"refuse":    mutateRefuse,
	"stand":     oracle.AsUpdate,
})

// otherValues are well-typed, or name what does not exist.
var otherValues = oracle.Values{
	"node":      {"state": {"up", "down"}},
	"container": {"node": {"n1", "n2", "n3"}, "state": {"running", "terminating", "complete", "failed"}},
	"task": {
		"service": {"web", "api"},
		"slot":    {1.0, 2.0, "global"},
		"node":    {"n1", "n2", "n3", "", nil},
		"state": {
			"new", "pending", "assigned", "accepted", "preparing", "ready", "starting", "running",
			"complete", "shutdown", "failed", "rejected", "orphaned",
		},
		"desired_state": {"ready", "running", "shutdown", "remove"},
	},
}

// badValues are outside their type.
var badValues = oracle.Values{
	"node":      {"state": {"sideways", 7.0, "", nil}},
	"container": {"node": {7.0, "", nil, []any{"n1"}}, "state": {"rejected", "shutdown", 5.0, nil, "Running"}},
	"task": {
		"service":       {12.0, true, nil},
		"slot":          {0.0, -2.0, 2.5, "one", nil},
		"node":          {7.0, []any{"n1"}},
		"state":         {"bogus", "remove", "terminating", 5.0, map[string]any{}, nil},
		"desired_state": {"new", "complete", "done", 3.0, false, nil},
	},
}

// mutateClaim replaces the claims of one line, or makes one.
func mutateClaim(rng *rand.Rand, events []oracle.Event) []oracle.Event {
	i := oracle.At(rng, events, func(_ int, e oracle.Event) bool { return e.Actor+e.Action != "" })
	if i < 0 || oracle.Chance(rng, 0.5) {
		i = oracle.At(rng, events, oracle.IsStep)
	}
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Actor, e.Action = "", ""
	switch rng.IntN(6) {
	case 0:
		e.Actor = oracle.Pick(rng, []string{"agent", "scheduler", "reaper"})
	case 1, 2:
		e.Action = oracle.Pick(rng, oracleActions)
	case 3, 4:
		e.Actor, e.Action = oracle.Pick(rng, []string{"agent", "agent", "user"}), oracle.Pick(rng, oracleActions)
	case 5:
		e.Action = oracle.Pick(rng, []string{"AllocateTask", "updateTask", "Init"})
		if oracle.Chance(rng, 0.5) {
			e.Actor, e.Action = oracle.Pick(rng, []string{"operator", "Agent"}), ""
		}
	}
	return events
}

// mutateRefuse makes a refusal of a line: nothing happened.
func mutateRefuse(rng *rand.Rand, events []oracle.Event) []oracle.Event {
	i := oracle.At(rng, events, oracle.IsStep)
	if i < 0 {
		return nil
	}
	events[i].Op = "reject"
	return events
}
