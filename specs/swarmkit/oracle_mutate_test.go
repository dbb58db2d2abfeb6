package swarmkit_test

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Mutators damage a trace in one place. The result may still conform: the
// oracle judges it anew. Each returns nil where the trace gives it no place.

type mutator struct {
	name  string
	apply func(*rand.Rand, []oracleEvent) []oracleEvent
}

var mutators = []mutator{
	{"field", mutateField},
	{"bad value", mutateBadValue},
	{"drop", mutateDrop},
	{"double", mutateDouble},
	{"swap", mutateSwap},
	{"claim", mutateClaim},
	{"join", mutateJoin},
	{"split", mutateSplit},
	{"standstill", mutateStandstill},
}

// otherValues are well-typed, or name what does not stand.
var otherValues = map[string]map[string][]any{
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
var badValues = map[string]map[string][]any{
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

// at picks an event that passes the test; -1 for none.
func at(rng *rand.Rand, events []oracleEvent, ok func(i int, e oracleEvent) bool) int {
	var places []int
	for i, e := range events {
		if e.Kind != "meta" && ok(i, e) {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return -1
	}
	return pick(rng, places)
}

func hasObject(_ int, e oracleEvent) bool { return e.Object != nil }
func isStep(_ int, e oracleEvent) bool    { return e.Op != "snapshot" && !e.pinned }
func isFree(_ int, e oracleEvent) bool    { return !e.pinned }

func mutateField(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	return setField(rng, events, otherValues)
}

func mutateBadValue(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	return setField(rng, events, badValues)
}

// setField changes one field, or gives an update one more.
func setField(rng *rand.Rand, events []oracleEvent, values map[string]map[string][]any) []oracleEvent {
	i := at(rng, events, hasObject)
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Object = maps.Clone(e.Object)
	name := pick(rng, sortedKeys(values[e.Kind]))
	if _, has := e.Object[name]; !has && chance(rng, 0.5) {
		known := slices.DeleteFunc(sortedKeys(e.Object), func(k string) bool { return values[e.Kind][k] == nil })
		if len(known) > 0 {
			name = pick(rng, known)
		}
	}
	e.Object[name] = pick(rng, values[e.Kind][name])
	return events
}

func mutateDrop(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, isFree)
	if i < 0 {
		return nil
	}
	return slices.Delete(events, i, i+1)
}

func mutateDouble(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, isFree)
	if i < 0 {
		return nil
	}
	return slices.Insert(events, i, events[i])
}

func mutateSwap(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(i int, e oracleEvent) bool {
		return !e.pinned && i+1 < len(events) && !events[i+1].pinned
	})
	if i < 0 {
		return nil
	}
	events[i], events[i+1] = events[i+1], events[i]
	return events
}

// mutateClaim replaces the claims of one line, or makes one.
func mutateClaim(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(_ int, e oracleEvent) bool { return e.Actor+e.Action != "" })
	if i < 0 || chance(rng, 0.3) {
		// A step that carries a claim already gets no second one.
		i = at(rng, events, func(i int, e oracleEvent) bool {
			return isStep(i, e) && !slices.ContainsFunc(events, func(o oracleEvent) bool {
				return o.Actor+o.Action != "" && (o.Tx != nil && o.Tx == e.Tx)
			})
		})
	}
	if i < 0 {
		return nil
	}
	e := &events[i]
	l, other := pick(rng, oracleActions).label, pick(rng, oracleActions).label
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
		unknown := pick(rng, []label{{"", "ScaleService"}, {"operator", ""}, {"Agent", ""}, {"agent", "progressTask"}})
		e.Actor, e.Action = unknown.actor, unknown.action
	}
	return events
}

// mutateJoin makes one step of two neighbouring ones, without their claims:
// whether one action must meet two is open.
func mutateJoin(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(i int, e oracleEvent) bool {
		return isStep(i, e) && i+1 < len(events) && isStep(i+1, events[i+1]) &&
			(e.Tx == nil || e.Tx != events[i+1].Tx)
	})
	if i < 0 {
		return nil
	}
	first, second := events[i].Tx, events[i+1].Tx
	for k := range events {
		mine := k == i || k == i+1 || first != nil && events[k].Tx == first || second != nil && events[k].Tx == second
		if mine {
			events[k].Tx, events[k].Actor, events[k].Action = "joined", "", ""
		}
	}
	return events
}

// mutateSplit takes one line out of its step.
func mutateSplit(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(i int, e oracleEvent) bool {
		return e.Tx != nil && i+1 < len(events) && events[i+1].Tx == e.Tx
	})
	if i < 0 {
		return nil
	}
	events[i].Tx = nil
	return events
}

// mutateStandstill writes what a step made anew as an update.
func mutateStandstill(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(i int, e oracleEvent) bool {
		return e.Op == "delete" && i+1 < len(events) && events[i+1].Op == "create" &&
			events[i+1].Kind == e.Kind && events[i+1].ID == e.ID && e.Tx != nil && events[i+1].Tx == e.Tx
	})
	if i < 0 {
		return nil
	}
	events[i+1].Op = "update"
	return slices.Delete(events, i, i+1)
}
