package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"tracecheck/report"
	"tracecheck/specs"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("../../docs/schema/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fits(t *testing.T, s *jsonschema.Schema, name string, value any) {
	t.Helper()
	if err := s.Validate(value); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// Recordings and rules fit their schemas, and a misspelt word does not.
func TestSchemas(t *testing.T) {
	lines := schema(t, "trace")
	traces, err := filepath.Glob("../../testdata/traces/*.jsonl*")
	if err != nil || len(traces) == 0 {
		t.Fatal("no traces: ", err)
	}
	for _, path := range traces {
		for i, line := range bytes.Split(bytes.TrimSpace(validatorstest.ReadTrace(t, path)), []byte("\n")) {
			if i%10 > 0 && i > 200 { // a share of long recordings
				continue
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
			if err != nil {
				t.Fatal(err)
			}
			fits(t, lines, path, value)
		}
	}
	rules := schema(t, "rules")
	for _, pattern := range []string{"../../testdata/map/*/rules.yaml", "../../ingest/mapping/ready/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal("no rules: ", err)
		}
		for _, path := range files {
			fits(t, rules, path, yamlOf(t, path))
		}
	}
	for text, s := range map[string]*jsonschema.Schema{
		`{"kind":"task","op":"snapshoot","id":"t"}`:                      lines,
		`{"kind":"task","op":"update","id":"t","object":{"state":"up"}}`: lines,
		`{"kind":"meta","object":{"steps":"both"}}`:                      lines,
		`{"rules":[{"ignores":true}]}`:                                   rules,
		`{"rules":[{"id":{"path":"a","text":"b"}}]}`:                     rules,
		`{"rules":[{"when":{"not":[]}}]}`:                                rules,
		`{"verdict":"conforming"}`:                                       schema(t, "result"),
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if s.Validate(value) == nil {
			t.Errorf("%s fits", text)
		}
	}
}

func yamlOf(t *testing.T, path string) any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := yaml.Load(data, &value); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if named := modeline.FindSubmatch(data); named == nil {
		t.Errorf("%s names no schema for editors", path)
	} else if _, err := os.Stat(filepath.Join(filepath.Dir(path), string(named[1]))); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return textKeys(value)
}

// modeline tells an editor which schema a file of YAML has.
var modeline = regexp.MustCompile(`(?m)^# yaml-language-server: \$schema=(\S+)$`)

// textKeys makes text of keys that YAML reads as null or a number: JSON has no others.
func textKeys(value any) any {
	switch v := value.(type) {
	case map[any]any:
		texts := map[string]any{}
		for key, member := range v {
			texts[fmt.Sprint(key)] = textKeys(member)
		}
		return texts
	case map[string]any:
		for key, member := range v {
			v[key] = textKeys(member)
		}
	case []any:
		for i, item := range v {
			v[i] = textKeys(item)
		}
	}
	return value
}

// The schema of the monitor's configuration has its keys, and no others.
func TestMonitorSchema(t *testing.T) {
	s := schema(t, "monitor")
	var keys []string
	for _, f := range NewFlags(specs.All()).List {
		if name := f.Names()[0]; !slices.Contains(LineOnly, name) {
			keys = append(keys, name)
			if s.Properties[name] == nil {
				t.Errorf("no key %s", name)
			}
		}
	}
	for name := range s.Properties {
		if !slices.Contains(keys, name) {
			t.Errorf("the monitor has no key %s", name)
		}
	}
	fits(t, s, "deploy/monitor.yaml", yamlOf(t, "../../deploy/monitor.yaml"))
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases: ", err)
	}
	for _, path := range cases {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name == "printed" {
				var value any
				if err := yaml.Load(f.Data, &value); err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				fits(t, s, path, textKeys(value))
			}
		}
	}
}

// The schema of the result has the fields of the Go type, at each depth, and what
// is printed of a trace with violations fits.
func TestResultSchema(t *testing.T) {
	s := schema(t, "result")
	sameFields(t, "result", s, reflect.TypeFor[validators.Result]())
	for _, c := range []struct {
		trace string
		opts  validators.Options
	}{
		{"scale", validators.Options{Select: []string{"swarmkit"}, Profile: validators.ProfileSpec, KeepGoing: true}},
		{"scale", validators.Options{Select: []string{"swarmkit"}, Profile: "moby"}},
		{"mixed", validators.Options{Deadline: time.Second}},
	} {
		c.opts.Specs = specs.All()
		runner, err := validators.NewRunner(c.opts)
		if err != nil {
			t.Fatal(err)
		}
		text := validatorstest.ReadTrace(t, "../../testdata/traces/"+c.trace+".jsonl")
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if err := validatorstest.Source(t, lines)(t.Context(), runner.Push); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := report.JSON(&out, runner.Finish()); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(&out)
		if err != nil {
			t.Fatalf("%s: %v", c.trace, err)
		}
		fits(t, s, c.trace, value)
	}
}

func sameFields(t *testing.T, at string, s *jsonschema.Schema, typ reflect.Type) {
	t.Helper()
	for s.Ref != nil {
		s = s.Ref
	}
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if items, is := s.Items2020, typ.Kind() == reflect.Slice; items != nil && is {
		sameFields(t, at, items, typ.Elem())
		return
	}
	if typ.Kind() != reflect.Struct {
		return
	}
	fields := map[string]bool{}
	for _, f := range reflect.VisibleFields(typ) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" {
			continue
		}
		if fields[name] = true; s.Properties[name] == nil {
			t.Errorf("%s has no %s", at, name)
			continue
		}
		sameFields(t, at+"."+name, s.Properties[name], f.Type)
	}
	for name := range s.Properties {
		if !fields[name] {
			t.Errorf("%s.%s is in the schema only", at, name)
		}
	}
}
