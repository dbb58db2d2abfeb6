package bind_test

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the tests of texts make of a trace's lines.

// withConstants adds what the text needs to the meta line, which is the first.
func withConstants(t *testing.T, lines []string, add map[string]any) []string {
	t.Helper()
	meta := map[string]any{"kind": "meta"}
	object := map[string]any{}
	lines = slices.Clone(lines)
	at := slices.IndexFunc(lines, func(l string) bool { return l != "" })
	if strings.Contains(lines[at], `"kind":"meta"`) {
		if err := json.Unmarshal([]byte(lines[at]), &meta); err != nil {
			t.Fatal(err)
		}
		object, _ = meta["object"].(map[string]any)
	} else {
		at-- // a case begins with comments
	}
	constants, _ := object["constants"].(map[string]any)
	if constants == nil {
		constants = map[string]any{}
	}
	for name, v := range add {
		if constants[name] == nil {
			constants[name] = v
		}
	}
	object["constants"] = constants
	meta["object"] = object
	data, err := json.Marshal(meta)
	if err != nil {
		t.Fatal(err)
	}
	lines[at] = string(data)
	return lines
}

// mutate changes a line: it leaves it out, has it twice, or gives it the fields of another
// one of its kind. The meta line stays.
func mutate(rng *rand.Rand, lines []string) {
	at, other := 1+rng.IntN(len(lines)-1), 1+rng.IntN(len(lines)-1)
	switch rng.IntN(3) {
	case 0:
		lines[at] = ""
	case 1:
		lines[at], lines[other] = lines[other], lines[at]
	case 2:
		from, _, has := strings.Cut(lines[at], `"object":`)
		if _, object, ok := strings.Cut(lines[other], `"object":`); has && ok && kindOf(lines[at]) == kindOf(lines[other]) {
			lines[at] = from + `"object":` + object
		}
	}
}

var seq = regexp.MustCompile(`"seq":[0-9]+,`)

func kindOf(line string) string {
	_, kind, _ := strings.Cut(line, `"kind":"`)
	kind, _, _ = strings.Cut(kind, `"`)
	return kind
}

// parts are the lines of each of the module's instances: of a namespace, with one of its
// PVCs.
func (x text) parts(t *testing.T, lines []string) [][]string {
	if x.spec == "workerimpl" {
		return workers(t, lines)
	} else if x.spec != "kcpstorage" {
		return [][]string{lines}
	}
	in, pvc := make([]string, len(lines)), make([]string, len(lines)) // of each line
	of := map[string]string{}
	var all []string
	for i, line := range lines {
		var ev struct {
			Kind, ID string
			Object   struct{ Namespace any }
		}
		if line == "" {
			continue
		}
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatal(err)
		}
		key := ev.Kind + " " + ev.ID
		name, given := ev.Object.Namespace.(string)
		switch {
		case ev.Kind != "namespace" && ev.Kind != "pvc" && ev.Kind != "syncer":
			continue
		case ev.Kind == "namespace":
			name = ev.ID
		case !given && of[key] != "":
			name = of[key]
		case !given && len(all) > 0:
			name = all[0]
		}
		in[i], of[key] = name, name
		if ev.Kind == "pvc" {
			pvc[i] = ev.ID
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	var parts [][]string
	for _, name := range all {
		pvcs := []string{""}
		for i := range lines {
			if in[i] == name && pvc[i] != "" && !slices.Contains(pvcs, pvc[i]) {
				pvcs = append(pvcs, pvc[i])
			}
		}
		for _, one := range pvcs[min(1, len(pvcs)-1):] {
			part := make([]string, len(lines))
			for i, line := range lines {
				if in[i] == "" || in[i] == name && (pvc[i] == "" || pvc[i] == one) {
					part[i] = line
				}
			}
			parts = append(parts, part)
		}
	}
	return parts
}

// workers are the lines of each worker: without the containers of others, and with its name.
func workers(t *testing.T, lines []string) (parts [][]string) {
	t.Helper()
	in := make([]string, len(lines)) // of each line about a container
	of, all := map[string]string{}, []string{}
	for i, line := range lines {
		var ev struct {
			Kind, ID string
			Object   struct{ Node any }
		}
		if line == "" {
			continue
		}
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatal(err)
		}
		if ev.Kind != "container" {
			continue
		}
		if name, given := ev.Object.Node.(string); given {
			of[ev.ID] = name
		}
		if in[i] = of[ev.ID]; in[i] != "" && !slices.Contains(all, in[i]) {
			all = append(all, in[i])
		}
	}
	for _, name := range all {
		part := withConstants(t, lines, map[string]any{"node": name})
		for i := range part {
			if in[i] != "" && in[i] != name {
				part[i] = ""
			}
		}
		parts = append(parts, part)
	}
	return parts
}
