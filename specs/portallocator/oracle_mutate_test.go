package portallocator_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"

	"tracecheck/specs/internal/oracle"
)

type mutator struct {
	name  string
	apply func(*walker, []oracle.Event) []oracle.Event
}

// plain is a mutator that needs no walker.
func plain(apply func(*rand.Rand, []oracle.Event) []oracle.Event) func(*walker, []oracle.Event) []oracle.Event {
	return func(w *walker, events []oracle.Event) []oracle.Event { return apply(w.rng, events) }
}

// mutatorNames are those of all mutators.
func mutatorNames() (names []string) {
	for _, m := range mutators {
		names = append(names, m.name)
	}
	return names
}

var mutators = []mutator{
	{"port", mutatePort},
	{"ports", mutatePorts},
	{"number", mutateNumber},
	{"bad value", mutateBadValue},
	{"allocated", mutateAllocated},
	{"drop", plain(oracle.Drop)},
	{"double", plain(oracle.Double)},
	{"swap", plain(oracle.Swap)},
	{"claim", mutateClaim},
	{"join", plain(oracle.Join)},
	{"split", plain(oracle.Split)},
	{"refuse", mutateRefuse},
	{"refused", mutateRefused},
}

// copied is the object, to be damaged.
func copied(object map[string]any) map[string]any {
	b, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	var c map[string]any
	if err := json.Unmarshal(b, &c); err != nil {
		panic(err)
	}
	return c
}

// aPort picks a port of an endpoint line and one of its lists.
func aPort(w *walker, events []oracle.Event) map[string]any {
	has := func(e oracle.Event, field string) bool {
		list, _ := e.Object[field].([]any)
		return len(list) > 0
	}
	i := oracle.At(w.rng, events, func(_ int, e oracle.Event) bool { return has(e, "spec") || has(e, "ports") })
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Object = copied(e.Object)
	field := "spec"
	if !has(*e, "spec") || has(*e, "ports") && oracle.Chance(w.rng, 0.6) {
		field = "ports"
	}
	port, _ := oracle.Pick(w.rng, e.Object[field].([]any)).(map[string]any)
	return port
}

// mutatePort gives a port another well-typed value.
func mutatePort(w *walker, events []oracle.Event) []oracle.Event {
	p := aPort(w, events)
	if p == nil {
		return nil
	}
	field := oracle.Pick(w.rng, []string{"name", "protocol", "mode", "published_port", "published_port"})
	p[field] = map[string]any{
		"name": oracle.Pick(w.rng, []any{"foo", "bar", "baz"}), "protocol": oracle.Pick(w.rng, w.model.protocols),
		"mode": oracle.Pick(w.rng, []any{"ingress", "host"}), "published_port": float64(oracle.Pick(w.rng, append([]int{0, w.dynamic()}, w.statics...))),
	}[field]
	return events
}

// mutateNumber gives a port of a list another number that is dynamic.
func mutateNumber(w *walker, events []oracle.Event) []oracle.Event {
	p := aPort(w, events)
	if p == nil {
		return nil
	}
	p["published_port"] = float64(w.dynamic())
	return events
}

// mutatePorts makes a list longer, shorter, or reorders it.
func mutatePorts(w *walker, events []oracle.Event) []oracle.Event {
	i := oracle.At(w.rng, events, func(_ int, e oracle.Event) bool { return e.Kind == "endpoint" && e.Object != nil })
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Object = copied(e.Object)
	field := oracle.Pick(w.rng, []string{"spec", "ports"})
	list, ok := e.Object[field].([]any)
	if !ok {
		return nil
	}
	switch {
	case len(list) == 0 || oracle.Chance(w.rng, 0.4):
		p := w.port()
		if p.asks() {
			p.number = w.dynamic()
		}
		list = append(list, portsJSON([]oPort{p})...)
	case oracle.Chance(w.rng, 0.5):
		list = list[1:]
	default:
		slices.Reverse(list)
	}
	e.Object[field] = list
	return events
}

