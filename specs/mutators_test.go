package specs_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// The faults: lines of a recording that are left out, doubled, moved or changed,
// and steps that are put in. What a healthy swarm might do as well is no fault,
// and what no trace can show is not put in: docs/detection.md says what.
var mutators = slices.Concat(changedLines, changedPorts, stepsPutIn)

// leftOut is the kind of fault that only a later line can contradict.
const leftOut = "event dropped"

var changedLines = []mutator{
	{leftOut, func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		l := &lines[i]
		t := w.objects[key(l.Kind, l.ID)]
		next := nextAbout(lines, i)
		switch {
		case l.Op == "snapshot", l.Kind != "task" && l.Kind != "service" && l.Kind != "node":
			return mutant{}, false
		case l.Op == "update" && !l.gives("state", "desired_state", "node", "replicas"):
			return mutant{}, false // tells nothing that is judged
		case next == 0:
			return mutant{}, false // nothing later depends on it
		case l.Kind == "task" && l.gives("state") && l.Op == "update" && summedUp(lines, i, t):
			return mutant{}, false // the next report sums it up
		case l.Kind == "task" && l.Object["desired_state"] == "shutdown" && !runnable(t.str("state")) && !replacedWith(lines, i, t):
			return mutant{}, false // that a task is given up is owed, not seen
		}
		at := i // what comes in its place, and what is left of its step
		if i > 0 && l.Tx != nil && lines[i-1].Tx == l.Tx {
			at = i - 1
		}
		return mutant{kind: leftOut, lines: replaced(lines, i), at: at, last: i, next: next - 1, id: l.ID, what: string(l.raw)}, true
	}},
	{"event doubled", func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		l := &lines[i]
		if l.Op != "create" && l.Op != "delete" {
			return mutant{}, false // an update said twice says nothing new
		}
		end := i
		for end+1 < len(lines) && lines[i].Tx != nil && lines[end+1].Tx == l.Tx {
			end++
		}
		return mutant{kind: "event doubled", lines: append(append(append([]line(nil), lines[:end+1]...), l.alone()), lines[end+1:]...), at: end + 1, id: l.ID, what: string(l.raw)}, true
	}},
	{"steps swapped", func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		return swapped(lines, i)
	}},
	{"state changed", func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		l := &lines[i]
		if l.Kind != "task" || l.Op != "update" || !l.gives("state") {
			return mutant{}, false
		}
		t := w.objects[key("task", l.ID)]
		states := []string{"new", "pending", "assigned", "accepted", "preparing", "ready", "starting", "running", "complete", "shutdown", "failed", "rejected", "orphaned"}
		s := states[r.IntN(len(states))]
		if s == l.Object["state"] || s == t.str("state") || plausible(t, s) {
			return mutant{}, false
		}
		return mutant{kind: "state changed", lines: replaced(lines, i, l.with(map[string]any{"state": s})), at: i, id: l.ID,
			what: fmt.Sprintf("%s: %s to %s in place of %s", l.ID, t.str("state"), s, l.Object["state"])}, true
	}},
	{"desired state changed", func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		l := &lines[i]
		if l.Kind != "task" || l.Op != "update" && l.Op != "create" || !l.gives("desired_state") {
			return mutant{}, false
		}
		desired := []string{"ready", "running", "shutdown", "remove", "complete"}
		d := desired[r.IntN(len(desired))]
		if d == l.Object["desired_state"] || w.objects[key("task", l.ID)].str("desired_state") == d {
			return mutant{}, false
		}
		return mutant{kind: "desired state changed", lines: replaced(lines, i, l.with(map[string]any{"desired_state": d})), at: i, id: l.ID,
			what: fmt.Sprintf("%s %s: %s in place of %s", l.Op, l.ID, d, l.Object["desired_state"])}, true
	}},
	{"node changed", func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		l := &lines[i]
		if l.Kind != "task" || l.Op != "update" || !l.gives("state") || l.gives("node") || w.objects[key("task", l.ID)].str("node") == "" {
			return mutant{}, false
		}
		return mutant{kind: "node changed", lines: replaced(lines, i, l.with(map[string]any{"node": "another"})), at: i, id: l.ID, what: string(l.raw)}, true
	}},
	{"slot changed", func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		l := &lines[i]
		if l.Kind != "task" || l.Op != "create" || l.Object["slot"] == "global" {
			return mutant{}, false
		}
		n, _ := l.Object["slot"].(float64)
		return mutant{kind: "slot changed", lines: replaced(lines, i, l.with(map[string]any{"slot": n + 1 + float64(r.IntN(3))})), at: i, id: l.ID, what: string(l.raw)}, true
	}},
	{"service changed", func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		l := &lines[i]
		if l.Kind != "task" || l.Op != "create" {
			return mutant{}, false
		}
		other, _ := w.some(r, "service", func(o object) bool { return true })
		if other == "" || other == l.Object["service"] {
			return mutant{}, false
		}
		return mutant{kind: "service changed", lines: replaced(lines, i, l.with(map[string]any{"service": other})), at: i, id: l.ID, what: string(l.raw)}, true
	}},
	{"a dead task replaced but not marked", func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		l := &lines[i]
		t := w.objects[key("task", l.ID)]
		s := w.service(t)
		if l.Kind != "task" || l.Op != "update" || l.Object["desired_state"] != "shutdown" || runnable(t.str("state")) || s == nil ||
			s["update_order"] == "start_first" || s["rollback_order"] == "start_first" || !replacedWith(lines, i, t) {
			return mutant{}, false
		}
		return mutant{kind: "a dead task replaced but not marked", lines: replaced(lines, i), at: i, id: l.ID, what: string(l.raw)}, true
	}},
	{"released beside the task it replaces", func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		l := &lines[i]
		if l.Kind != "task" || l.Op != "create" || l.Object["desired_state"] != "ready" || l.Object["slot"] == "global" {
			return mutant{}, false
		}
		end := i + 1
		for end < len(lines) && l.Tx != nil && lines[end].Tx == l.Tx {
			end++
		}
		old := ""
		for k := end - 1; k >= 0 && l.Tx != nil && lines[k].Tx == l.Tx; k-- {
			o := w.objects[key("task", lines[k].ID)]
			up := w.objects[key("node", o.str("node"))]["state"] == "up"
			if up && lines[k].Object["desired_state"] == "shutdown" && o["slot"] == l.Object["slot"] && o.str("service") == l.Object["service"] && runnable(o.str("state")) {
				old = lines[k].ID
			}
		}
		if old == "" || end >= len(lines) {
			return mutant{}, false
		}
		all, at := inserted(lines, end, update("task", l.ID, map[string]any{"desired_state": "running"}))
		return mutant{kind: "released beside the task it replaces", lines: all, at: at, id: l.ID, what: "replaces " + old}, true
	}},
}

