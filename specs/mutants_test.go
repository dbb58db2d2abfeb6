package specs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"tracecheck/validators"
)

// line is one line of a recording, taken apart.
type line struct {
	raw    []byte
	Tx     any            `json:"tx,omitempty"`
	Time   string         `json:"time,omitempty"`
	Kind   string         `json:"kind"`
	Op     string         `json:"op,omitempty"`
	ID     string         `json:"id,omitempty"`
	Object map[string]any `json:"object,omitempty"`
}

// readLines takes a recording apart; seq goes, so that lines may.
func readLines(t *testing.T, recording []byte) []line {
	t.Helper()
	var lines []line
	for raw := range bytes.Lines(recording) {
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatal(err)
		}
		l.raw = raw
		if l.Kind != "meta" {
			l.raw = l.encode()
		}
		lines = append(lines, l)
	}
	return lines
}

func (l *line) encode() []byte {
	raw, err := json.Marshal(l)
	if err != nil {
		panic(err) // of strings and numbers that were decoded just now
	}
	return append(raw, '\n')
}

// with is the line with some fields of its object set.
func (l *line) with(fields map[string]any) line {
	c := *l
	c.Object = maps.Clone(l.Object)
	if c.Object == nil {
		c.Object = map[string]any{}
	}
	maps.Copy(c.Object, fields)
	c.raw = c.encode()
	return c
}

// alone is the line as a step of its own.
func (l *line) alone() line {
	c := *l
	c.Tx = nil
	c.raw = c.encode()
	return c
}

// gives is whether the line gives one of the fields.
func (l *line) gives(fields ...string) bool {
	return slices.ContainsFunc(fields, func(f string) bool { _, ok := l.Object[f]; return ok })
}

// object is a task, service, node or endpoint as the lines so far tell it.
type object map[string]any

func (o object) str(field string) string { s, _ := o[field].(string); return s }

// world is what exists before a line.
type world struct {
	objects map[string]object // by kind and id
	dead    map[string]object // tasks that were deleted
}

func newWorld() *world { return &world{map[string]object{}, map[string]object{}} }

func key(kind, id string) string { return kind + " " + id }

func (w *world) take(l *line) {
	k := key(l.Kind, l.ID)
	switch l.Op {
	case "create", "snapshot":
		w.objects[k] = maps.Clone(object(l.Object))
		w.objects[k]["id"] = l.ID
	case "update":
		if w.objects[k] == nil {
			w.objects[k] = object{"id": l.ID}
		}
		for f, v := range l.Object {
			w.objects[k][f] = v
		}
	case "delete":
		if l.Kind == "task" {
			w.dead[l.ID] = w.objects[k]
		}
		delete(w.objects, k)
	}
}

// mutant is a recording with one fault put in.
type mutant struct {
	kind  string
	lines []line
	at    int    // the line at which the fault is
	last  int    // the last of them, if they are several
	next  int    // of a line left out: the next one that is about the object
	id    string // the object that it is about
	what  string
}

// isAt says that the step has a line of the fault.
func (m *mutant) isAt(v *validators.Violation) bool { return spans(v, m.at, max(m.at, m.last)) }

// spans says that the violating step has some of the lines, which count from 0.
func spans(v *validators.Violation, first, last int) bool {
	return v.FirstLine <= last+1 && v.LastLine >= first+1
}

// A mutator puts a fault in at line i, where it can; the world is what exists
// before the line.
type mutator struct {
	kind string
	make func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool)
}

func replaced(lines []line, i int, by ...line) []line {
	return slices.Concat(lines[:i], by, lines[i+1:])
}

// inserted puts lines in as a step of their own, before the step of line i.
func inserted(lines []line, i int, new ...line) ([]line, int) {
	for i > 0 && lines[i].Tx != nil && lines[i-1].Tx == lines[i].Tx {
		i--
	}
	for k := range new {
		new[k].Tx, new[k].Time = nil, lines[i].Time
		new[k].raw = new[k].encode()
	}
	return slices.Concat(lines[:i], new, lines[i:]), i
}

func update(kind, id string, fields map[string]any) line {
	return line{Kind: kind, Op: "update", ID: id, Object: fields}
}

var rank = func() map[string]int {
	m := map[string]int{}
	for i, s := range []string{"new", "pending", "assigned", "accepted", "preparing", "ready", "starting", "running",
		"complete", "shutdown", "failed", "rejected", "remove", "orphaned"} {
		m[s] = i
	}
	return m
}()

func runnable(state string) bool { return rank[state] <= rank["running"] }
func wanted(o object) bool {
	d := o.str("desired_state")
	return d == "ready" || d == "running" || d == "complete"
}

// some returns a task that f picks, and its id; "" where there is none.
func (w *world) some(r *rand.Rand, kind string, f func(object) bool) (string, object) {
	var ids []string
	for k, o := range w.objects {
		if len(k) > len(kind) && k[:len(kind)+1] == kind+" " && f(o) {
			ids = append(ids, k[len(kind)+1:])
		}
	}
	if len(ids) == 0 {
		return "", nil
	}
	slices.Sort(ids)
	id := ids[r.IntN(len(ids))]
	return id, w.objects[key(kind, id)]
}

// slotOf lists the tasks of the task's slot without itself.
func (w *world) slotOf(id string) []object {
	t := w.objects[key("task", id)]
	var all []object
	for k, o := range w.objects {
		if k[:5] == "task " && k != key("task", id) && o.str("service") == t.str("service") && o["slot"] == t["slot"] &&
			(o["slot"] != "global" || o.str("node") == t.str("node")) {
			all = append(all, o)
		}
	}
	return all
}

func (w *world) service(t object) object { return w.objects[key("service", t.str("service"))] }

// put makes a mutant of a step of its own, about an object that some picks.
func put(kind string, make func(w *world, r *rand.Rand) (id string, new []line)) mutator {
	return mutator{kind, func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		if i > 0 && lines[i].Tx != nil && lines[i-1].Tx == lines[i].Tx || lines[i].Kind == "meta" || lines[i].Op == "snapshot" {
			return mutant{}, false
		}
		id, new := make(w, r)
		if id == "" {
			return mutant{}, false
		}
		all, at := inserted(lines, i, new...)
		return mutant{kind: kind, lines: all, at: at, id: id, what: fmt.Sprint(new[0].Op, " ", new[0].ID, " ", new[0].Object)}, true
	}}
}
