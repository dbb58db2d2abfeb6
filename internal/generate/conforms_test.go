package generate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"tracecheck/ingest"
	"tracecheck/internal/exhaustive"
	"tracecheck/internal/generate"
	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

// plain are options that a test changes what it is about of.
func plain(spec string, events int64) generate.Options {
	return generate.Options{
		Specs: []string{spec}, Events: events, Streams: 1, Objects: 40,
		Start: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Interval: time.Millisecond,
	}
}

func made(t testing.TB, o generate.Options) ([]byte, *generate.Broken) {
	t.Helper()
	var out bytes.Buffer
	broken, err := generate.Run(t.Context(), o, &out)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	return out.Bytes(), broken
}

// judged is what the checker says of the trace, with the machines of the specs
// themselves, of which the walks know nothing.
func judged(t testing.TB, lines []byte, o validators.Options) *validators.Result {
	t.Helper()
	o.Specs = specs.All()
	runner, err := validators.NewRunner(o)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := ingest.Open([]string{"-"}, ingest.Options{Stdin: bytes.NewReader(lines)})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for {
		block, err := reader.Next(t.Context())
		if err == io.EOF {
			return runner.Finish()
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := runner.Push(block.Events); err != nil {
			t.Fatal(err)
		}
		block.Release()
	}
}

// conforms judges with a deadline: that nothing waits for long is asked, too. It
// returns what was judged.
func conforms(t *testing.T, o generate.Options) (lines []byte) {
	t.Helper()
	lines, _ = made(t, o)
	result := judged(t, lines, validators.Options{Deadline: time.Hour})
	if result.Verdict != validators.Conforming {
		t.Errorf("%+v: %s %s %+v", o, result.Verdict, result.Reason, result.Violations)
	}
	meta := int64(bytes.Count(lines, []byte(`"kind":"meta"`)))
	if got := int64(bytes.Count(lines, []byte("\n"))) - meta; got != o.Events || meta != int64(o.Streams) {
		t.Errorf("%+v: %d events and %d meta lines", o, got, meta)
	}
	if bytes.Contains(lines, []byte(`"action":`)) == o.NoClaims {
		t.Errorf("%+v: the claims", o)
	}
	return lines
}

func TestConforms(t *testing.T) {
	events := exhaustive.Or[int64](3_500, 20_000)
	for _, spec := range generate.SpecNames() {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			seed := uint64(0)
			for _, objects := range []int{1, 7, 60, 700} {
				for _, batch := range []int{0, 1, 2, 8, 40} {
					o := plain(spec, events)
					seed++ // another walk each time
					if !exhaustive.Asked() && (seed+1)%4 > 1 {
						continue // the half has each of the values below, too
					}
					o.Seed, o.Objects, o.Batch = seed, objects, batch
					o.Snapshot = seed%2 == 0
					o.NoClaims = seed%5 == 0
					o.Streams = 1 + int(seed%3)
					conforms(t, o)
				}
			}
		})
	}
}

// Steps of hundreds of actions are not beyond the judge.
func TestLargeSteps(t *testing.T) {
	for _, spec := range generate.SpecNames() {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			o := plain(spec, exhaustive.Or[int64](8_000, 20_000))
			o.Objects, o.Batch, o.Snapshot = 3000, 1000, true
			most := 0
			for _, n := range countTx(conforms(t, o)) {
				most = max(most, n)
			}
			if most < 300 {
				t.Errorf("the largest step has %d lines", most)
			}
		})
	}
}

// Steps in which nodes go and come, their tasks are orphaned, replaced and
// removed, all at once, are not beyond the judge.
func TestMixedSteps(t *testing.T) {
	seeds := exhaustive.Or[uint64](2, 12)
	mixed := 0
	for seed := range seeds {
		o := plain("swarmkit", 5_000)
		o.Seed, o.Batch, o.Objects, o.NoClaims = seed, 40, []int{50, 15, 150}[seed%3], seed%2 == 0
		conforms(t, o)
		lines, _ := made(t, o)
		size := countTx(lines)
		for line := range bytes.Lines(lines) {
			if _, after, ok := bytes.Cut(line, []byte(`"tx":`)); ok && bytes.Contains(line, []byte(`"state":"orphaned"`)) {
				tx, _, _ := bytes.Cut(after, []byte(","))
				mixed += min(1, size[string(tx)]/10)
				size[string(tx)] = 0 // counted
			}
		}
	}
	if mixed < int(seeds) {
		t.Errorf("in %d traces tasks are orphaned in %d large steps", seeds, mixed)
	}
}

