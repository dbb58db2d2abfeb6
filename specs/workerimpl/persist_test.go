package workerimpl_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/workerimpl"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

var specs = []*validators.Spec{workerimpl.Spec}

func TestCutCases(t *testing.T) { validatorstest.CutCases(t, workerimpl.Spec) }

// TestCutRecordings: of real swarms, which log no containers and so are full of
// what no worker explains.
func TestCutRecordings(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/traces/*.jsonl*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings (%v)", err)
	}
	places := 20
	if !exhaustive.Asked() {
		paths, places = paths[:3], 6
	}
	for _, path := range paths {
		lines := validatorstest.ReadTrace(t, path)
		validatorstest.CutSome(t, path, lines, validators.Options{
			Specs: specs, Select: []string{"workerimpl"}, Profile: validators.ProfileSpec, Deadline: 2 * time.Second}, places, 1)
	}
}

// TestCutTraces: of walks and their mutants, in every mode, with more snapshots
// in between.
func TestCutTraces(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 800) {
		rng := rand.New(rand.NewPCG(seed, 12))
		o := randomOpts(rng)
		o.mutations = rng.IntN(5)
		lines := genTrace(rng, o)
		for range rng.IntN(4) {
			lines = showAgain(rng, lines)
		}
		if lines == nil {
			continue
		}
		opts := validators.Options{Specs: specs, Attach: oracle.Chance(rng, 0.3), OnGap: trace.OnGap(rng.IntN(2))}
		if oracle.Chance(rng, 0.6) {
			opts.Deadline = time.Duration(1+rng.IntN(5000)) * time.Millisecond
		}
		if validatorstest.CutLines(t, lines, opts, seed); t.Failed() {
			return
		}
	}
}

// showAgain puts a run of snapshots into a trace: of what some of its lines have
// created, or may have been since.
func showAgain(rng *rand.Rand, lines []string) []string {
	var run []string
	for _, line := range lines {
		if strings.Contains(line, `"op":"create"`) && oracle.Chance(rng, 0.4) {
			line = strings.Replace(line, `"op":"create"`, `"op":"snapshot"`, 1)
			for _, swap := range [][2]string{{`"n1"`, `"n2"`}, {`"n2"`, `"n4"`}, {`"up"`, `"down"`}, {`"new"`, `"running"`}, {`"running"`, `"terminating"`}} {
				if oracle.Chance(rng, 0.3) {
					line = strings.ReplaceAll(line, swap[0], swap[1])
				}
			}
			run = append(run, withoutSeq(line))
		}
	}
	if len(run) == 0 {
		return lines
	}
	at := 1 + rng.IntN(len(lines))
	return slices.Concat(lines[:at:at], run, lines[at:])
}

// withoutSeq is the line of a snapshot, which has no number of its own.
func withoutSeq(line string) string {
	from := strings.Index(line, `"seq":`)
	if from < 0 {
		return line
	}
	to := from + strings.IndexAny(line[from:], ",}")
	if line[to] == ',' {
		to++
	}
	return line[:from] + line[to:]
}

func TestCutAnyInput(t *testing.T) {
	validatorstest.CutNoise(t, workerimpl.Spec, noise, 4000)
}

// cutAll cuts the lines of a trace after each.
func cutAll(t *testing.T, lines []string, opts validators.Options) {
	t.Helper()
	text := strings.Join(lines, "\n")
	opts.Specs = specs
	validatorstest.CutAll(t, fmt.Sprintf("%+v:\n%s\n", opts, text), []byte(text), opts)
}

// TestCutRun: what waited before a run of snapshots, for a node that no task
// names any more, waits until the run is over.
func TestCutRun(t *testing.T) {
	lines := []string{
		`{"kind":"task","op":"snapshot","id":"t1","time":"2026-11-20T10:00:00Z","object":{"service":"a","slot":1,"node":"gone","state":"ready","desired_state":"running"}}`,
		`{"kind":"task","op":"snapshot","id":"t2","time":"2026-11-20T10:00:00Z","object":{"service":"a","slot":2,"node":"gone","state":"ready","desired_state":"running"}}`,
		`{"kind":"node","op":"create","id":"n1","time":"2026-11-20T10:00:01Z","object":{"state":"up"}}`,
		`{"kind":"task","op":"snapshot","id":"t1","time":"2026-11-20T10:01:00Z","object":{"service":"a","slot":1,"node":"n1","state":"ready","desired_state":"running"}}`,
		`{"kind":"task","op":"snapshot","id":"t2","time":"2026-11-20T10:01:00Z","object":{"service":"a","slot":2,"node":"n2","state":"ready","desired_state":"running"}}`,
		`{"kind":"task","op":"snapshot","id":"t1","time":"2026-11-20T10:01:10Z","object":{"service":"a","slot":1,"node":"n1","state":"ready","desired_state":"ready"}}`,
		`{"kind":"node","op":"update","id":"n1","time":"2026-11-20T10:02:00Z","object":{"state":"up"}}`,
	}
	for _, deadline := range []time.Duration{0, 30 * time.Second} {
		cutAll(t, lines, validators.Options{Deadline: deadline})
	}
}

// TestCutStages: an action that was taken, and is wanted again after a restart and
// taken once more, begins the wait again.
func TestCutStages(t *testing.T) {
	lines := []string{
		`{"kind":"meta","object":{"steps":"batched"}}`,
		`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`,
		`{"kind":"node","op":"snapshot","id":"n2","object":{"state":"down"}}`,
		`{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"n2","state":"assigned","desired_state":"running"}}`,
		`{"kind":"container","op":"snapshot","id":"c","object":{"node":"n2","state":"complete"}}`,
	}
	for i := range 3 {
		for _, text := range []string{ // the worker synchronises, and there is another container to remove
			`{"kind":"container","op":"snapshot","id":"s$","object":{"node":"n1","state":"running"}}`,
			`{"kind":"task","op":"snapshot","id":"s$","object":{"service":"web","slot":2$,"node":"n1","state":"running","desired_state":"shutdown"}}`,
			`{"kind":"node","op":"create","id":"other$","object":{"state":"up"}}`,
			`{"tx":"$a","kind":"container","op":"update","id":"s$","object":{"state":"failed"}}`,
			`{"tx":"$a","kind":"task","op":"delete","id":"s$"}`,
			`{"kind":"container","op":"delete","id":"s$"}`,
			// a task is given up, and there is another one
			`{"tx":"$b","kind":"task","op":"update","id":"t1","object":{"state":"orphaned"}}`,
			`{"tx":"$b","kind":"task","op":"delete","id":"t1"}`,
			`{"tx":"$b","kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1$,"node":"n2","state":"assigned","desired_state":"running"}}`,
		} {
			lines = append(lines, strings.ReplaceAll(text, "$", fmt.Sprint(i)))
		}
	}
	cutAll(t, lines, validators.Options{})
}

// TestSavedFollowsWhatLives: what came and went takes no room, and what is shown
// again and again no more.
func TestSavedFollowsWhatLives(t *testing.T) {
	size := func(live, rounds, shown int) int {
		lines := []string{`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`}
		line := func(kind, op string, i int, object string) {
			lines = append(lines, fmt.Sprintf(`{"kind":%q,"op":%q,"id":"t%d","object":{%s}}`, kind, op, i, object))
		}
		const task = `"service":"s%d","slot":%d,"node":%q,"state":"new","desired_state":"running"`
		for i := range live {
			line("task", "create", 100+i, fmt.Sprintf(task, i%5, i+1, ""))
		}
		for i := range rounds {
			line("task", "create", i%10, fmt.Sprintf(task, 1000+i, i+1, ""))
			line("task", "delete", i%10, "")
			line("container", "create", i%10, `"node":"n1","state":"running"`)
			line("container", "delete", i%10, "")
		}
		for range shown {
			line("task", "snapshot", 100, fmt.Sprintf(task, 0, 1, "n2"))
			line("container", "snapshot", 100, `"node":"n2","state":"x"`)
		}
		return validatorstest.SavedSize(t, lines, validators.Options{Specs: specs})
	}
	few, old, many := size(20, 1, 0), size(20, 300, 0), size(200, 1, 0)
	if old > few+40 {
		t.Errorf("20 tasks take %d bytes, and after 300 more came and went %d", few, old)
	}
	if many < 3*few || many > 20*few {
		t.Errorf("20 tasks take %d bytes, 200 take %d", few, many)
	}
	if once, often := size(20, 1, 1), size(20, 1, 500); often > once+40 {
		t.Errorf("an object that is shown once takes %d bytes, often %d", once, often)
	}
}

// TestSavedShownAgain: nor is an object kept twice that is shown again after a
// restart.
func TestSavedShownAgain(t *testing.T) {
	lines := []string{
		`{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"n1","state":"ready","desired_state":"running"}}`,
		`{"kind":"container","op":"snapshot","id":"t1","object":{"node":"n1","state":"x"}}`,
	}
	var saved []byte
	sizes := map[int]bool{}
	for range 4 {
		r, err := validators.NewRunner(validators.Options{Specs: specs, KeepGoing: true, Recover: true})
		if err != nil {
			t.Fatal(err)
		}
		if saved != nil {
			if err := r.Restore("", saved); err != nil {
				t.Fatal(err)
			}
		}
		validatorstest.Push(t, r, lines...)
		r.Save(true, func(_ string, state []byte) { saved = slices.Clone(state) })
		sizes[len(saved)] = true
	}
	if len(sizes) != 1 {
		t.Errorf("an object that is shown again after a restart takes %v bytes", slices.Sorted(maps.Keys(sizes)))
	}
}
