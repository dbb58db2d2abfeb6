package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tracecheck/ingest/mapping"
	"tracecheck/internal/exhaustive"
)

// identity maps a trace to itself.
const identity = `
defaults:
  stream: {path: stream, optional: true}
  seq: {path: seq, optional: true}
  time: {path: time, optional: true}
  tx: {path: tx, optional: true}
  kind: "{kind}"
  op: {path: op, optional: true}
  id: {path: id, optional: true}
  actor: {path: actor, optional: true}
  action: {path: action, optional: true}
rules:
  - object: {path: object, optional: true}
`

// result runs validate and returns its JSON, without the members that drop
// names.
func result(t *testing.T, stdin string, drop func(string) bool, args ...string) any {
	t.Helper()
	status, stdout, stderr := tryRun(t.Context(), strings.NewReader(stdin), append([]string{"validate", "-o", "json"}, args...)...)
	if status != 0 && status != 1 && status != 3 {
		t.Fatalf("%v: exit status %d: %s", args, status, stderr)
	}
	var v any
	if err := json.Unmarshal([]byte(stdout), &v); err != nil {
		t.Fatalf("%v: %v in %s", args, err, stdout)
	}
	if drop != nil {
		v = without(v, drop)
	}
	return v
}

func without(v any, drop func(string) bool) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			if v[name] = without(v[name], drop); drop(name) {
				delete(v, name)
			}
		}
	case []any:
		for i := range v {
			v[i] = without(v[i], drop)
		}
	}
	return v
}

// withoutIDs takes the violations' ids, which follow from their places, out of a
// result. No two of them are alike.
func withoutIDs(t *testing.T, result any) any {
	t.Helper()
	seen := map[any]bool{}
	for _, v := range result.(map[string]any)["violations"].([]any) {
		v := v.(map[string]any)
		id, ok := v["id"].(string)
		if !ok || id == "" || seen[id] {
			t.Errorf("violation %v has the id %q, which it has not alone", v, id)
		}
		seen[id] = true
		delete(v, "id")
	}
	return result
}

// isPlace: a line's place in the log is not that of its events in a trace.
// Histories are kept for files only, and the trace has no lines left out.
func isPlace(name string) bool {
	return strings.HasSuffix(name, "file") || strings.HasSuffix(name, "line") || name == "history" || name == "unmapped"
}

// Traces are logs, too: mapped to themselves they get the same result, violations
// with their events, history and places, and write the same trace.
func TestMapIdentity(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "identity.yaml")
	if err := os.WriteFile(rules, []byte(identity), 0o666); err != nil {
		t.Fatal(err)
	}
	traces, err := filepath.Glob("../../testdata/traces/*.jsonl*")
	if err != nil || len(traces) < 10 {
		t.Fatalf("%d traces: %v", len(traces), err)
	}
	violations := 0
	for i, file := range append(traces, "testdata/traces/skip.jsonl", "testdata/traces/truncated.jsonl") {
		if !exhaustive.Asked() && i%5 != 0 {
			continue
		}
		for _, profile := range []string{"spec", "moby"} {
			native := result(t, "", nil, "-k", "--profile", profile, file)
			if got := result(t, "", nil, "-k", "--profile", profile, "--map", rules, file); !reflect.DeepEqual(got, native) {
				t.Errorf("%s, %s: mapped %v, native %v", file, profile, got, native)
			}
			violations += len(native.(map[string]any)["violations"].([]any))
		}
	}
	if violations < 100 {
		t.Errorf("only %d violations are compared", violations)
	}
}

// What map writes is judged as validate --map judges the log.
func TestMapAndValidate(t *testing.T) {
	logs, err := filepath.Glob("../../testdata/map/*/*.log")
	if err != nil || len(logs) != 7 {
		t.Fatalf("logs %v: %v", logs, err)
	}
	verdicts := map[any]int{}
	for _, log := range logs {
		rules, begun := filepath.Join(filepath.Dir(log), "rules.yaml"), []string{"-k"}
		if strings.Contains(log, "docker") {
			begun = append(begun, "--attach")
		}
		if _, err := os.Stat(rules); err != nil { // they are in the program
			rules = filepath.Base(filepath.Dir(log))
		}
		status, trace, stderr := tryRun(t.Context(), nil, "map", "-o", "jsonl", rules, log)
		if status != 0 {
			t.Fatalf("%s: exit status %d: %s", log, status, stderr)
		}
		native := withoutIDs(t, result(t, trace, isPlace, append(begun, "-")...))
		if got := withoutIDs(t, result(t, "", isPlace, append(begun, "--map", rules, log)...)); !reflect.DeepEqual(got, native) {
			t.Errorf("%s: mapped %v, native %v", log, got, native)
		}
		verdicts[native.(map[string]any)["verdict"]]++
	}
	if verdicts["conforming"] != 5 || verdicts["violation"] != 2 {
		t.Errorf("verdicts %v, want 5 conforming and 2 violations", verdicts)
	}
}

// The rules in the help are rules.
func TestRulesExample(t *testing.T) {
	if _, err := mapping.Parse("help", []byte(rulesExample)); err != nil {
		t.Error(err)
	}
}
