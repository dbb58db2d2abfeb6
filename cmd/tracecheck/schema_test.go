package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

// The package jsonschema takes some milliseconds at each start: the scripts of cmd/command
// start the program a thousand times.
func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"tracecheck": main}) }

// What the program prints fits the schemas of docs/schema, line by line.
func TestOutputsFitSchemas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, args string }{
		{"result", "validate -o json ../command/testdata/traces/legal.jsonl"},
		{"result", "validate -o json -k --deadline 1s --spec swarmkit --profile spec ../../testdata/traces/scale.jsonl"},
		{"result", "validate -o json --bind ../../testdata/tracespecs/lock.yaml ../../testdata/tracespecs/lock-overtaken.ndjson"},
		{"result", "validate -o json --module ../../testdata/tracespecs/LockTrace.tla ../../testdata/tracespecs/lock-overtaken.ndjson"},
		{"result", "validate -o json --map docker-events --attach ../../testdata/map/docker-events/events.log"},
		{"result", "validate -o json ../command/testdata/script/map.txtar"}, // unusable
		{"trace", "map -o jsonl k8s-audit ../../testdata/map/k8s-audit/audit.log"},
		{"trace", "generate --spec swarmkit,portallocator,updatecluster,kcpstorage --events 300 --steps batched"},
		{"trace", "slice ../../testdata/traces/jobbug.jsonl.gz"},
		{"trace", "shrink ../../testdata/traces/jobbug.jsonl.gz"},
		{"trace", "anonymize ../../testdata/traces/jobbug.jsonl.gz"},
		{"trace", "state -o jsonl ../../testdata/traces/scale.jsonl"},
		{"rules", "map --show docker-events"},
		{"rules", "map --show dockerd-log"},
	} {
		schema, err := jsonschema.NewCompiler().Compile("../../docs/schema/" + c.schema + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		cmd := exec.Command("tracecheck", strings.Fields(c.args)...)
		cmd.Stderr = &stderr
		text, _ := cmd.Output() // a violation has its own status
		if c.schema == "rules" {
			var value any
			if err := yaml.Load(text, &value); err != nil {
				t.Errorf("%s: %v", c.args, err)
			}
			if text, err = json.Marshal(value); err != nil {
				t.Errorf("%s: %v", c.args, err)
			}
		}
		lines := 0
		for line := range bytes.Lines(text) {
			lines++
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
			if err == nil {
				err = schema.Validate(value)
			}
			if err != nil {
				t.Errorf("%s: %v\n%s", c.args, err, line)
				break
			}
		}
		if lines == 0 {
			t.Errorf("%s prints nothing: %s", c.args, stderr.String())
		}
	}
}