func countTx(lines []byte) map[string]int {
	count := map[string]int{}
	for line := range bytes.Lines(lines) {
		if _, after, ok := bytes.Cut(line, []byte(`"tx":`)); ok {
			tx, _, _ := bytes.Cut(after, []byte(","))
			count[string(tx)]++
		}
	}
	return count
}

// Nothing waits for more than 3600 of its stream's steps, the default interval
// being a thousandth of this one.
func TestNothingWaitsLong(t *testing.T) {
	for _, spec := range generate.SpecNames() {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			for seed := range exhaustive.Or[uint64](1, 2) {
				o := plain(spec, exhaustive.Or[int64](15_000, 40_000))
				o.Objects, o.Interval, o.Seed = 300, time.Second, seed
				conforms(t, o)
			}
		})
	}
}

// Several specs share a stream.
func TestSeveralSpecs(t *testing.T) {
	for _, batch := range []int{0, 12} {
		o := plain("swarmkit", exhaustive.Or[int64](8_000, 20_000))
		o.Specs = []string{"kcpstorage", "swarmkit", "portallocator", "updatecluster"}
		o.Batch, o.Streams = batch, 2
		result := judged(t, conforms(t, o), validators.Options{})
		if len(result.Specs) != len(o.Specs) {
			t.Errorf("judged by %v", result.Specs)
		}
	}
}

// Constants are the specs', and the trace's meta lines have them.
func TestConstants(t *testing.T) {
	for spec, constants := range map[string]map[string]string{
		"swarmkit":      {"max_terminated": "0"},
		"portallocator": {"dynamic_ports": "[1,9]", "protocols": `["tcp","icmp"]`},
		"kcpstorage":    {"clusters": `["east","west \"2\""]`},
	} {
		o := plain(spec, 10_000)
		o.Constants = constants
		first, _, _ := bytes.Cut(conforms(t, o), []byte("\n"))
		for name, value := range constants {
			if !bytes.Contains(first, fmt.Appendf(nil, "%q:%s", name, value)) {
				t.Errorf("%s: %s", name, first)
			}
		}
	}
}

// Every action is taken, claimed, and what explains the step.
func TestEveryAction(t *testing.T) {
	for _, spec := range specs.All() {
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			lines, _ := made(t, plain(spec.Name, 30_000))
			explained, claimed := map[string]bool{}, map[string]bool{}
			judged(t, lines, validators.Options{OnStep: func(step *trace.Step, _ string, by []string, _ []validators.Finding) {
				for _, name := range by {
					explained[name] = true
				}
				for i := range step.Events {
					claimed[strings.Clone(step.Events[i].Action+" "+step.Events[i].Actor)] = true
				}
			}})
			for _, a := range spec.Actions {
				if !explained[a.Name] || !claimed[a.Name+" "+a.Actor] {
					t.Errorf("%s: explains a step: %v, is claimed: %v", a.Name, explained[a.Name], claimed[a.Name+" "+a.Actor])
				}
			}
		})
	}
}

