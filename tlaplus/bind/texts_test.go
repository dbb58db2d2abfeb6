package bind_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/internal/generate"
	"tracecheck/specs"
	"tracecheck/tlaplus/bind"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// text is a module whose text and Go specification are to agree.
type text struct {
	spec, module string
	folder       string            // of the module, in the TLA+ material
	constants    map[string]any    // that the text needs, where a trace does not give them
	apart        map[string]bool   // rules that the text does not have as they are meant
	states       int               // the bound on them; 0: as usual
	most         int               // the bound for recordings, likewise
	quick        bool              // batched steps are soon explained: there are more traces of them
	named        map[string]string // what the text calls a rule
	not          map[string]string // cases that the text does not judge as the Go specification does: why
}

var kcpStorage = text{
	spec: "kcpstorage", module: "kcpStorage", folder: "kcpstorage", quick: true,
	constants: map[string]any{"clusters": []string{"c1", "c2", "c3", "c4", "c7", "c8", "c9"}},
	apart:     map[string]bool{"Inv_NSAtMostOneCluster": true, "Inv_PVCAtMostOneCluster": true}, // of a set of one boolean: always TRUE
	not: map[string]string{
		"batched_removals_apart": "two PVCs of one namespace: the text has one",
		"pvc_one":                "two PVCs of one namespace: the text has one",
	},
}

var updateCluster = text{
	spec: "updatecluster", module: "UpdateCluster", folder: "updatecluster", quick: true,
	not: map[string]string{
		"batched_queue_first_after": "a bind file sees the lines of a step without their order: who is queued is open for those before the first that says it",
	},
}

var swarmKit = text{
	spec: "swarmkit", module: "SwarmKit", folder: "swarmkit",
	apart:  map[string]bool{"actor": true}, // bind files do not check it
	named:  map[string]string{"StepTransitionsOK": "TransitionsOK"},
	states: 4000, // where no step is found, a batched search goes through all that there are
	most:   500_000,
	not:    map[string]string{},
}

var portAllocator = text{
	spec: "portallocator", module: "PortAllocator", folder: "portallocator",
	states: 4000,
	not: map[string]string{
		"allocated_first_by_delete":     "a bind file has no object in present that is ever deleted, not even by its first line",
		"idempotent_batched_one_action": "one action explains the step, and breaks AllocateIdempotent; by TLC, so do two, and break nothing: then the text is not broken",
		"type_mended_in_the_step":       "the text has the state after the step, and not what its first line shows",
		"type_number":                   "a fraction is cut off, as by TLC's module Json",
	},
}

var workerImpl = text{
	spec: "workerimpl", module: "WorkerImpl", folder: "swarmkit",
	apart:  map[string]bool{"actor": true}, // bind files do not check it
	states: 4000,
	not:    map[string]string{},
}

var texts = []text{kcpStorage, updateCluster, portAllocator, swarmKit, workerImpl}

