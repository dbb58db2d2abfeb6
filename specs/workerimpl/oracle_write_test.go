package workerimpl_test

import (
	"maps"
	"math/rand/v2"

	"tracecheck/specs/internal/oracle"
)

// The writer turns a walk into lines of the trace format.

type writer struct {
	rng    *rand.Rand
	claims bool
	tx     int
}

func allObjects(s oState) []object {
	var all []object
	for i := range maxIDs {
		if s.tasks[i].here {
			all = append(all, object{"task", i})
		}
		if s.conts[i].here {
			all = append(all, object{"container", i})
		}
	}
	for n, v := range s.nodes {
		if v == isUp || v == isDown {
			all = append(all, object{"node", n})
		}
	}
	return all
}

func (s oState) exists(o object) bool {
	if o.kind == "node" {
		return s.nodes[o.i] == isUp || s.nodes[o.i] == isDown
	}
	return s.here(o)
}

func nameOf(o object) string {
	if o.kind == "node" {
		return oNodes[o.i]
	}
	return oIDs[o.i]
}

func (w *writer) whole(op string, o object, s oState) oracle.Event {
	fields := s.fields(o.kind, o.i)
	if fields["node"] == "" && oracle.Chance(w.rng, 0.3) {
		fields["node"] = nil
	}
	if oracle.Chance(w.rng, 0.05) {
		fields["note"] = map[string]any{"state": "unknown fields are ignored"}
	}
	return oracle.Event{Kind: o.kind, Op: op, ID: nameOf(o), Object: fields}
}

// update carries the changed fields, and rarely others.
func (w *writer) update(o object, from, to oState) oracle.Event {
	old, fields := from.fields(o.kind, o.i), to.fields(o.kind, o.i)
	keep := oracle.Chance(w.rng, 0.1)
	maps.DeleteFunc(fields, func(k string, v any) bool { return old[k] == v && !keep })
	return oracle.Event{Kind: o.kind, Op: "update", ID: nameOf(o), Object: fields}
}

// batch writes consecutive steps of the model as one, showing the net change.
func (w *writer) batch(steps []walkStep) []oracle.Event {
	from, to := steps[0].from, steps[len(steps)-1].to
	var events []oracle.Event
	var objects []object
	for i := range maxIDs {
		objects = append(objects, object{"task", i}, object{"container", i})
	}
	for n := range maxNodes {
		objects = append(objects, object{"node", n})
	}
	w.rng.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	for _, o := range objects {
		recreated, passed := false, false
		for _, s := range steps {
			recreated = recreated || from.exists(o) && to.exists(o) && !s.to.exists(o)
			passed = passed || !from.exists(o) && !to.exists(o) && s.to.exists(o)
		}
		moved := o.kind == "container" && from.conts[o.i].node != to.conts[o.i].node
		var lines []oracle.Event
		switch {
		case passed && oracle.Chance(w.rng, 0.3):
			for _, s := range steps {
				if s.to.exists(o) {
					lines = []oracle.Event{w.whole("create", o, s.to), {Kind: o.kind, Op: "delete", ID: nameOf(o)}}
				}
			}
		case !changedObject(from, to, o) && !(recreated && oracle.Chance(w.rng, 0.5)):
			continue
		case !from.exists(o):
			lines = []oracle.Event{w.whole("create", o, to)}
		case !to.exists(o):
			lines = []oracle.Event{{Kind: o.kind, Op: "delete", ID: nameOf(o)}}
		case recreated || moved:
			lines = []oracle.Event{{Kind: o.kind, Op: "delete", ID: nameOf(o)}, w.whole("create", o, to)}
		default:
			lines = []oracle.Event{w.update(o, from, to)}
		}
		if w.claims && len(steps) > 1 && oracle.Chance(w.rng, 0.3) {
			var by []string
			for _, s := range steps {
				if changedObject(s.from, s.to, o) {
					by = append(by, s.action)
				}
			}
			if len(by) > 0 {
				w.claim(&lines[w.rng.IntN(len(lines))], oracle.Pick(w.rng, by))
			}
		}
		events = append(events, lines...)
	}
	if len(steps) > 1 {
		return w.together(events)
	}
	if len(events) == 0 { // stuttering: say again what exists
		all := allObjects(from)
		if len(all) == 0 {
			return nil
		}
		events = append(events, w.whole("update", oracle.Pick(w.rng, all), from))
	}
	if w.claims && oracle.Chance(w.rng, 0.5) && steps[0].action != "" {
		w.claim(&events[w.rng.IntN(len(events))], steps[0].action)
	}
	return w.together(events)
}

// claim puts a true claim of the step on the event.
func (w *writer) claim(e *oracle.Event, action string) {
	if oracle.Chance(w.rng, 0.7) {
		e.Action = action
	}
	if oracle.Chance(w.rng, 0.5) {
		e.Actor = "agent"
		if isOther(action) && oracle.Chance(w.rng, 0.7) {
			e.Actor = oracle.Pick(w.rng, []string{"user", "orchestrator", "allocator", "scheduler", "reaper"})
		}
	}
}

// together gives the lines of one step their tx; a single line may do without.
func (w *writer) together(events []oracle.Event) []oracle.Event {
	w.tx++
	return oracle.Together(w.rng, events, w.tx)
}

// other writes what is not a step of the model.
func (w *writer) other(step walkStep) []oracle.Event {
	var events []oracle.Event
	for _, o := range step.shown {
		events = append(events, w.whole("snapshot", o, step.to))
	}
	if step.shown != nil {
		return events
	}
	events = w.batch([]walkStep{step})
	for i := range events {
		events[i].Pinned = true
	}
	return events
}

// begin writes the start: Init with its nodes shown in one of the ways that the
// format has, or the snapshot of any state.
func (w *writer) begin(start oState) []oracle.Event {
	var events []oracle.Event
	empty := start
	empty.nodes = [maxNodes]uint8{}
	fromInit := empty == oState{} && oracle.Chance(w.rng, 0.5)
	objects := allObjects(start)
	w.rng.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	for _, o := range objects {
		op := "snapshot"
		if fromInit {
			op = oracle.Pick(w.rng, []string{"create", "update"}) // first seen by an update, it was there before, up
		}
		e := w.whole(op, o, start)
		e.Pinned = o.kind == "node"
		events = append(events, e)
	}
	return events
}