// What no line of a conforming trace shows by an action, it shows nonetheless.
func TestVariety(t *testing.T) {
	for spec, texts := range map[string][]string{
		"swarmkit":      {`"replicas":"global"`, `"slot":"global"`, `"replicas":0`, `"state":"failed"`, `"state":"complete"`, `"desired_state":"ready"`},
		"workerimpl":    {`"slot":"global"`, `"state":"terminating"`, `"state":"orphaned"`},
		"portallocator": {`"op":"reject"`, `"mode":"host"`, `"kind":"allocator"`, `"protocol":"sctp"`},
		"updatecluster": {`"rejected"`, `"partialFailure"`, `"rolledback"`, `"success"`, `"last_submitted":1`},
		"kcpstorage":    {`:"nil","c`, `"kind":"syncer"`},
	} {
		lines, _ := made(t, plain(spec, 30_000))
		for _, text := range texts {
			if !bytes.Contains(lines, []byte(text)) {
				t.Errorf("%s: no line has %s", spec, text)
			}
		}
	}
	o := plain("updatecluster", 30_000) // the configuration of the fourth stream is not valid
	o.Streams = 4
	if lines, _ := made(t, o); !bytes.Contains(lines, []byte(`"failure"`)) {
		t.Error("updatecluster: no request fails for its configuration")
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	for _, spec := range generate.SpecNames() {
		o := plain(spec, 5_000)
		o.Streams, o.Batch, o.Seed = 3, 5, 9
		first, _ := made(t, o)
		again, _ := made(t, o)
		o.Seed = 10
		other, _ := made(t, o)
		if !bytes.Equal(first, again) {
			t.Errorf("%s: the same seed makes two traces", spec)
		}
		if bytes.Equal(first, other) {
			t.Errorf("%s: two seeds make one trace", spec)
		}
	}
}

// A trace is as long as it is to be, wherever that cuts the walk off.
func TestExactlySoMany(t *testing.T) {
	for _, spec := range generate.SpecNames() {
		for events := int64(20); events < 140; events += exhaustive.Or[int64](3, 1) {
			o := plain(spec, events)
			o.Objects, o.Batch = 8, int(events%4)
			conforms(t, o)
		}
	}
}

// As many objects as asked for stand at once: with snapshots before the first
// step, else as soon as they can be made.
func TestSoManyObjects(t *testing.T) {
	const objects = 5_000
	count := func(lines []byte, text string) int { return bytes.Count(lines, []byte(text)) }
	o := plain("swarmkit", objects+objects/2)
	o.Objects = objects
	lines, _ := made(t, o)
	if n := count(lines, `"kind":"task","op":"create"`); n < objects {
		t.Errorf("%d tasks are created", n)
	}
	o.Snapshot = true
	lines, _ = made(t, o)
	if n := count(lines, `"kind":"task","op":"snapshot"`); n != objects {
		t.Errorf("the snapshot has %d tasks", n)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := generate.Run(ctx, plain("swarmkit", 1000_000), io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), "interrupted: the trace has ") {
		t.Error(err)
	}
}

// A writer that fails ends the run.
func TestWriterFails(t *testing.T) {
	full := errors.New("the disk is full")
	if _, err := generate.Run(t.Context(), plain("swarmkit", 1000_000), failing{full}); !errors.Is(err, full) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestRefusals(t *testing.T) {
	for want, change := range map[string]func(*generate.Options){
		"no spec: expected one of ":                                              func(o *generate.Options) { o.Specs = nil },
		`unknown spec "x": this version has swarmkit, `:                          func(o *generate.Options) { o.Specs = []string{"x"} },
		"is given twice":                                                         func(o *generate.Options) { o.Specs = []string{"swarmkit", "swarmkit"} },
		"workerimpl and swarmkit both have events of kind ":                      func(o *generate.Options) { o.Specs = []string{"workerimpl", "swarmkit"} },
		"the trace begins with 3 lines that show its objects":                    func(o *generate.Options) { o.Events = 3 },
		"1000 steps every 4800h0m0s, from 2026-11-20T10:00:00Z on, end too late": func(o *generate.Options) { o.Interval = 2400 * time.Hour * 2 },
		`there is no rule "x": expected one of EventuallyAsDesired, `:            func(o *generate.Options) { o.Violate = "x" },
		"Inv_UsableByAtMostOne could not be broken from event 900 on": func(o *generate.Options) {
			o.Specs, o.Constants, o.Violate = []string{"kcpstorage"}, map[string]string{"clusters": `["only"]`}, "Inv_UsableByAtMostOne"
		},
		"WF_vars(WorkerUp /\\ UNCHANGED services): the trace ends too soon to show that ": func(o *generate.Options) {
			o.Violate, o.At = `WF_vars(WorkerUp /\ UNCHANGED services)`, 1000
		},
	} {
		o := plain("swarmkit", 1000)
		change(&o)
		var out bytes.Buffer
		if _, err := generate.Run(t.Context(), o, &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
