package swarmkit_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"

	"tracecheck/specs/internal/oracle"
)

// The writer turns a walk into lines of the trace format.

func compareObjects(a, b object) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.id, b.id),
		cmp.Compare(a.service, b.service), cmp.Compare(fmt.Sprint(a.vslot), fmt.Sprint(b.vslot)))
}

func number(n int) any {
	if n == globalMode {
		return "global"
	}
	return float64(n)
}

// fields is the object as the format writes it.
func (s oracleState) fields(kind, id string) map[string]any {
	switch kind {
	case "service":
		svc := s.services[id]
		return map[string]any{"replicas": number(svc.replicas), "remove": svc.remove}
	case "node":
		return map[string]any{"state": s.nodes[id]}
	default:
		t := s.tasks[id]
		return map[string]any{
			"service": t.service, "slot": number(t.slot), "node": t.node,
			"state": t.state, "desired_state": t.desired,
		}
	}
}

type writer struct {
	rng    *rand.Rand
	claims bool
	tx     int
}

// whole is an object with all its fields.
func (w *writer) whole(op string, o object, s oracleState) oracle.Event {
	fields := s.fields(o.kind, o.id)
	if fields["node"] == "" && oracle.Chance(w.rng, 0.3) {
		fields["node"] = nil // the other way to say unassigned
	}
	if oracle.Chance(w.rng, 0.05) {
		fields["note"] = map[string]any{"state": "unknown fields are ignored"}
	}
	return oracle.Event{Kind: o.kind, Op: op, ID: o.id, Object: fields}
}

// update carries the changed fields, and rarely others.
func (w *writer) update(o object, from, to oracleState) oracle.Event {
	old, fields := from.fields(o.kind, o.id), to.fields(o.kind, o.id)
	keep := oracle.Chance(w.rng, 0.1)
	maps.DeleteFunc(fields, func(k string, v any) bool { return old[k] == v && !keep })
	return oracle.Event{Kind: o.kind, Op: "update", ID: o.id, Object: fields}
}

// claim puts a true claim of the step on the event.
func (w *writer) claim(e *oracle.Event, l label) {
	both := oracle.Chance(w.rng, 0.4)
	if both || oracle.Chance(w.rng, 0.5) {
		e.Action = l.action
	}
	if both || e.Action == "" {
		e.Actor = l.actor
	}
}

// batch writes consecutive steps of the model as one, showing the net change.
func (w *writer) batch(steps []walkStep) []oracle.Event {
	states := []oracleState{steps[0].from}
	for _, step := range steps {
		states = append(states, step.to)
	}
	from, to := states[0], states[len(states)-1]
	var events []oracle.Event
	for _, o := range netObjects(w.rng, states) {
		var lines []oracle.Event
		switch {
		case from.value(o) == nil:
			lines = []oracle.Event{w.whole("create", o, to)}
		case to.value(o) == nil:
			lines = []oracle.Event{{Kind: o.kind, Op: "delete", ID: o.id}}
		case recreated(o, states):
			lines = []oracle.Event{{Kind: o.kind, Op: "delete", ID: o.id}, w.whole("create", o, to)}
		default:
			lines = []oracle.Event{w.update(o, from, to)}
		}
		if w.claims && len(steps) > 1 && oracle.Chance(w.rng, 0.3) {
			if labels := changers(o, steps); len(labels) > 0 {
				w.claim(&lines[w.rng.IntN(len(lines))], oracle.Pick(w.rng, labels))
			}
		}
		events = append(events, lines...)
	}
	if len(steps) > 1 {
		return w.together(events)
	}
	if len(events) == 0 { // stuttering: say again what exists
		o := oracle.Pick(w.rng, from.objects())
		if from.value(o) == nodeGone {
			return nil
		}
		events = append(events, w.whole("update", o, from))
	}
	if w.claims && oracle.Chance(w.rng, 0.5) {
		w.claim(&events[w.rng.IntN(len(events))], steps[0].label)
	}
	return w.together(events)
}

// changers are the actions among the steps that changed the object.
func changers(o object, steps []walkStep) []label {
	var labels []label
	for _, step := range steps {
		if differing(step.from, step.to)[o] {
			labels = append(labels, step.label)
		}
	}
	return labels
}

// together gives the lines of one step their tx; a single line may do without.
func (w *writer) together(events []oracle.Event) []oracle.Event {
	w.tx++
	return oracle.Together(w.rng, events, w.tx)
}

// other writes what is not a step of the model.
func (w *writer) other(step walkStep) []oracle.Event {
	var events []oracle.Event
	for _, o := range oracle.Shuffled(w.rng, step.snapshot) {
		// By id: a snapshot may set a task to another vslot.
		e := w.whole("snapshot", object{kind: o.kind, id: o.id}, step.to)
		e.Pinned = o.kind == "node"
		events = append(events, e)
	}
	if step.snapshot != nil {
		return events
	}
	for o := range differing(step.from, step.to) {
		e := w.whole("create", o, step.to)
		if step.to.value(o) == nodeGone {
			e.Op, e.Object = "delete", nil
		}
		e.Pinned = true
		events = append(events, e)
	}
	return w.together(events)
}

// begin writes the start: Init with its nodes shown in one of the ways that
// the format has, or the snapshot of any state.
func (w *writer) begin(start oracleState) []oracle.Event {
	var events []oracle.Event
	fromInit := len(start.services)+len(start.tasks) == 0 && oracle.Chance(w.rng, 0.5)
	for _, o := range oracle.Shuffled(w.rng, start.objects()) {
		op := "snapshot"
		if fromInit {
			// First seen by an update, it was there before, up.
			op = oracle.Pick(w.rng, []string{"create", "update"})
		}
		e := w.whole(op, o, start)
		e.Pinned = o.kind == "node"
		events = append(events, e)
	}
	return events
}

// header is the meta line. Where the limit is 5 it may go without saying.
func (w *writer) header(batched bool, maxTerminated int) oracle.Event {
	object := map[string]any{"format": 1, "spec": []string{"swarmkit"}, "profile": "spec", "steps": "atomic"}
	if batched {
		object["steps"] = "batched"
	}
	if maxTerminated != 5 || oracle.Chance(w.rng, 0.5) {
		object["constants"] = map[string]any{"max_terminated": maxTerminated}
	}
	return oracle.Event{Kind: "meta", Object: object}
}
