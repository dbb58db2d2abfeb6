package portallocator_test

import (
	"math/rand/v2"
	"slices"

	"tracecheck/specs/internal/oracle"
)

// The writer turns a walk into lines of the trace format.

type writer struct {
	rng    *rand.Rand
	model  oModel
	claims bool
	logs   float64 // how often a step logs what is allocated
	shown  bool    // the allocator was logged
	tx     int
}

func portsJSON(ports []oPort) []any {
	list := []any{}
	for _, p := range ports {
		list = append(list, map[string]any{"name": p.name, "protocol": p.protocol, "mode": p.mode, "published_port": float64(p.number)})
	}
	return list
}

func (w *writer) whole(op, id string, e oEndpoint) oracle.Event {
	fields := map[string]any{"spec": portsJSON(e.spec), "ports": portsJSON(e.ports)}
	if oracle.Chance(w.rng, 0.05) {
		fields["note"] = []any{map[string]any{"name": "unknown fields are ignored"}}
	}
	return oracle.Event{Kind: "endpoint", Op: op, ID: id, Object: fields}
}

// update carries the fields that changed, and rarely others.
func (w *writer) update(id string, old, e oEndpoint) oracle.Event {
	ev := w.whole("update", id, e)
	keep := oracle.Chance(w.rng, 0.2)
	if slices.Equal(old.spec, e.spec) && !keep {
		delete(ev.Object, "spec")
	}
	if slices.Equal(old.ports, e.ports) && !keep {
		delete(ev.Object, "ports")
	}
	return ev
}

func (w *writer) allocator(op string, allocated set) oracle.Event {
	list := []any{}
	for _, a := range oracle.Shuffled(w.rng, allocated.sorted()) {
		list = append(list, a)
	}
	w.shown = true
	return oracle.Event{Kind: "allocator", Op: op, Object: map[string]any{"allocated": list}}
}

// log adds a line of the allocator, at times.
func (w *writer) log(events []oracle.Event, allocated set) []oracle.Event {
	if !oracle.Chance(w.rng, w.logs) {
		return events
	}
	op := "update"
	if !w.shown && oracle.Chance(w.rng, 0.5) {
		op = "create"
	}
	return append(events, w.allocator(op, allocated))
}

func (w *writer) header(batched bool) oracle.Event {
	steps := "atomic"
	if batched {
		steps = "batched"
	}
	names := []any{}
	for _, p := range w.model.protocols {
		names = append(names, p)
	}
	return oracle.Event{Kind: "meta", Object: map[string]any{"format": 1.0, "spec": []any{"portallocator"}, "steps": steps,
		"constants": map[string]any{"protocols": names, "dynamic_ports": []any{float64(w.model.first), float64(w.model.last)}}}}
}

// snapshot states what exists: the endpoints of the ids, and what is allocated
// unless it is to be inferred.
func (w *writer) snapshot(s oState, ids []string, logs bool) []oracle.Event {
	var events []oracle.Event
	for _, id := range ids {
		events = append(events, w.whole("snapshot", id, s.endpoints[id]))
	}
	if logs {
		events = append(events, w.allocator("snapshot", s.allocated))
	}
	return oracle.Shuffled(w.rng, events)
}

// steps writes consecutive steps of the model as one, showing the net change.
func (w *writer) steps(steps []walkStep) []oracle.Event {
	from, to := steps[0].from, steps[len(steps)-1].to
	var events []oracle.Event
	for _, id := range oracle.Shuffled(w.rng, differing(from, to).sorted()) {
		old, was := from.endpoints[id]
		e, is := to.endpoints[id]
		var lines []oracle.Event
		switch {
		case !was:
			lines = []oracle.Event{w.whole("create", id, e)}
		case !is:
			lines = []oracle.Event{{Kind: "endpoint", Op: "delete", ID: id}}
		case slices.ContainsFunc(steps, func(s walkStep) bool { _, here := s.to.endpoints[id]; return !here }):
			lines = []oracle.Event{{Kind: "endpoint", Op: "delete", ID: id}, w.whole("create", id, e)}
		default:
			lines = []oracle.Event{w.update(id, old, e)}
		}
		if w.claims && oracle.Chance(w.rng, 0.4) {
			var names []string
			for _, s := range steps {
				if s.id == id && !s.from.equal(s.to) {
					names = append(names, s.action)
				}
			}
			if len(names) > 0 {
				lines[w.rng.IntN(len(lines))].Action = oracle.Pick(w.rng, names)
			}
		}
		events = append(events, lines...)
	}
	if len(events) == 0 && len(to.endpoints) > 0 { // stuttering: say again what exists
		id := oracle.Pick(w.rng, to.ids())
		events = append(events, w.whole("update", id, to.endpoints[id]))
		if w.claims && len(steps) == 1 && oracle.Chance(w.rng, 0.5) {
			events[0].Action = steps[0].action
		}
	}
	events = w.log(events, to.allocated)
	if w.claims && len(steps) == 1 && len(events) > 0 && steps[0].action != "" && oracle.Chance(w.rng, 0.2) {
		events[len(events)-1].Action = steps[0].action
		if events[len(events)-1].Actor = ""; oracle.Chance(w.rng, 0.3) {
			events[len(events)-1].Actor = "nobody" // not checked
		}
	}
	return w.together(events)
}

func (w *writer) together(events []oracle.Event) []oracle.Event {
	if w.tx++; len(events) > 1 || oracle.Chance(w.rng, 0.3) {
		for i := range events {
			events[i].Tx = float64(w.tx)
		}
	}
	return events
}

func (w *writer) refusal(s walkStep) []oracle.Event {
	return []oracle.Event{{Kind: "endpoint", Op: "reject", ID: s.id, Object: map[string]any{"spec": portsJSON(s.refused)}}}
}
