package portallocator_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
)

// Mutators damage a trace in one place. The result may still conform: the
// oracle judges it anew. Each returns nil where the trace gives it no place.

type mutator struct {
	name  string
	apply func(*walker, []oEvent) []oEvent
}

var mutators = []mutator{
	{"port", mutatePort},
	{"ports", mutatePorts},
	{"number", mutateNumber},
	{"bad value", mutateBadValue},
	{"allocated", mutateAllocated},
	{"drop", mutateDrop},
	{"double", mutateDouble},
	{"swap", mutateSwap},
	{"claim", mutateClaim},
	{"join", mutateJoin},
	{"split", mutateSplit},
	{"refuse", mutateRefuse},
	{"refused", mutateRefused},
}

// place picks an event that passes the test; -1 for none.
func place(rng *rand.Rand, events []oEvent, ok func(oEvent) bool) int {
	var places []int
	for i, e := range events {
		if e.Kind != "meta" && ok(e) {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return -1
	}
	return pick(rng, places)
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
func aPort(w *walker, events []oEvent) map[string]any {
	has := func(e oEvent, field string) bool {
		list, _ := e.Object[field].([]any)
		return len(list) > 0
	}
	i := place(w.rng, events, func(e oEvent) bool { return has(e, "spec") || has(e, "ports") })
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Object = copied(e.Object)
	field := "spec"
	if !has(*e, "spec") || has(*e, "ports") && chance(w.rng, 0.6) {
		field = "ports"
	}
	port, _ := pick(w.rng, e.Object[field].([]any)).(map[string]any)
	return port
}

// mutatePort gives a port another well-typed value.
func mutatePort(w *walker, events []oEvent) []oEvent {
	p := aPort(w, events)
	if p == nil {
		return nil
	}
	field := pick(w.rng, []string{"name", "protocol", "mode", "published_port", "published_port"})
	p[field] = map[string]any{
		"name": pick(w.rng, []any{"foo", "bar", "baz"}), "protocol": pick(w.rng, w.model.protocols),
		"mode": pick(w.rng, []any{"ingress", "host"}), "published_port": float64(pick(w.rng, append([]int{0, w.dynamic()}, w.statics...))),
	}[field]
	return events
}

// mutateNumber gives a port of a list another number that is dynamic.
func mutateNumber(w *walker, events []oEvent) []oEvent {
	p := aPort(w, events)
	if p == nil {
		return nil
	}
	p["published_port"] = float64(w.dynamic())
	return events
}

// mutatePorts makes a list longer, shorter, or orders it anew.
func mutatePorts(w *walker, events []oEvent) []oEvent {
	i := place(w.rng, events, func(e oEvent) bool { return e.Kind == "endpoint" && e.Object != nil })
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Object = copied(e.Object)
	field := pick(w.rng, []string{"spec", "ports"})
	list, ok := e.Object[field].([]any)
	if !ok {
		return nil
	}
	switch {
	case len(list) == 0 || chance(w.rng, 0.4):
		p := w.port()
		if p.asks() {
			p.number = w.dynamic()
		}
		list = append(list, portsJSON([]oPort{p})...)
	case chance(w.rng, 0.5):
		list = list[1:]
	default:
		slices.Reverse(list)
	}
	e.Object[field] = list
	return events
}

func mutateBadValue(w *walker, events []oEvent) []oEvent {
	if chance(w.rng, 0.6) {
		p := aPort(w, events)
		if p == nil {
			return nil
		}
		field := pick(w.rng, []string{"name", "protocol", "mode", "published_port"})
		p[field] = pick(w.rng, map[string][]any{
			"name": {nil, 7.0, true, []any{}}, "protocol": {"icmp", "TCP", 6.0, nil, ""},
			"mode": {"vip", "Ingress", nil, 1.0}, "published_port": {-1.0, 65536.0, 1e12, 80.5, "80", nil, true, []any{}},
		}[field])
		if chance(w.rng, 0.1) {
			delete(p, field)
		}
		return events
	}
	i := place(w.rng, events, func(e oEvent) bool { return e.Object != nil })
	if i < 0 {
		return nil
	}
	e := &events[i]
	e.Object = copied(e.Object)
	bad := []any{nil, 5.0, "tcp/80", map[string]any{}, map[string]any{"x": []any{}}, []any{5.0}, []any{nil}, []any{[]any{}}, true, 1.5}
	field := pick(w.rng, []string{"spec", "ports"})
	if e.Kind == "allocator" {
		field = "allocated"
		bad = append(bad, []any{"tcp/0"}, []any{"tcp/65536"}, []any{"icmp/80"}, []any{"tcp"}, []any{"80"}, []any{"tcp/x"}, []any{"tcp/"}, []any{"tcp/-1"}, []any{80.0})
	} else if e.Op == "reject" {
		field = "spec"
	}
	e.Object[field] = pick(w.rng, bad)
	if e.Op != "update" && chance(w.rng, 0.1) {
		delete(e.Object, field)
	}
	return events
}

// mutateAllocated adds an address to what is logged, or takes one out.
func mutateAllocated(w *walker, events []oEvent) []oEvent {
	i := place(w.rng, events, func(e oEvent) bool { return e.Kind == "allocator" })
	if i < 0 {
		return nil
	}
	e := &events[i]
	given, ok := e.Object["allocated"].([]any)
	if !ok {
		return nil // damaged already
	}
	list := slices.Clone(given)
	if len(list) > 0 && chance(w.rng, 0.5) {
		k := w.rng.IntN(len(list))
		list = slices.Delete(list, k, k+1)
	} else {
		p := w.port()
		for p.number == 0 {
			p.number = pick(w.rng, append([]int{w.dynamic()}, w.statics...))
		}
		list = append(list, p.addr())
	}
	e.Object = map[string]any{"allocated": list}
	return events
}

func mutateDrop(w *walker, events []oEvent) []oEvent {
	i := place(w.rng, events, func(oEvent) bool { return true })
	if i < 0 {
		return nil
	}
	return slices.Delete(events, i, i+1)
}

func mutateDouble(w *walker, events []oEvent) []oEvent {
	i := place(w.rng, events, func(oEvent) bool { return true })
	if i < 0 {
		return nil
	}
	return slices.Insert(events, i, events[i])
}

func mutateSwap(w *walker, events []oEvent) []oEvent {
	i := place(w.rng, events[:len(events)-1], func(oEvent) bool { return true })
	if i < 0 {
		return nil
	}
	events[i], events[i+1] = events[i+1], events[i]
	return events
}

func mutateClaim(w *walker, events []oEvent) []oEvent {
	i := place(w.rng, events, func(e oEvent) bool { return e.Op != "snapshot" })
	if i < 0 {
		return nil
	}
	names := []string{"NewEndpoint", "UpdateEndpoint", "RemoveEndpoint", "UpdateEndpoint", "Allocate", "newEndpoint"}
	events[i].Action = pick(w.rng, names)
	return events
}

func isStep(e oEvent) bool { return e.Op != "snapshot" && e.Kind != "meta" }

// mutateJoin makes one step of two neighbouring ones.
func mutateJoin(w *walker, events []oEvent) []oEvent {
	var places []int
	for i := range len(events) - 1 {
		if isStep(events[i]) && isStep(events[i+1]) && (events[i].Tx == nil || events[i].Tx != events[i+1].Tx) {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return nil
	}
	i := pick(w.rng, places)
	old, other := events[i+1].Tx, any("joined")
	if old == nil {
		events[i+1].Tx = other
	}
	for k := i + 1; k < len(events) && old != nil && events[k].Tx == old; k++ {
		events[k].Tx = other
	}
	old = events[i].Tx
	if old == nil {
		events[i].Tx = other
	}
	for k := i; k >= 0 && old != nil && events[k].Tx == old; k-- {
		events[k].Tx = other
	}
	return events
}

// mutateSplit makes two steps of one.
func mutateSplit(w *walker, events []oEvent) []oEvent {
	i := place(w.rng, events, func(e oEvent) bool { return e.Tx != nil })
	if i < 0 {
		return nil
	}
	events[i].Tx = nil
	return events
}

// mutateRefuse makes a refusal of something that was not refused.
func mutateRefuse(w *walker, events []oEvent) []oEvent {
	e := oEvent{Kind: "endpoint", Op: "reject", ID: pick(w.rng, append([]string{"refused"}, w.ids...))}
	e.Object = map[string]any{"spec": portsJSON(w.spec(nil))}
	if i := place(w.rng, events, func(e oEvent) bool { return e.Object["spec"] != nil }); i >= 0 && chance(w.rng, 0.5) {
		e.Object = map[string]any{"spec": events[i].Object["spec"]}
	}
	return slices.Insert(events, 1+w.rng.IntN(len(events)), e)
}

// mutateRefused has a refusal be of another endpoint.
func mutateRefused(w *walker, events []oEvent) []oEvent {
	i := place(w.rng, events, func(e oEvent) bool { return e.Op == "reject" })
	if i < 0 {
		return nil
	}
	events[i].Object = maps.Clone(events[i].Object)
	events[i].ID = pick(w.rng, append([]string{"refused"}, w.ids...))
	return events
}
