package shrink_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"tracecheck/internal/exhaustive"
	"tracecheck/postmortem/shrink"
	"tracecheck/specs"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// shrunk shrinks the trace's liveness violation of the rule whose message begins
// so, and judges the result.
func shrunk(t *testing.T, source shrink.Source, rule, begins string, deadline time.Duration) *shrink.Result {
	t.Helper()
	opts := validators.Options{Deadline: deadline, KeepGoing: true}
	found := judge(t, source, opts).Violations
	i := slices.IndexFunc(found, func(v validators.Violation) bool {
		return v.Kind == validators.OfLiveness && v.Rule == rule && strings.HasPrefix(v.Message, begins)
	})
	if i < 0 {
		t.Fatalf("no violation of %s that begins %q, of %+v", rule, begins, found)
	}
	opts.Specs = specs.All()
	result, err := shrink.Of(t.Context(), source, &found[i], shrink.Options{Judge: opts})
	if err != nil {
		t.Fatal(err)
	}
	again := judge(t, validatorstest.Source(t, result.Lines), validators.Options{Deadline: deadline, KeepGoing: result.Later})
	if same(&found[i], again.Violations) == nil {
		t.Errorf("the shrunk trace shows %+v", again.Violations)
	}
	return result
}

// place is the number of the line that has all these, after the one given; 0 if
// there is none.
func place(lines []string, after int, parts ...string) int {
	for n := after; n < len(lines); n++ {
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(lines[n], part) }) {
			return n + 1
		}
	}
	return 0
}

// The case files: which lines of a trace stay, and which go.
func TestStories(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var lines, stay, leave []string
			var rule, begins string
			var deadline time.Duration
			for text := range strings.Lines(string(raw)) {
				text = strings.TrimSpace(text)
				switch word, rest, _ := strings.Cut(strings.TrimPrefix(text, "# "), " "); {
				case !strings.HasPrefix(text, "#"):
					lines = append(lines, text)
				case text == "# stays":
					stay = append(stay, lines[len(lines)-1])
				case text == "# goes":
					leave = append(leave, lines[len(lines)-1])
				case word == "of":
					rule, begins, _ = strings.Cut(rest, ": ")
				case strings.HasPrefix(rest, "deadline "):
					if deadline, err = time.ParseDuration(strings.TrimPrefix(rest, "deadline ")); err != nil {
						t.Fatal(err)
					}
				}
			}
			if len(stay) == 0 || len(leave) == 0 {
				t.Fatal("the case states of no line that it stays, or of none that it goes")
			}
			result := shrunk(t, validatorstest.Source(t, lines), rule, begins, deadline)
			text := strings.Join(result.Lines, "\n")
			for _, line := range stay {
				if !slices.ContainsFunc(result.Lines, func(l string) bool { return isOf(l, line) }) {
					t.Errorf("the line\n%s\nis not in\n%s", line, text)
				}
			}
			for _, line := range leave {
				if slices.ContainsFunc(result.Lines, func(l string) bool { return isOf(l, line) }) {
					t.Errorf("the line\n%s\nis still in\n%s", line, text)
				}
			}
		})
	}
}

// isOf states that a line is what is left of another: it states something of what the
// other does, and nothing else.
func isOf(less, line string) bool {
	for _, name := range []string{"kind", "op", "id"} {
		if gjson.Get(less, name).Raw != gjson.Get(line, name).Raw {
			return false
		}
	}
	was, is := gjson.Get(line, "object").Map(), gjson.Get(less, "object").Map()
	for name, value := range is {
		if was[name].Raw != value.Raw {
			return false
		}
	}
	return len(is) > 0 || len(was) == 0
}

const web = `"vcqe4evc83em4h5uc1wl15vi4"`

// Tasks that are being removed count as replicas: the service goes from 5 to 10
// replicas while a removed task still runs, that task ends and is deleted, and
// nobody makes another.
func TestStoryOfRemovedTasks(t *testing.T) {
	for _, c := range []struct{ rule, begins string }{
		{"EventuallyAsDesired", ""},
		{"WF_vars(OrchestratorProgress)", "service vcqe4evc83em4h5uc1wl15vi4 "},
	} {
		result := shrunk(t, fileOf("../../testdata/swarms/none-updown.jsonl.gz"), c.rule, c.begins, 10*time.Second)
		lines, text := result.Lines, strings.Join(result.Lines, "\n")
		up := place(lines, 0, `"op":"update"`, web, `"replicas":10`)
		if up == 0 || place(lines, up, web, `"replicas"`) > 0 {
			t.Errorf("%s: the last that is asked for is not 10 replicas:\n%s", c.rule, text)
		}
		if small := place(lines, 0, web, `"replicas":5`); small == 0 || small > up {
			t.Errorf("%s: the service has not 5 replicas before:\n%s", c.rule, text)
		}
		removed := place(lines, 0, `"op":"update"`, `"desired_state":"remove"`)
		if removed == 0 || removed > up {
			t.Fatalf("%s: no task is marked before that:\n%s", c.rule, text)
		}
		task := gjson.Get(lines[removed-1], "id").Raw
		if stops := place(lines, up, task, `"state":"shutdown"`); stops == 0 || place(lines, stops, `"op":"delete"`, task) == 0 {
			t.Errorf("%s: the task does not stop and go after that:\n%s", c.rule, text)
		}
		if len(lines) > 25 { // 10 replicas, their service and node, a clock, the story
			t.Errorf("%s: %d lines:\n%s", c.rule, len(lines), text)
		}
	}
}

