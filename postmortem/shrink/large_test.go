package shrink_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/postmortem/shrink"
	"tracecheck/specs"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

const (
	slots    = 1000
	perOne   = 10 // slots of a service
	nodes    = 10
	inSwarms = 2 // streams
)

// lifetime are a task's steps after its creation; "replace" creates the next
// task of its slot.
var lifetime = []string{
	`{"state":"pending"}`, `{"state":"assigned","node":"n%d"}`, `{"state":"accepted"}`, `{"state":"preparing"}`,
	`{"state":"ready"}`, `{"state":"starting"}`, `{"state":"running"}`, `{"state":"failed"}`,
	"replace", `{"desired_state":"remove"}`, "delete",
}

// writeSwarms writes a trace of at least so many lines, of streams that are as
// SwarmKit has them, but for one line about halfway: that of the change
// lifetime[7], which is replaced by the one given.
func writeSwarms(t *testing.T, path string, lines int, broken string) (written int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	clock := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	seq := [inSwarms]int{}
	line := func(stream int, format string, args ...any) {
		written++
		seq[stream]++
		clock = clock.Add(time.Millisecond)
		fmt.Fprintf(w, `{"stream":"s%d","seq":%d,"time":%q,"tx":%d,%s}`+"\n", stream, seq[stream], clock.Format(time.RFC3339Nano), seq[stream], fmt.Sprintf(format, args...))
	}
	create := func(stream, slot, life int) {
		line(stream, `"kind":"task","op":"create","id":"t%d-%d","object":{"service":"web%d","slot":%d,"node":"","state":"new","desired_state":"running","image":"web:1"}`,
			slot, life, slot/perOne, 1+slot%perOne)
	}
	for s := range inSwarms {
		written++
		fmt.Fprintf(w, `{"stream":"s%d","kind":"meta","object":{"format":1,"spec":["swarmkit"],"constants":{"max_terminated":0}}}`+"\n", s)
		for n := range nodes {
			line(s, `"kind":"node","op":"create","id":"n%d","object":{"state":"up"}`, n)
		}
		for k := range slots / perOne {
			line(s, `"kind":"service","op":"create","id":"web%d","object":{"replicas":%d,"remove":false}`, k, perOne)
		}
		for slot := range slots {
			create(s, slot, 0)
		}
	}
	for life := 0; written < lines; life++ {
		for at, change := range lifetime {
			for slot := range slots {
				for s := range inSwarms {
					id := fmt.Sprintf("t%d-%d", slot, life)
					switch {
					case s == 1 && at == 7 && broken != "" && written > lines/2:
						line(s, broken, id)
						broken = ""
					case change == "replace":
						create(s, slot, life+1)
					case change == "delete":
						line(s, `"kind":"task","op":"delete","id":%q`, id)
					case at == 1:
						line(s, `"kind":"task","op":"update","id":%q,"object":`+change, id, slot%nodes)
					default:
						line(s, `"kind":"task","op":"update","id":%q,"object":%s`, id, change)
					}
				}
			}
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return written
}

// One violation in the middle of a long trace comes down to a handful of lines:
// the meta line, the objects that the rule is about, and the step.
func TestLongTraces(t *testing.T) {
	lines := exhaustive.Or(4_000, 1_000_000)
	for _, c := range []struct {
		name, broken, rule string
		most               int // lines: the meta line, the objects that the rule and its nearest action need, the step
		opts               validators.Options
	}{
		{"a step that no action takes", `"kind":"task","op":"update","id":%q,"object":{"state":"ready"}`, "Next", 5, validators.Options{}},
		{"a claim", `"kind":"task","op":"update","id":%q,"object":{"state":"failed"},"action":"RejectTask"`, "action", 5, validators.Options{}},
		{"a service goes with its tasks there", `"kind":"service","op":"delete","id":"web7","note":%q`, "Next", 5, validators.Options{}},
		{"a task too many", `"kind":"task","op":"create","id":"%s-b","object":{"service":"web1","slot":11,"node":"","state":"new","desired_state":"running"}`, "Next", 23, validators.Options{}},
		{"a value of no type", `"kind":"task","op":"update","id":%q,"object":{"state":"gone"}`, "TypeOK", 3, validators.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "swarms.jsonl")
			n := writeSwarms(t, path, lines, c.broken)
			source := fileOf(path)
			found := judge(t, source, c.opts).Violations
			i := slices.IndexFunc(found, func(v validators.Violation) bool { return v.Rule == c.rule })
			if i < 0 || found[i].Stream != "s1" || found[i].Line < n/3 {
				t.Fatalf("found %+v", found)
			}
			c.opts.Specs = specs.All()
			for _, slice := range []bool{true, false} {
				began := time.Now()
				result, err := shrink.Of(t.Context(), source, &found[i], shrink.Options{Judge: c.opts, Slice: slice})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("slice %v: %d of %d lines in %s, %d shorter traces judged", slice, len(result.Lines), n, time.Since(began).Round(time.Millisecond), result.Runs)
				text := strings.Join(result.Lines, "\n")
				most := c.most
				if !slice {
					most = min(most, 5) // numbers are made smaller, too
				}
				if len(result.Lines) > most {
					t.Errorf("slice %v: %d lines, want at most %d:\n%s", slice, len(result.Lines), most, text)
				}
				if again := judge(t, validatorstest.Source(t, result.Lines), keepOf(c.opts)); same(&found[i], again.Violations) == nil {
					t.Errorf("slice %v: %s %+v, from\n%s", slice, again.Verdict, again.Violations, text)
				}
			}
		})
	}
}
