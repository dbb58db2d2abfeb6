package kcpstorage_test

import (
	"maps"
	"math/rand/v2"
	"slices"

	"tracecheck/specs/internal/oracle"
)

var mutators = oracle.Plain(oracle.Mutators{
	"state":     mutateState,
	"bad value": mutateBadValue,
	"namespace": mutateNamespace,
	"unset":     unsetField,
	"claim":     mutateClaim,
	"op":        oracle.Op,
	"refusal":   mutateRefusal,
})

// setState sets one state of a line.
func setState(rng *rand.Rand, events []oracle.Event, clusters []string, values []any) []oracle.Event {
	i := oracle.At(rng, events, func(int, oracle.Event) bool { return true })
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Own()
	if e.Kind == "syncer" {
		e.Object["pvc_state"] = oracle.Pick(rng, values)
		return events
	}
	m, _ := e.Object["clusters"].(map[string]any)
	m = maps.Clone(m)
	if m == nil {
		m = map[string]any{}
	}
	m[oracle.Pick(rng, clusters)] = oracle.Pick(rng, values)
	e.Object["clusters"] = m
	return events
}

func mutateState(rng *rand.Rand, events []oracle.Event) []oracle.Event {
	return setState(rng, events, []string{"c1", "c2", "c3"}, []any{"nil", nil, "Empty", "Sync", "Sync"})
}

func mutateBadValue(rng *rand.Rand, events []oracle.Event) []oracle.Event {
	switch rng.IntN(4) {
	case 0:
		return setState(rng, events, []string{"c9"}, []any{"nil", nil, "Sync"})
	case 1:
		i := oracle.At(rng, events, func(_ int, e oracle.Event) bool { return e.Kind != "syncer" })
		if i < 0 {
			return nil
		}
		events[i].Own()["clusters"] = oracle.Pick(rng, []any{"Sync", 3.0, []any{"c1"}, nil})
		return events
	}
	return setState(rng, events, []string{"c1", "c2"}, []any{"sync", "", 1.0, true, map[string]any{}, "NIL"})
}

func mutateNamespace(rng *rand.Rand, events []oracle.Event) []oracle.Event {
	i := oracle.At(rng, events, func(_ int, e oracle.Event) bool { return e.Kind != "namespace" })
	if i < 0 {
		return nil
	}
	events[i].Own()["namespace"] = oracle.Pick(rng, []any{"ns0", "ns1", "ns2", nil, 7.0})
	return events
}

func unsetField(rng *rand.Rand, events []oracle.Event) []oracle.Event {
	i := oracle.At(rng, events, func(_ int, e oracle.Event) bool { return len(e.Object) > 0 })
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Object = maps.Clone(e.Object)
	if m, ok := e.Object["clusters"].(map[string]any); ok && len(m) > 0 && oracle.Chance(rng, 0.7) {
		m = maps.Clone(m)
		delete(m, oracle.Pick(rng, slices.Sorted(maps.Keys(m))))
		e.Object["clusters"] = m
		return events
	}
	delete(e.Object, oracle.Pick(rng, slices.Sorted(maps.Keys(e.Object))))
	return events
}

func mutateClaim(rng *rand.Rand, events []oracle.Event) []oracle.Event {
	i := oracle.At(rng, events, oracle.IsStep)
	if i < 0 {
		return nil
	}
	events[i].Action = oracle.Pick(rng, append(slices.Clone(oracleActions), "User", "Terminating", "syncer"))
	return events
}

// mutateRefusal puts in what changes nothing.
func mutateRefusal(rng *rand.Rand, events []oracle.Event) []oracle.Event {
	e := oracle.Event{Kind: oracle.Pick(rng, []string{"namespace", "pvc", "syncer"}), Op: "reject", ID: "c1",
		Object: map[string]any{"namespace": 3.0, "clusters": "none", "pvc_state": "Sync"}}
	if oracle.Chance(rng, 0.5) {
		e.Action = oracle.Pick(rng, []string{"Syncer", "Refuse"})
	}
	return slices.Insert(events, 1+rng.IntN(len(events)), e)
}
