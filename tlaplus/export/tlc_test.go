package export_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tracecheck/specs"
	"tracecheck/tlaplus/export"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// tlc runs TLC on the lines' module, with the spec's own beside it. It needs
// TRACECHECK_TLA2TOOLS, a tla2tools.jar, and TRACECHECK_TLA_SPECS, a folder with
// the specs' modules.
//
// A value outside its type may be more than TLC can compare: that, too, is no
// acceptance.
func tlc(t *testing.T, source export.Source, opts export.Options, untyped bool) (accepts bool, output string) {
	t.Helper()
	b, err := export.Export(t.Context(), source, opts)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	modules, err := filepath.Glob(filepath.Join(os.Getenv("TRACECHECK_TLA_SPECS"), "*.tla"))
	if err != nil || len(modules) == 0 {
		t.Fatalf("no modules in TRACECHECK_TLA_SPECS (%v)", err)
	}
	for _, m := range modules {
		text, err := os.ReadFile(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(m)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var module, cfg bytes.Buffer
	if err := b.WriteModule(&module, &cfg, "Trace_test"); err != nil {
		t.Fatal(err)
	}
	for ext, text := range map[string][]byte{".tla": module.Bytes(), ".cfg": cfg.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, "Trace_test"+ext), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "java", "-XX:+UseSerialGC", "-Djava.io.tmpdir="+dir, "-cp", os.Getenv("TRACECHECK_TLA2TOOLS"), "tlc2.TLC", "-config", "Trace_test.cfg", "Trace_test.tla")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	output = string(out)
	if ctx.Err() != nil {
		t.Fatalf("TLC takes too long:\n%s\n%s", module.String(), output)
	}
	accepts = err == nil && strings.Contains(output, "No error has been found")
	if untyped && strings.Contains(output, "Error: ") {
		return false, output
	}
	if !accepts && !strings.Contains(output, "is violated") {
		t.Fatalf("TLC neither accepts nor refuses it:\n%s\n%s\n%s", module.String(), cfg.String(), output)
	}
	return accepts, output
}

func needsTLC(t *testing.T) {
	t.Helper()
	if os.Getenv("TRACECHECK_TLA2TOOLS") == "" || os.Getenv("TRACECHECK_TLA_SPECS") == "" {
		t.Skip("needs TRACECHECK_TLA2TOOLS and TRACECHECK_TLA_SPECS")
	}
}

// TLC accepts what tracecheck says conforms, and refuses the others: steps of its
// own graphs, and pairs of states that are none.
func TestTLCAgrees(t *testing.T) {
	needsTLC(t)
	graphs(t, func(t *testing.T, g *validatorstest.Graph) {
		random := rand.New(rand.NewPCG(5, 6))
		for range 3 {
			states := []int{g.Init}
			for range 15 {
				to := random.IntN(len(g.States))
				for range len(g.States) {
					if _, is := g.Edges[states[len(states)-1]][to]; is {
						states = append(states, to)
						break
					}
					to = (to + 1) % len(g.States)
				}
			}
			checkTLC(t, g, states)
			for to := random.IntN(len(g.States)); ; to = random.IntN(len(g.States)) {
				last := states[len(states)-1]
				if _, is := g.Edges[last][to]; !is && to != last {
					checkTLC(t, g, append(states, to))
					break
				}
			}
		}
	})
}

func checkTLC(t *testing.T, g *validatorstest.Graph, states []int) {
	t.Helper()
	lines := walk(g, states...)
	if g.Module == "WorkerImpl" {
		lines = append(lines, `{"kind":"container","op":"reject","id":"s1/1/t1","object":{"node":"n1"}}`)
	}
	result := judgeITF(t, exportWalk(t, g, states...), validators.Options{})
	accepts, output := tlc(t, validatorstest.Source(t, lines), export.Options{Instance: instance(g)}, false)
	if accepts != (result.Verdict == validators.Conforming) {
		t.Errorf("tracecheck says %s %+v, and TLC\n%s", result.Verdict, result.Violations, output)
	}
}

// notTyped are cases of which states do not tell the value that is outside its
// type: that of a refusal, or of what is then inferred.
var notTyped = map[string]bool{
	"type_reject.txt": true, "type_reject_without_spec.txt": true, "type_allocated_snapshot.txt": true,
	"type_queued.txt": true,
}

// TLC and tracecheck are of one mind on the cases that are given by states.
func TestTLCAgreesOnCases(t *testing.T) {
	needsTLC(t)
	paths, err := filepath.Glob("../../specs/*/testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	counts := map[string]int{}
	for _, path := range paths {
		spec := filepath.Base(filepath.Dir(filepath.Dir(path)))
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "# option attach") || strings.Contains(string(raw), "moby") || outsideStates[filepath.Base(path)] || notTyped[filepath.Base(path)] {
			continue
		}
		lines := strings.Split(string(raw), "\n")
		for i := range lines {
			if strings.HasPrefix(lines[i], "#") {
				lines[i] = ""
			}
		}
		opts := export.Options{Spec: spec}
		b, err := export.Export(t.Context(), validatorstest.Source(t, lines), opts)
		if err != nil || b.WriteModule(&bytes.Buffer{}, &bytes.Buffer{}, "T") != nil {
			continue
		}
		r, err := validators.NewRunner(validators.Options{Specs: specs.All(), Select: []string{spec}})
		if err != nil {
			t.Fatal(err)
		}
		if err := validatorstest.Source(t, lines)(t.Context(), func(events []trace.Event) error { return r.Push(events) }); err != nil {
			t.Fatal(err)
		}
		want := r.Finish()
		if onlyLines(want) || want.Verdict == validators.Unusable {
			continue
		}
		t.Run(spec+"/"+filepath.Base(path), func(t *testing.T) {
			untyped := len(want.Violations) > 0 && want.Violations[0].Kind == validators.OfType
			accepts, output := tlc(t, validatorstest.Source(t, lines), opts, untyped)
			counts[spec]++
			if accepts != (want.Verdict == validators.Conforming) {
				t.Errorf("tracecheck says %s %+v, and TLC\n%s", want.Verdict, want.Violations, output)
			}
		})
	}
	t.Log(counts)
}