// load is the bind file of examples/bind, with the text beside it.
func (x text) load(t *testing.T, o bind.Options) *bind.Bind {
	t.Helper()
	material := os.Getenv("TRACECHECK_TLA")
	if material == "" {
		t.Skip("TRACECHECK_TLA does not name the folder of the TLA+ material")
	}
	dir := t.TempDir()
	for _, pattern := range []string{"../../examples/bind/" + x.spec + ".*", filepath.Join(material, "seeds", x.folder, "*.tla")} {
		list, err := filepath.Glob(pattern)
		if err != nil || len(list) == 0 {
			t.Fatalf("no %s (%v)", pattern, err)
		}
		for _, name := range list {
			data, err := os.ReadFile(name)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	b, err := bind.Load(filepath.Join(dir, x.spec+".yaml"), o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// both are the results of the text and of the Go specification.
func (x text) both(t *testing.T, b *bind.Bind, lines []string) (text, code *validators.Result) {
	t.Helper()
	o := validators.Options{Specs: []*validators.Spec{b.Spec}, KeepGoing: true}
	return validatorstest.Judge(t, o, lines...), x.byCode(t, lines)
}

func (x text) byCode(t *testing.T, lines []string) *validators.Result {
	t.Helper()
	return validatorstest.Judge(t, validators.Options{Specs: specs.All(), Select: []string{x.spec}, KeepGoing: true}, lines...)
}

// compare judges by both. The text of WorkerImpl knows the worker before a line names it,
// and assumes that it is a node, as is the one of each task that is asked for.
func (x text) compare(t *testing.T, b *bind.Bind, lines []string) {
	t.Helper()
	text, code := x.both(t, b, lines)
	if x.spec == workerImpl.spec {
		mine, its := first(text, nil), first(code, x.apart)
		named := 1 + slices.IndexFunc(lines, func(l string) bool { return kindOf(l) == "container" })
		// The Go judges earlier steps when a line names the worker: not of one that a snapshot
		// names, and not if the stream has ended at another step.
		late := named > 0 && strings.Contains(lines[named-1], `"op":"snapshot"`) || 0 < its.line && its.line < named
		early := mine.line > 0 && mine.line < named && (mine.line != its.line && late || its.has("claim "))
		if early || mine.line == 0 && strings.Contains(text.Reason, "WorkerSpec.tla:21:12: ") && strings.Contains(text.Reason, "is not in the domain of the function") {
			t.Logf("text: %s %s, Go: %s, and line %d names the worker", mine, text.Reason, its, named)
			return
		}
	}
	x.agree(t, lines, text, code)
}

// agree compares the first violating lines, and their rules where both have these. Where
// a value is outside its type, the text may end with an error, as TLC does.
func (x text) agree(t *testing.T, lines []string, text, code *validators.Result) {
	t.Helper()
	mine, its := first(text, nil), first(code, x.apart)
	switch {
	case strings.HasPrefix(text.Reason, "no step") && its.line == 0 && code.Verdict != validators.Conforming: // a rule that is apart is not the text's
	case text.Verdict == validators.Unusable && mine.line == 0:
		at := 0
		_, err := fmt.Sscanf(text.Reason, "line %d:", &at)
		switch {
		case at != its.line && (at < its.line || its.line == 0 || !strings.Contains(lines[its.line-1], `"op":"snapshot"`)): // of snapshots, the next step has the error
			t.Errorf("text: unusable: %s, Go: %s", text.Reason, its)
		case strings.Contains(text.Reason, "--max-states"), strings.Contains(text.Reason, "the bound on the work of the evaluation"):
			t.Logf("text: %s, Go: %s", text.Reason, its)
		case err == nil && its.has("type "):
		case err == nil && strings.Contains(text.Reason, "The first argument of Assert evaluated to FALSE"):
		default:
			t.Errorf("text: unusable: %s, Go: %s", text.Reason, its)
		}
	case mine.line != its.line:
		t.Errorf("text: %s, Go: %s", mine, its)
	default:
		for _, rule := range its.rules {
			_, name, _ := strings.Cut(rule, " ")
			name = cmp.Or(x.named[name], name)
			if !strings.HasPrefix(rule, "type ") && !slices.ContainsFunc(mine.rules, func(r string) bool { return strings.HasSuffix(r, " "+name) }) {
				t.Errorf("text: %s, Go: %s", mine, its)
			}
		}
	}
}

// found is the first violating line of a result, with its rules.
type found struct {
	line  int // 0: there is none
	rules []string
}

func (f found) String() string { return fmt.Sprintf("line %d %v", f.line, f.rules) }

func (f found) has(prefix string) bool {
	return slices.ContainsFunc(f.rules, func(r string) bool { return strings.HasPrefix(r, prefix) })
}

// first leaves out some rules.
func first(r *validators.Result, not map[string]bool) (f found) {
	for i := range r.Violations {
		if v := &r.Violations[i]; !not[v.Rule] && (f.line == 0 || v.LastLine == f.line) {
			f.line = v.LastLine
			f.rules = append(f.rules, string(v.Kind)+" "+v.Rule)
		}
	}
	return f
}

// constants adds what the text needs to the meta line, which is the first.
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

func TestTextsAgreeOnCases(t *testing.T) {
	t.Parallel()
	for _, x := range texts {
		t.Run(x.spec, func(t *testing.T) { x.cases(t) })
	}
}

// TestTextsAgreeOnGenerated: the text and the Go specification agree on traces that
// conform, on traces that break a rule, and on those with a line changed.
func TestTextsAgreeOnGenerated(t *testing.T) {
	t.Parallel()
	for _, x := range texts {
		t.Run(x.spec, func(t *testing.T) {
			b := x.load(t, bind.Options{MaxStates: x.states})
			seeds, batched := exhaustive.Or(uint64(5), 100), exhaustive.Or(uint64(2), 10) // batched steps are searched for
			if x.quick {
				seeds, batched = exhaustive.Or(uint64(20), 100), exhaustive.Or(uint64(20), 100)
			}
			for seed := range seeds {
				batches := []int{0}
				if seed < batched {
					batches = append(batches, 2)
				}
				for _, batch := range batches {
					for _, claims := range []bool{true, false} {
						t.Run(fmt.Sprintf("%d-%d-%v", seed, batch, claims), func(t *testing.T) { x.generated(t, b, seed, batch, claims) })
					}
				}
			}
		})
	}
}

func (x text) generated(t *testing.T, b *bind.Bind, seed uint64, batch int, claims bool) {
	var out bytes.Buffer
	o := generate.Options{Specs: []string{x.spec}, Events: 60, Seed: seed, Streams: 1, Objects: 4, Batch: batch, NoClaims: !claims,
		Start: time.Unix(0, 0), Interval: time.Second, Snapshot: seed%2 == 1}
	if _, err := generate.Run(t.Context(), o, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(seq.ReplaceAllString(out.String(), "")), "\n") // numbers would say what is missing
	rng := rand.New(rand.NewPCG(seed, 1))
	for n := range 6 {
		mutant := withConstants(t, lines, x.constants)
		if n > 0 {
			mutate(rng, mutant)
		}
		for _, part := range x.parts(t, mutant) {
			if x.compare(t, b, part); t.Failed() {
				t.Fatalf("mutant %d:\n%s", n, strings.Join(slices.DeleteFunc(slices.Clone(part), func(l string) bool { return l == "" }), "\n"))
			}
		}
	}
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

func (x text) cases(t *testing.T) {
	b := x.load(t, bind.Options{MaxStates: x.states})
	validatorstest.EachCase(t, "../../specs", func(path string, lines []string, opts validators.Options) {
		if !strings.Contains(path, "/"+x.spec+"/") || opts.Attach || opts.Deadline > 0 || slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, `"profile":"moby"`) }) {
			return
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			lines = withConstants(t, lines, x.constants)
			if slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, `"profile":"moby"`) }) {
				return // the text has no allowances
			}
			if x.not[t.Name()[strings.LastIndex(t.Name(), "/")+1:]] != "" {
				return
			}
			for _, lines := range x.parts(t, lines) {
				x.compare(t, b, lines)
			}
		})
	})
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