// swapped swaps the step of line i and the next one, if they are about one task.
func swapped(lines []line, i int) (mutant, bool) {
	if lines[i].Kind == "meta" || lines[i].Op == "snapshot" || i > 0 && lines[i].Tx != nil && lines[i-1].Tx == lines[i].Tx {
		return mutant{}, false
	}
	end := func(from int) int {
		to := from + 1
		for to < len(lines) && lines[from].Tx != nil && lines[to].Tx == lines[from].Tx {
			to++
		}
		return to
	}
	mid := end(i)
	if mid >= len(lines) {
		return mutant{}, false
	}
	last := end(mid)
	id := ""
	for k := i; k < mid; k++ {
		for n := mid; n < last; n++ {
			a, b := &lines[k], &lines[n]
			if a.Kind == "task" && b.Kind == "task" && a.ID == b.ID && (a.gives("state") && b.gives("state") || a.Op != "update" || b.Op != "update") {
				id = a.ID
			}
		}
	}
	if id == "" {
		return mutant{}, false
	}
	var all []line
	all = append(all, lines[:i]...)
	all = append(all, lines[mid:last]...)
	all = append(all, lines[i:mid]...)
	all = append(all, lines[last:]...)
	return mutant{kind: "steps swapped", lines: all, at: i, last: last - 1, id: id, what: string(lines[i].raw) + string(lines[mid].raw)}, true
}
