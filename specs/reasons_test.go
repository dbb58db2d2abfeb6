package specs_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

func recorded(t *testing.T, name string) []byte {
	return validatorstest.ReadTrace(t, filepath.Join(swarms, name+".jsonl.gz"))
}

// asIs are a recording's lines, with their seq.
func asIs(data []byte) (lines []line) {
	for raw := range bytes.Lines(data) {
		lines = append(lines, line{raw: raw})
	}
	return lines
}

func at(line int) string { return fmt.Sprintf("line %d", line) }

// lostRemovals reads off the lines themselves which tasks of the service a
// scale-down left behind because of a report: those that were written after the
// line that scales it down, before its last tasks were marked, and were not marked.
func lostRemovals(data []byte, service string) (ids []string, asked, marked int) {
	of, reported, removed := map[string]string{}, map[string]int{}, map[string]bool{}
	n := 0
	for raw := range bytes.Lines(data) {
		n++
		id, object := gjson.GetBytes(raw, "id").Str, gjson.GetBytes(raw, "object")
		switch gjson.GetBytes(raw, "kind").Str {
		case "service":
			if r := object.Get("replicas"); id == service && r.Exists() {
				asked, reported = n, map[string]int{}
			}
		case "task":
			if s := object.Get("service").Str; s != "" {
				of[id] = s
			}
			if of[id] != service {
				continue
			}
			if object.Get("desired_state").Str == "remove" {
				removed[id], marked = true, n
			} else if reported[id] == 0 {
				reported[id] = n
			}
		}
	}
	for id, line := range reported {
		if !removed[id] && line < marked {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, asked, marked
}

// A scale-down that loses to reports is flagged by the service and by the tasks
// that it left behind, in the first violation already; without a deadline, the
// note says so.
func TestLostRemovals(t *testing.T) {
	const service = "vd2ey9kxf71qgw4nktyraol2l"
	data := recorded(t, "scale-race-212")
	lost, asked, marked := lostRemovals(data, service)
	if len(lost) != 16 {
		t.Fatalf("the recording has lost %d tasks, and not 16", len(lost))
	}
	want := []string{"service " + service + " waits for RequestRemoval since " + at(marked), "16 tasks too many (26 wanted, 10 requested at " + at(asked) + ")",
		"no reconciliation has come since", strings.Join(lost, ", ")}
	result := judgeWith(t, asIs(data), validators.Options{Deadline: 15 * time.Second})
	if len(result.Violations) != 1 {
		t.Fatalf("%d violations, want the first step's one: %+v", len(result.Violations), result.Violations)
	}
	says(t, result.Violations[0].Message, want)
	result = judgeWith(t, asIs(data), validators.Options{})
	if result.Verdict != validators.Conforming {
		t.Errorf("without a deadline: %s", result.Verdict)
	}
	note := waitOf(result, "RequestRemoval")
	says(t, note.Object()+" waits for "+note.Action+" since "+at(note.SinceLine)+"; "+note.Reason, want)
}

// The other faults that only a deadline shows name the step that was the last
// one, or that came in between.
func TestLostSteps(t *testing.T) {
	lineOf := func(data []byte, picks func(raw []byte) bool) (last int) {
		n := 0
		for raw := range bytes.Lines(data) {
			if n++; picks(raw) {
				last = n
			}
		}
		return last
	}
	t.Run("none-updown", func(t *testing.T) {
		data := recorded(t, "none-updown")
		asked := lineOf(data, func(raw []byte) bool { return bytes.Contains(raw, []byte(`"replicas":10`)) })
		emptied := lineOf(data, func(raw []byte) bool { return bytes.Contains(raw, []byte(`"op":"delete"`)) })
		says(t, waitOf(judgeWith(t, asIs(data), validators.Options{}), "CreateSlot").Reason, []string{
			"5 slots missing (5 present, 10 requested at " + at(asked) + ")", "a slot lost its last task at " + at(emptied) + ", and no reconciliation has come since"})
	})
	t.Run("rf6-reaper-forgets", func(t *testing.T) {
		data := recorded(t, "rf6-reaper-forgets")
		elected := lineOf(data, func(raw []byte) bool {
			return bytes.Contains(raw, []byte(`"op":"update"`)) && bytes.Contains(raw, []byte(`"status":"unknown"`))
		})
		says(t, waitOf(judgeWith(t, asIs(data), validators.Options{}), "CleanupTerminated").Reason, []string{"2 tasks, limit 0", "the leader changed at " + at(elected)})
	})
}

// waitOf is the oldest open wait for the action.
func waitOf(r *validators.Result, action string) validators.Waiting {
	for i := range r.Liveness {
		for _, w := range r.Liveness[i].Waiting {
			if w.Action == action && w.Kind != "" {
				return w
			}
		}
	}
	return validators.Waiting{}
}

func says(t *testing.T, text string, want []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q\ndoes not say %q", text, w)
		}
	}
}
