package updatecluster_test

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
	{"field", func(rng *rand.Rand, e []oracleEvent) []oracleEvent { return setField(rng, e, otherValues) }},
	{"bad value", func(rng *rand.Rand, e []oracleEvent) []oracleEvent { return setField(rng, e, badValues) }},
	{"unset", unsetField},
	{"drop", mutateDrop},
	{"double", mutateDouble},
	{"swap", mutateSwap},
	{"claim", mutateClaim},
	{"join", mutateJoin},
	{"split", mutateSplit},
	{"op", mutateOp},
	{"refusal", mutateRefusal},
}

var otherValues = map[string]map[string][]any{
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

var badValues = map[string]map[string][]any{
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

func isStep(e oracleEvent) bool { return e.Kind != "meta" && e.Op != "snapshot" }

func setField(rng *rand.Rand, events []oracleEvent, values map[string]map[string][]any) []oracleEvent {
	i := at(rng, events, func(_ int, e oracleEvent) bool { return e.Object != nil })
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Object = maps.Clone(e.Object)
	names := slices.Sorted(maps.Keys(values[e.Kind]))
	name := pick(rng, names)
	if _, has := e.Object[name]; !has && chance(rng, 0.6) {
		names = slices.DeleteFunc(names, func(n string) bool { _, has := e.Object[n]; return !has })
		if len(names) > 0 {
			name = pick(rng, names)
		}
	}
	e.Object[name] = pick(rng, values[e.Kind][name])
	return events
}

func unsetField(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(_ int, e oracleEvent) bool { return len(e.Object) > 0 })
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Object = maps.Clone(e.Object)
	delete(e.Object, pick(rng, slices.Sorted(maps.Keys(e.Object))))
	return events
}

func mutateDrop(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(int, oracleEvent) bool { return true })
	if i < 0 {
		return nil
	}
	return slices.Delete(events, i, i+1)
}

func mutateDouble(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(int, oracleEvent) bool { return true })
	if i < 0 {
		return nil
	}
	return slices.Insert(events, i, events[i])
}

func mutateSwap(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(i int, _ oracleEvent) bool { return i+1 < len(events) })
	if i < 0 {
		return nil
	}
	events[i], events[i+1] = events[i+1], events[i]
	return events
}

func mutateClaim(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(_ int, e oracleEvent) bool { return isStep(e) })
	if i < 0 {
		return nil
	}
	events[i].Action = pick(rng, append(slices.Clone(oracleActions), "InitialCheck", "Next"))
	return events
}

// mutateJoin makes one step of two neighbouring ones.
func mutateJoin(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(i int, e oracleEvent) bool {
		return isStep(e) && i+1 < len(events) && isStep(events[i+1]) && (e.Tx == nil || e.Tx != events[i+1].Tx)
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

func mutateSplit(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(i int, e oracleEvent) bool { return e.Tx != nil && i+1 < len(events) && events[i+1].Tx == e.Tx })
	if i < 0 {
		return nil
	}
	events[i].Tx = nil
	return events
}

func mutateOp(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(_ int, e oracleEvent) bool { return isStep(e) })
	if i < 0 {
		return nil
	}
	events[i].Op = pick(rng, []string{"create", "delete", "update"})
	return events
}

// mutateRefusal puts in what changes nothing.
func mutateRefusal(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	e := oracleEvent{Kind: pick(rng, []string{"request", "cluster"}), Op: "reject", ID: "r1", Object: map[string]any{"status": "bogus", "queued": true}}
	if chance(rng, 0.5) {
		e.Action = pick(rng, []string{"Submit", "Refuse"})
	}
	return slices.Insert(events, 1+rng.IntN(len(events)), e)
}