func mutateBadValue(w *walker, events []oracle.Event) []oracle.Event {
	if oracle.Chance(w.rng, 0.6) {
		p := aPort(w, events)
		if p == nil {
			return nil
		}
		field := oracle.Pick(w.rng, []string{"name", "protocol", "mode", "published_port"})
		p[field] = oracle.Pick(w.rng, map[string][]any{
			"name": {nil, 7.0, true, []any{}}, "protocol": {"icmp", "TCP", 6.0, nil, ""},
			"mode": {"vip", "Ingress", nil, 1.0}, "published_port": {-1.0, 65536.0, 1e12, 80.5, "80", nil, true, []any{}},
		}[field])
		if oracle.Chance(w.rng, 0.1) {
			delete(p, field)
		}
		return events
	}
	i := oracle.At(w.rng, events, func(_ int, e oracle.Event) bool { return e.Object != nil })
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Object = copied(e.Object)
	bad := []any{nil, 5.0, "tcp/80", map[string]any{}, map[string]any{"x": []any{}}, []any{5.0}, []any{nil}, []any{[]any{}}, true, 1.5}
	field := oracle.Pick(w.rng, []string{"spec", "ports"})
	if e.Kind == "allocator" {
		field = "allocated"
		bad = append(bad, []any{"tcp/0"}, []any{"tcp/65536"}, []any{"icmp/80"}, []any{"tcp"}, []any{"80"}, []any{"tcp/x"}, []any{"tcp/"}, []any{"tcp/-1"}, []any{80.0})
	} else if e.Op == "reject" {
		field = "spec"
	}
	e.Object[field] = oracle.Pick(w.rng, bad)
	if e.Op != "update" && oracle.Chance(w.rng, 0.1) {
		delete(e.Object, field)
	}
	return events
}

// mutateAllocated adds an address to what is logged, or takes one out.
func mutateAllocated(w *walker, events []oracle.Event) []oracle.Event {
	i := oracle.At(w.rng, events, func(_ int, e oracle.Event) bool { return e.Kind == "allocator" })
	if i < 0 {
		return nil
	}
	e := &events[i]
	given, ok := e.Object["allocated"].([]any)
	if !ok {
		return nil // damaged already
	}
	list := slices.Clone(given)
	if len(list) > 0 && oracle.Chance(w.rng, 0.5) {
		k := w.rng.IntN(len(list))
		list = slices.Delete(list, k, k+1)
	} else {
		p := w.port()
		for p.number == 0 {
			p.number = oracle.Pick(w.rng, append([]int{w.dynamic()}, w.statics...))
		}
		list = append(list, p.addr())
	}
	e.Object = map[string]any{"allocated": list}
	return events
}

func mutateClaim(w *walker, events []oracle.Event) []oracle.Event {
	i := oracle.At(w.rng, events, func(_ int, e oracle.Event) bool { return e.Op != "snapshot" })
	if i < 0 {
		return nil
	}
	names := []string{"NewEndpoint", "UpdateEndpoint", "RemoveEndpoint", "UpdateEndpoint", "Allocate", "newEndpoint"}
	events[i].Action = oracle.Pick(w.rng, names)
	return events
}

// mutateRefuse makes a refusal of something that was not refused.
func mutateRefuse(w *walker, events []oracle.Event) []oracle.Event {
	e := oracle.Event{Kind: "endpoint", Op: "reject", ID: oracle.Pick(w.rng, append([]string{"refused"}, w.ids...))}
	e.Object = map[string]any{"spec": portsJSON(w.spec(nil))}
	if i := oracle.At(w.rng, events, func(_ int, e oracle.Event) bool { return e.Object["spec"] != nil }); i >= 0 && oracle.Chance(w.rng, 0.5) {
		e.Object = map[string]any{"spec": events[i].Object["spec"]}
	}
	return slices.Insert(events, 1+w.rng.IntN(len(events)), e)
}

// mutateRefused has a refusal be of another endpoint.
func mutateRefused(w *walker, events []oracle.Event) []oracle.Event {
	i := oracle.At(w.rng, events, func(_ int, e oracle.Event) bool { return e.Op == "reject" })
	if i < 0 {
		return nil
	}
	events[i].Object = maps.Clone(events[i].Object)
	events[i].ID = oracle.Pick(w.rng, append([]string{"refused"}, w.ids...))
	return events
}
