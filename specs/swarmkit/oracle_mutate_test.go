package swarmkit_test

import (
	"math/rand/v2"
	"slices"

	"tracecheck/specs/internal/oracle"
)

var mutators = oracle.Plain(oracle.Mutators{
	"field":      oracle.SetField(otherValues),
	"bad value":  oracle.SetField(badValues),
	"claim":      mutateClaim,
	"join":       joinWithoutClaims,
	"standstill": oracle.AsUpdate,
})

// otherValues are well-typed, or name what does not exist.
var otherValues = oracle.Values{
	"service": {
		"replicas": {0.0, 1.0, 2.0, 3.0, 7.0, "global"},
		"remove":   {true, false},
	},
	"node": {"state": {nodeUp, nodeDown}},
	"task": {
		"service": {"web", "api", "nosuch"},
		"slot":    {1.0, 2.0, 3.0, 4.0, "global"},
		"node":    {"n1", "n2", "n3", "", nil, "ghost"},
		"state": {
			"new", "pending", "assigned", "accepted", "preparing", "ready", "starting",
			"running", "complete", "shutdown", "failed", "rejected", "orphaned",
		},
		"desired_state": {"ready", "running", "shutdown", "remove"},
	},
}

// badValues are outside their type.
var badValues = oracle.Values{
	"service": {
		"replicas": {-1.0, 1.5, "many", true},
		"remove":   {"yes", 1.0},
	},
	"node": {"state": {"sideways", 7.0, ""}},
	"task": {
		"service":       {12.0, true},
		"slot":          {0.0, -2.0, 2.5, "one"},
		"node":          {7.0, []any{"n1"}},
		"state":         {"bogus", "remove", "Running", 5.0, map[string]any{}},
		"desired_state": {"new", "complete", "done", 3.0, false},
	},
}

// mutateClaim replaces the claims of one line, or makes one.
func mutateClaim(rng *rand.Rand, events []oracle.Event) []oracle.Event {
	i := oracle.At(rng, events, func(_ int, e oracle.Event) bool { return e.Actor+e.Action != "" })
	if i < 0 || oracle.Chance(rng, 0.3) {
		// A step that carries a claim already gets no second one.
		i = oracle.At(rng, events, func(i int, e oracle.Event) bool {
			return oracle.IsStep(i, e) && !slices.ContainsFunc(events, func(o oracle.Event) bool {
				return o.Actor+o.Action != "" && (o.Tx != nil && o.Tx == e.Tx)
			})
		})
	}
	if i < 0 {
		return nil
	}
	e := &events[i]
	l, other := oracle.Pick(rng, oracleActions).label, oracle.Pick(rng, oracleActions).label
	switch rng.IntN(6) {
	case 0:
		e.Actor, e.Action = l.actor, ""
	case 1, 2:
		e.Actor, e.Action = "", l.action
	case 3:
		e.Actor, e.Action = l.actor, l.action
	case 4:
		e.Actor, e.Action = l.actor, other.action
	case 5:
		unknown := oracle.Pick(rng, []label{{"", "ScaleService"}, {"operator", ""}, {"Agent", ""}, {"agent", "progressTask"}})
		e.Actor, e.Action = unknown.actor, unknown.action
	}
	return events
}

// joinWithoutClaims drops the claims: whether one action must meet two is open.
func joinWithoutClaims(rng *rand.Rand, events []oracle.Event) []oracle.Event {
	events = oracle.Join(rng, events)
	for i := range events {
		if events[i].Tx == "joined" {
			events[i].Actor, events[i].Action = "", ""
		}
	}
	return events
}
