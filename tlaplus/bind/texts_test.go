package bind_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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
		"liveness_moved":         "a PVC changes its namespace: the text has one",
		"pvc_moves":              "a PVC changes its namespace: the text has one",
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
	return x.byText(t, b, lines), x.byCode(t, lines)
}

func (x text) byText(t *testing.T, b *bind.Bind, lines []string) *validators.Result {
	t.Helper()
	return validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}, KeepGoing: true}, lines...)
}

func (x text) byCode(t *testing.T, lines []string) *validators.Result {
	t.Helper()
	return validatorstest.Judge(t, validators.Options{Specs: specs.All(), Select: []string{x.spec}, KeepGoing: true}, lines...)
}

// compare judges by both, and returns how they differ; "": they agree. The text of WorkerImpl
// knows the worker before a line names it, and assumes that it is a node, as is the one of
// each task that is asked for.
func (x text) compare(t *testing.T, b *bind.Bind, lines []string) string {
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
			return ""
		}
	}
	return x.agree(t, lines, text, code)
}

// together returns how the Go judges the whole trace otherwise than the text judges its parts.
func (x text) together(t *testing.T, b *bind.Bind, lines []string) string {
	t.Helper()
	least := 0
	for _, part := range x.parts(t, lines) {
		text := x.byText(t, b, part)
		if at := cmp.Or(first(text, nil).line, errorAt(text)); least == 0 || 0 < at && at < least {
			least = at
		}
	}
	if its := first(x.byCode(t, lines), x.apart); its.line != least {
		return fmt.Sprintf("text: line %d of the parts, Go: %s", least, its)
	}
	return ""
}

// errorAt is the line of an error of the evaluation; 0: there is none.
func errorAt(r *validators.Result) (line int) {
	_, _ = fmt.Sscanf(r.Reason, "line %d:", &line) // other reasons have no line
	return line
}

// agree compares the first violating lines, and their rules where both have these. Where
// a value is outside its type, the text may end with an error, as TLC does.
func (x text) agree(t *testing.T, lines []string, text, code *validators.Result) (differ string) {
	t.Helper()
	mine, its := first(text, nil), first(code, x.apart)
	if strings.HasPrefix(text.Reason, "no step") && its.line == 0 && code.Verdict != validators.Conforming { // a rule that is apart is not the text's
		return ""
	}
	if text.Verdict == validators.Unusable && mine.line == 0 {
		at := errorAt(text)
		// The next step has the error of snapshots.
		there := its.line > 0 && (at == its.line || at > its.line && strings.Contains(lines[its.line-1], `"op":"snapshot"`))
		switch {
		case there && (strings.Contains(text.Reason, "--max-states") || strings.Contains(text.Reason, "the bound on the work of the evaluation")):
			t.Logf("text: %s, Go: %s", text.Reason, its)
			return ""
		case there && (its.has("type ") || strings.Contains(text.Reason, "The first argument of Assert evaluated to FALSE")):
			return ""
		}
		return fmt.Sprintf("text: unusable: %s, Go: %s", text.Reason, its)
	}
	if mine.line != its.line {
		return fmt.Sprintf("text: %s, Go: %s", mine, its)
	}
	for _, rule := range its.rules {
		_, name, _ := strings.Cut(rule, " ")
		name = cmp.Or(x.named[name], name)
		if !strings.HasPrefix(rule, "type ") && !slices.ContainsFunc(mine.rules, func(r string) bool { return strings.HasSuffix(r, " "+name) }) {
			return fmt.Sprintf("text: %s, Go: %s", mine, its)
		}
	}
	return ""
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
			if differ := x.compare(t, b, part); differ != "" {
				t.Fatalf("mutant %d: %s\n%s", n, differ, strings.Join(slices.DeleteFunc(slices.Clone(part), func(l string) bool { return l == "" }), "\n"))
			}
		}
	}
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
			all := ""
			for _, part := range x.parts(t, lines) {
				all = cmp.Or(all, x.compare(t, b, part))
			}
			if x.spec == kcpStorage.spec {
				all = cmp.Or(all, x.together(t, b, lines))
			}
			if why := x.not[t.Name()[strings.LastIndex(t.Name(), "/")+1:]]; (why != "") != (all != "") {
				t.Errorf("%q, expected to differ: %q", all, why)
			}
		})
	})
}
