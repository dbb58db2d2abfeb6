package export_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/ingest"
	"tracecheck/internal/exhaustive"
	"tracecheck/specs"
	"tracecheck/tlaplus/export"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// judgeITF judges a document as the command does.
func judgeITF(t testing.TB, doc []byte, opts validators.Options) *validators.Result {
	t.Helper()
	opts.Specs = specs.All()
	r, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := ingest.Open([]string{"-"}, ingest.Options{
		Stdin: bytes.NewReader(doc), Formats: []ingest.Format{{Is: export.IsITF, Lines: export.Lines}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for {
		block, err := reader.Next(t.Context())
		if block == nil {
			if bad, ok := err.(*trace.Error); ok {
				r.Fail(bad)
			}
			return r.Finish()
		}
		if err := r.Push(block.Events); err != nil {
			t.Fatal(err)
		}
	}
}

func exported(t testing.TB, lines []string, opts export.Options) []byte {
	t.Helper()
	b, err := export.Export(t.Context(), validatorstest.Source(t, lines), opts)
	if err != nil {
		t.Fatalf("%v, of\n%s", err, strings.Join(lines, "\n"))
	}
	var out bytes.Buffer
	if err := b.WriteITF(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// graphs are those that TLC wrote.
func graphs(t *testing.T, use func(t *testing.T, g *validatorstest.Graph)) {
	paths, err := filepath.Glob("../../testdata/tlc/*.graph.jsonl.gz")
	if err != nil || len(paths) != 5 {
		t.Fatalf("%d graphs, %v", len(paths), err)
	}
	for _, path := range paths {
		g := validatorstest.ReadGraph(t, path)
		t.Run(g.Module, func(t *testing.T) { use(t, g) })
	}
}

// pair is two states of a graph as a trace: the first as snapshots, then a step
// to the second.
func walk(g *validatorstest.Graph, states ...int) []string {
	meta := `{"kind":"meta","object":{"format":1,"spec":["` + g.Meta.Spec[0] + `"]`
	if c := g.Meta.Constants; c != nil {
		var parts []string
		for name, raw := range c {
			parts = append(parts, fmt.Sprintf("%q:%s", name, raw))
		}
		meta += `,"constants":{` + strings.Join(parts, ",") + "}"
	}
	lines := []string{meta + "}}"}
	for i := range g.States[states[0]] {
		lines = append(lines, g.States[states[0]][i].Line("snapshot"))
	}
	for n := 1; n < len(states); n++ {
		before := map[string]string{}
		for i := range g.States[states[n-1]] {
			o := &g.States[states[n-1]][i]
			before[o.Kind+" "+o.ID] = string(o.Object)
		}
		add := func(o *validatorstest.Object, op string) {
			line := o.Line(op)
			if op == "delete" {
				line = fmt.Sprintf(`{"kind":%q,"op":"delete","id":%q}`, o.Kind, o.ID)
			}
			lines = append(lines, fmt.Sprintf(`{"tx":%d,%s`, n, line[1:]))
		}
		is := map[string]bool{}
		for i := range g.States[states[n]] {
			o := &g.States[states[n]][i]
			key := o.Kind + " " + o.ID
			is[key] = true
			if old, was := before[key]; !was {
				add(o, "create")
			} else if old != string(o.Object) || o.Kind == "allocator" || o.Kind == "cluster" {
				add(o, "update")
			}
		}
		for i := range g.States[states[n-1]] {
			if o := &g.States[states[n-1]][i]; !is[o.Kind+" "+o.ID] {
				add(o, "delete")
			}
		}
	}
	return lines
}

func instance(g *validatorstest.Graph) string {
	switch g.Module {
	case "WorkerImpl":
		return "n1"
	case "kcpStorage":
		return "ns1"
	}
	return ""
}

// exportWalk tells a walk in ITF, also where no container has named the worker
// yet.
func exportWalk(t testing.TB, g *validatorstest.Graph, states ...int) []byte {
	t.Helper()
	lines := walk(g, states...)
	if g.Module == "WorkerImpl" {
		// A refused line names the worker and changes nothing.
		lines = append(lines, `{"kind":"container","op":"reject","id":"s1/1/t1","object":{"node":"n1"}}`)
	}
	return exported(t, lines, export.Options{Instance: instance(g)})
}

// What TLC says is a step, is one in ITF; of other pairs of states none is.
// kcpStorage's states break an invariant, half of them: a transition is none.
func TestGraphs(t *testing.T) {
	graphs(t, func(t *testing.T, g *validatorstest.Graph) {
		random := rand.New(rand.NewPCG(1, 2))
		tries := exhaustive.Or(60, 400)
		steps, others := 0, 0
		for range tries {
			from := random.IntN(len(g.States))
			for to := range g.Edges[from] {
				if v := transitions(judgeITF(t, exportWalk(t, g, from, to), validators.Options{KeepGoing: true})); len(v) > 0 {
					t.Fatalf("the edge %d → %d is said to be none: %s\n%s", from, to, v[0].Message, exportWalk(t, g, from, to))
				}
				steps++
				break // one of them: the order of a map is as good as any
			}
			to := random.IntN(len(g.States))
			if _, is := g.Edges[from][to]; is || from == to {
				continue
			}
			if v := transitions(judgeITF(t, exportWalk(t, g, from, to), validators.Options{KeepGoing: true})); len(v) == 0 {
				t.Fatalf("the pair %d → %d is said to be a step\n%s", from, to, exportWalk(t, g, from, to))
			}
			others++
		}
		if steps < tries/2 || others < tries/2 {
			t.Errorf("%d steps and %d other pairs", steps, others)
		}
	})
}

// transitions are the violations that are no mere invariants.
func transitions(r *validators.Result) (list []validators.Violation) {
	for _, v := range r.Violations {
		if v.Kind != validators.OfInvariant {
			list = append(list, v)
		}
	}
	return list
}

// Long walks through the graphs conform, and so do the documents that are made
// of what was read from them: which say the same.
func TestWalks(t *testing.T) {
	graphs(t, func(t *testing.T, g *validatorstest.Graph) {
		random := rand.New(rand.NewPCG(3, 4))
		for range 10 {
			at := g.Init
			states := []int{at}
			for range 40 {
				next := -1
				n := random.IntN(max(1, len(g.Edges[at])))
				for to := range g.States {
					if _, is := g.Edges[at][to]; is {
						if n--; n < 0 {
							next = to
							break
						}
					}
				}
				if next < 0 {
					break
				}
				at = next
				states = append(states, at)
			}
			doc := exportWalk(t, g, states...)
			result := judgeITF(t, doc, validators.Options{KeepGoing: true})
			if v := transitions(result); result.Verdict == validators.Unusable || len(v) > 0 {
				t.Fatalf("%s %s %+v", result.Verdict, result.Reason, v)
			}
			checkAgain(t, doc, result)
		}
	})
}

// checkAgain reads the document and writes it again: it says the same, and is
// judged so.
func checkAgain(t *testing.T, doc []byte, want *validators.Result) {
	t.Helper()
	var lines []string
	if err := export.Lines(bytes.NewReader(doc), func(_ int, line []byte) error {
		lines = append(lines, string(line))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(doc), `"spec":"workerimpl"`) {
		lines = append(lines, `{"kind":"container","op":"reject","id":"s1/1/t1","object":{"node":"n1"}}`)
	}
	again := exported(t, lines, export.Options{})
	if err := export.SameStates(doc, again); err != nil {
		t.Fatalf("%v:\n%s\nbut\n%s", err, doc, again)
	}
	got := judgeITF(t, again, validators.Options{KeepGoing: true})
	if got.Verdict != want.Verdict || len(got.Violations) != len(want.Violations) {
		t.Fatalf("%s, %d violations; want %s, %d", got.Verdict, len(got.Violations), want.Verdict, len(want.Violations))
	}
}

// A trace and its states in ITF have the same verdict, to the text of the spec
// and step by step, as far as states can tell: the cases that show a claim, a
// refusal, or a line that is wrong although the states are not, are left out.
func TestCases(t *testing.T) {
	paths, err := filepath.Glob("../../specs/*/testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	compared := 0
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		spec := filepath.Base(filepath.Dir(filepath.Dir(path)))
		if strings.Contains(string(raw), "# option attach") || strings.Contains(string(raw), "moby") {
			continue
		}
		lines := strings.Split(string(raw), "\n")
		for i := range lines {
			if strings.HasPrefix(lines[i], "#") {
				lines[i] = ""
			}
		}
		b, err := export.Export(t.Context(), validatorstest.Source(t, lines), export.Options{Spec: spec})
		if err != nil {
			continue // several streams, several workers, begins again: the error says so
		}
		var doc bytes.Buffer
		if err := b.WriteITF(&doc); err != nil {
			t.Fatal(err)
		}
		r, err := validators.NewRunner(validators.Options{Specs: specs.All(), Select: []string{spec}})
		if err != nil {
			t.Fatal(err)
		}
		if err := validatorstest.Source(t, lines)(t.Context(), r.Push); err != nil {
			t.Fatal(err)
		}
		want := r.Finish()
		got := judgeITF(t, doc.Bytes(), validators.Options{})
		if onlyLines(want) || outsideStates[filepath.Base(path)] || want.Verdict == validators.Unusable {
			continue
		}
		compared++
		if got.Verdict != want.Verdict && got.Steps > 0 {
			t.Errorf("%s: %s %s, want %s\n%s", path, got.Verdict, got.Reason, want.Verdict, doc.String())
		}
	}
	if compared < 200 {
		t.Errorf("%d cases compared, want some hundreds", compared)
	}
}

// outsideStates are cases whose violation the states do not show, and why.
var outsideStates = map[string]bool{
	"type_mended_in_the_step.txt":      true, // a value that only a line in the middle of the step has
	"node_named_before_it_is_seen.txt": true, // Node is a constant in TLA+
	"claim_stutter_rollback.txt":       true, // what a claim says of confOK
	"batched_queue_open.txt":           true, // what a claim says of the queue
}

// onlyLines says that what is wrong is not in the states.
func onlyLines(r *validators.Result) bool {
	for _, v := range r.Violations {
		if v.Kind == validators.OfClaim || v.Kind == validators.OfRejection || len(v.Nearest) == 0 && v.Kind == validators.OfTransition {
			return true
		}
	}
	return false
}
