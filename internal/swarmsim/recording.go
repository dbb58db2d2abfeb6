package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"time"
)

// event is a line of a recording.
type event struct {
	Time   time.Time      `json:"time"`
	Kind   string         `json:"kind"`
	Op     string         `json:"op"`
	ID     string         `json:"id"`
	Object map[string]any `json:"object"`
}

// text is a field that has a string, "" if it has none.
func (e *event) text(field string) string {
	s, _ := e.Object[field].(string)
	return s
}

// version is the spec_version, 0 if it is not given.
func (e *event) version() float64 {
	v, _ := e.Object["spec_version"].(float64)
	return v
}

// recording has the events of a file: that of line n is recording[n-1].
type recording []event

// silence is the longest time between two events.
func (list recording) silence() time.Duration {
	var longest time.Duration
	var last time.Time
	for i := range list {
		at := list[i].Time
		if !last.IsZero() {
			longest = max(longest, at.Sub(last))
		}
		if !at.IsZero() { // a meta line has none
			last = at
		}
	}
	return longest
}

func readRecording(path string) (recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var list recording
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, len(list)+1, err)
		}
		list = append(list, e)
	}
	return list, lines.Err()
}

// of yields an object's events between the two lines, without these, by their lines.
func (list recording) of(kind, id string, after, before int) iter.Seq2[int, *event] {
	return func(yield func(int, *event) bool) {
		for line := after + 1; line < before; line++ {
			if e := &list[line-1]; e.Kind == kind && e.ID == id && !yield(line, e) {
				return
			}
		}
	}
}

// ids are those of the events for which is holds.
func (list recording) ids(is func(*event) bool) map[string]bool {
	ids := map[string]bool{}
	for i := range list {
		if is(&list[i]) {
			ids[list[i].ID] = true
		}
	}
	return ids
}

// record is an object at a point of a recording.
type record struct {
	event
	born, changed int                // the lines that showed it first and last
	specs         map[float64]policy // of a service, by spec_version: how each of its specs restarts tasks
}

// policy is a service's restart policy.
type policy struct {
	condition string
	attempts  float64
}

// policyOf is that of the spec that made a task of the service: SwarmKit goes by it. If no line
// shows that spec, the next one is the nearest.
func (r *record) policyOf(t *record) policy {
	if t.Object["spec_version"] == nil {
		return r.policy()
	}
	nearest, found := math.Inf(1), r.policy()
	for version, p := range r.specs {
		if version >= t.version() && version < nearest {
			nearest, found = version, p
		}
	}
	return found
}

func (r *record) policy() policy {
	attempts, _ := r.Object["max_attempts"].(float64)
	return policy{r.text("restart_condition"), attempts}
}

// note keeps what a line shows of a service's specs.
func (r *record) note() {
	if r.Kind == "service" && r.Object["spec_version"] != nil {
		if r.specs == nil {
			r.specs = map[float64]policy{}
		}
		r.specs[r.version()] = r.policy()
	}
}

// wanted says of a task that it is to run, or to complete.
func (r *record) wanted() bool {
	switch r.text("desired_state") {
	case "ready", "running", "complete":
		return true
	}
	return false
}

// terminal says that a task of that state has ended.
func terminal(state string) bool {
	switch state {
	case "complete", "shutdown", "failed", "rejected", "orphaned":
		return true
	}
	return false
}

func (r *record) slot() any { return r.Object["slot"] }

// objects are those that exist before a line, by kind and id.
type objects map[[2]string]*record

// before replays the lines before the given one.
func (list recording) before(line int) objects {
	state := objects{}
	for i := range list[:min(line-1, len(list))] {
		e := &list[i]
		key := [2]string{e.Kind, e.ID}
		switch e.Op {
		case "snapshot", "create":
			state[key] = &record{event: event{e.Time, e.Kind, e.Op, e.ID, maps.Clone(e.Object)}, born: i + 1, changed: i + 1}
			state[key].note()
		case "update":
			if r := state[key]; r != nil {
				merge(r.Object, e.Object)
				r.changed = i + 1
				r.note()
			}
		case "delete":
			delete(state, key)
		}
	}
	return state
}

// merge is a JSON merge patch, of one level.
func merge(object, patch map[string]any) {
	for k, v := range patch {
		if v == nil {
			delete(object, k)
		} else {
			object[k] = v
		}
	}
}

func (o objects) service(id string) *record { return o[[2]string{"service", id}] }
func (o objects) task(id string) *record    { return o[[2]string{"task", id}] }

// tasks are those of a service for which is holds.
func (o objects) tasks(service string, is func(*record) bool) (list []*record) {
	for key, r := range o {
		if key[0] == "task" && r.text("service") == service && is(r) {
			list = append(list, r)
		}
	}
	return list
}

// newest are the tasks that came last in each slot of the service.
func (o objects) newest(service string) map[any]*record {
	slots := map[any]*record{}
	for _, t := range o.tasks(service, func(*record) bool { return true }) {
		if u := slots[t.slot()]; u == nil || t.newer(u) {
			slots[t.slot()] = t
		}
	}
	return slots
}

// newer reports whether the task came after the other one. A snapshot lists its tasks in no
// order: there, the newer task has the later spec.
func (r *record) newer(than *record) bool {
	if r.Op == "snapshot" && than.Op == "snapshot" {
		its, other := r.version(), than.version()
		return its > other || its == other && r.born > than.born
	}
	return r.born > than.born
}

// slots are those with a wanted task.
func (o objects) slots(service string) map[any]bool {
	slots := map[any]bool{}
	for _, t := range o.tasks(service, (*record).wanted) {
		slots[t.slot()] = true
	}
	return slots
}
