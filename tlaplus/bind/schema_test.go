package bind

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

// The schema has the keys of a bind file, and those of its parts. The examples fit it, and
// faults do not.
func TestSchema(t *testing.T) {
	s, err := jsonschema.NewCompiler().Compile("../../docs/schema/bind.json")
	if err != nil {
		t.Fatal(err)
	}
	keys := func(of *jsonschema.Schema) (names []string) {
		for name := range of.Properties {
			names = append(names, name)
		}
		return names
	}
	action := s.Properties["actions"].AdditionalProperties.(*jsonschema.Schema).OneOf[1]
	for what, pair := range map[string][2][]string{
		"the file": {keys(s), fileKeys}, "an action": {keys(action), actionKeys},
		"silent": {keys(s.Properties["silent"]), silentKeys}, "order": {keys(s.Properties["order"]), orderKeys},
	} {
		got, want := slices.Sorted(slices.Values(pair[0])), slices.Sorted(slices.Values(pair[1]))
		if !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %v, a bind file %v", what, got, want)
		}
	}
	files, err := filepath.Glob("../../examples/bind/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples: ", err)
	}
	for _, name := range append(files, "../../testdata/tracespecs/lock.yaml") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(document(t, string(text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		named := regexp.MustCompile(`(?m)^# yaml-language-server: \$schema=(\S+)$`).FindSubmatch(text)
		if named == nil {
			if strings.Contains(name, "examples") {
				t.Errorf("%s names no schema for editors", name)
			}
		} else if _, err := os.Stat(filepath.Join(filepath.Dir(name), string(named[1]))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{
		"event: e.event", "module: M.tla\nevents: e.event", "module: M.tla\norder: {clock: e.vc}", "module: M.tla\nsilent: {depth: 0}",
		"module: M.tla\nactions: {a: {where: x = 1}}", "module: M.tla\nsets: e.x", "module: M.tla\npreset: other",
	} {
		if s.Validate(document(t, text)) == nil {
			t.Errorf("%s: the schema allows it", strings.ReplaceAll(text, "\n", "; "))
		}
	}
}

// document is a bind file as JSON has it: with texts as keys.
func document(t *testing.T, text string) any {
	t.Helper()
	var v map[string]any
	if err := yaml.Load([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
