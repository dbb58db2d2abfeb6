package workerimpl_test

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Mutators damage a trace in one place. The result may still conform: the
// oracle judges it anew. Each returns nil where the trace gives it no place.

var mutators = map[string]func(*rand.Rand, []oracleEvent) []oracleEvent{
	"field":     func(rng *rand.Rand, e []oracleEvent) []oracleEvent { return setField(rng, e, otherValues) },
	"bad value": func(rng *rand.Rand, e []oracleEvent) []oracleEvent { return setField(rng, e, badValues) },
	"drop":      mutateDrop,
	"double":    mutateDouble,
	"swap":      mutateSwap,
	"claim":     mutateClaim,
	"join":      mutateJoin,
	"split":     mutateSplit,
	"refuse":    mutateRefuse,
	"stand":     mutateStand,
}

// otherValues are well-typed, or name what does not stand.
var otherValues = map[string]map[string][]any{
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
var badValues = map[string]map[string][]any{
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

func isStep(_ int, e oracleEvent) bool { return e.Op != "snapshot" && !e.pinned }
func isFree(_ int, e oracleEvent) bool { return !e.pinned }

// setField changes one field, or gives an update one more.
func setField(rng *rand.Rand, events []oracleEvent, values map[string]map[string][]any) []oracleEvent {
	i := at(rng, events, func(_ int, e oracleEvent) bool { return e.Object != nil })
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
	if i := at(rng, events, isFree); i >= 0 {
		return slices.Delete(events, i, i+1)
	}
	return nil
}

func mutateDouble(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	if i := at(rng, events, isFree); i >= 0 {
		return slices.Insert(events, i, events[i])
	}
	return nil
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
	if i < 0 || chance(rng, 0.5) {
		i = at(rng, events, isStep)
	}
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Actor, e.Action = "", ""
	switch rng.IntN(6) {
	case 0:
		e.Actor = pick(rng, []string{"agent", "scheduler", "reaper"})
	case 1, 2:
		e.Action = pick(rng, oracleActions)
	case 3, 4:
		e.Actor, e.Action = pick(rng, []string{"agent", "agent", "user"}), pick(rng, oracleActions)
	case 5:
		e.Action = pick(rng, []string{"AllocateTask", "updateTask", "Init"})
		if chance(rng, 0.5) {
			e.Actor, e.Action = pick(rng, []string{"operator", "Agent"}), ""
		}
	}
	return events
}

// mutateJoin makes one step of two neighbouring ones.
func mutateJoin(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(i int, e oracleEvent) bool {
		return isStep(i, e) && i+1 < len(events) && isStep(i+1, events[i+1]) && (e.Tx == nil || e.Tx != events[i+1].Tx)
	})
	if i < 0 {
		return nil
	}
	first, second := events[i].Tx, events[i+1].Tx
	for k := range events {
		if k == i || k == i+1 || first != nil && events[k].Tx == first || second != nil && events[k].Tx == second {
			events[k].Tx = "joined"
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

// mutateRefuse makes a refusal of a line: nothing happened.
func mutateRefuse(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, isStep)
	if i < 0 {
		return nil
	}
	events[i].Op = "reject"
	return events
}

// mutateStand writes what a step made anew as an update.
func mutateStand(rng *rand.Rand, events []oracleEvent) []oracleEvent {
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
