package kcpstorage_test

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
	{"state", mutateState},
	{"bad value", mutateBadValue},
	{"namespace", mutateNamespace},
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

func any1(int, oracleEvent) bool { return true }

// setState sets one state of a line.
func setState(rng *rand.Rand, events []oracleEvent, clusters []string, values []any) []oracleEvent {
	i := at(rng, events, any1)
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Object = maps.Clone(e.Object)
	if e.Object == nil {
		e.Object = map[string]any{}
	}
	if e.Kind == "syncer" {
		e.Object["pvc_state"] = pick(rng, values)
		return events
	}
	m, _ := e.Object["clusters"].(map[string]any)
	m = maps.Clone(m)
	if m == nil {
		m = map[string]any{}
	}
	m[pick(rng, clusters)] = pick(rng, values)
	e.Object["clusters"] = m
	return events
}

func mutateState(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	return setState(rng, events, []string{"c1", "c2", "c3"}, []any{"nil", nil, "Empty", "Sync", "Sync"})
}

func mutateBadValue(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	switch rng.IntN(4) {
	case 0:
		return setState(rng, events, []string{"c9"}, []any{"nil", nil, "Sync"})
	case 1:
		i := at(rng, events, func(_ int, e oracleEvent) bool { return e.Kind != "syncer" })
		if i < 0 {
			return nil
		}
		events[i].Object = maps.Clone(events[i].Object)
		if events[i].Object == nil {
			events[i].Object = map[string]any{}
		}
		events[i].Object["clusters"] = pick(rng, []any{"Sync", 3.0, []any{"c1"}, nil})
		return events
	}
	return setState(rng, events, []string{"c1", "c2"}, []any{"sync", "", 1.0, true, map[string]any{}, "NIL"})
}

func mutateNamespace(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(_ int, e oracleEvent) bool { return e.Kind != "namespace" })
	if i < 0 {
		return nil
	}
	events[i].Object = maps.Clone(events[i].Object)
	if events[i].Object == nil {
		events[i].Object = map[string]any{}
	}
	events[i].Object["namespace"] = pick(rng, []any{"ns0", "ns1", "ns2", nil, 7.0})
	return events
}

func unsetField(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, func(_ int, e oracleEvent) bool { return len(e.Object) > 0 })
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Object = maps.Clone(e.Object)
	if m, ok := e.Object["clusters"].(map[string]any); ok && len(m) > 0 && chance(rng, 0.7) {
		m = maps.Clone(m)
		delete(m, pick(rng, slices.Sorted(maps.Keys(m))))
		e.Object["clusters"] = m
		return events
	}
	delete(e.Object, pick(rng, slices.Sorted(maps.Keys(e.Object))))
	return events
}

func mutateDrop(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, any1)
	if i < 0 {
		return nil
	}
	return slices.Delete(events, i, i+1)
}

func mutateDouble(rng *rand.Rand, events []oracleEvent) []oracleEvent {
	i := at(rng, events, any1)
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
	events[i].Action = pick(rng, append(slices.Clone(oracleActions), "User", "Terminating", "syncer"))
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
	e := oracleEvent{Kind: pick(rng, []string{"namespace", "pvc", "syncer"}), Op: "reject", ID: "c1",
		Object: map[string]any{"namespace": 3.0, "clusters": "none", "pvc_state": "Sync"}}
	if chance(rng, 0.5) {
		e.Action = pick(rng, []string{"Syncer", "Refuse"})
	}
	return slices.Insert(events, 1+rng.IntN(len(events)), e)
}