// A scale-down that loses to a report: after the service was asked for 10
// replicas, a task reports that is not marked for removal, while others are.
func TestStoryOfLostRemovals(t *testing.T) {
	for i, c := range []struct{ rule, begins string }{
		{"EventuallyAsDesired", ""},
		{"WF_vars(OrchestratorProgress)", "service vd2ey9kxf71qgw4nktyraol2l "},
	} {
		if i > 0 && !exhaustive.Asked() {
			break
		}
		result := shrunk(t, fileOf("../../testdata/swarms/scale-race-212.jsonl.gz"), c.rule, c.begins, 15*time.Second)
		lines, text := result.Lines, strings.Join(result.Lines, "\n")
		down := place(lines, 0, `"op":"update"`, `"vd2ey9kxf71qgw4nktyraol2l"`, `"replicas":10`)
		mark := place(lines, down, `"op":"update"`, `"desired_state":"remove"`)
		if down == 0 || mark == 0 {
			t.Fatalf("%s: no scale-down that marks a task:\n%s", c.rule, text)
		}
		lost := 0
		for n := down; n < mark-1; n++ {
			task := gjson.Get(lines[n], "id").Raw
			if strings.Contains(lines[n], `"state":"running"`) && place(lines, n+1, task) == 0 {
				lost++
			}
		}
		if lost == 0 {
			t.Errorf("%s: no report comes in between:\n%s", c.rule, text)
		}
		if len(lines) > 30 { // 10 replicas, one too many, one removed, their service and node, a clock, the story
			t.Errorf("%s: %d lines:\n%s", c.rule, len(lines), text)
		}
	}
}

// A new leader's reaper forgets: the node of a task goes down and comes back, as
// all do when the leader changes, between the task's replacement and its end.
func TestStoryOfForgottenHistory(t *testing.T) {
	result := shrunk(t, fileOf("../../testdata/swarms/rf6-reaper-forgets.jsonl.gz"), "WF_vars(OrchestratorProgress)",
		"service t11w9h75e9bciszoa45l59k9t, slot 21, ", time.Minute)
	lines, text := result.Lines, strings.Join(result.Lines, "\n")
	const old, node = `"ibbuvuq94wa23t0zn2ayt4ueu"`, `"k9uxlc0hb3toj28gmqht4pl3u"`
	at := 0
	for _, parts := range [][]string{
		{`"op":"create"`, `"opzchk8h53k41gtiylvg5e64k"`, `"slot":21`},
		{`"op":"update"`, old, `"desired_state":"shutdown"`},
		{`"op":"update"`, node, `"state":"down"`},
		{`"op":"update"`, node, `"state":"up"`},
		{`"op":"update"`, old, `"state":"shutdown"`},
	} {
		if at = place(lines, at, parts...); at == 0 {
			t.Fatalf("after what comes before it, no line has %v:\n%s", parts, text)
		}
	}
	if len(lines) > 25 {
		t.Errorf("%d lines:\n%s", len(lines), text)
	}
}

// A meta line that changes no constant, as a writer may begin each file with one, does not end
// a wait: the lines that caused it are from before.
func TestWaitOverMetaLines(t *testing.T) {
	const meta = `{"time":"2026-11-20T10:00:%02dZ","kind":"meta","object":{"format":1,"constants":{"max_terminated":3}}}`
	shrunk(t, validatorstest.Source(t, []string{
		fmt.Sprintf(meta, 0),
		`{"seq":1,"time":"2026-11-20T10:00:01Z","kind":"node","op":"create","id":"n1","object":{"state":"up"}}`,
		`{"seq":2,"time":"2026-11-20T10:00:02Z","kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}`,
		`{"seq":3,"time":"2026-11-20T10:00:03Z","kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}`,
		`{"seq":4,"time":"2026-11-20T10:00:04Z","kind":"task","op":"update","id":"t1","object":{"state":"pending"}}`,
		`{"seq":5,"time":"2026-11-20T10:00:05Z","kind":"task","op":"update","id":"t1","object":{"state":"assigned","node":"n1"}}`,
		`{"seq":6,"time":"2026-11-20T10:00:30Z","kind":"node","op":"create","id":"n2","object":{"state":"up"}}`,
		fmt.Sprintf(meta, 31),
		`{"seq":7,"time":"2026-11-20T10:00:59Z","kind":"task","op":"update","id":"t1","object":{"state":"accepted"}}`,
	}), `WF_vars(AgentProgress /\ UNCHANGED services)`, "task t1 waits for ProgressTask", 30*time.Second)
}
