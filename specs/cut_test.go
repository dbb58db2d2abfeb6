package specs_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tracecheck/specs"
	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// crowd makes lines of streams side by side, of which some are lost: the cases of
// each spec, and recordings of real swarms.
type crowd struct {
	cases, recordings []string // paths
	read              map[string][]string
}

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	c := &crowd{recordings: recordings(t, "../testdata/traces"), read: map[string][]string{}}
	for _, dir := range []string{"swarmkit", "workerimpl", "portallocator", "updatecluster", "kcpstorage"} {
		cases, err := filepath.Glob(filepath.Join(dir, "testdata/*.txt"))
		if err != nil || len(cases) == 0 {
			t.Fatalf("no cases of %s (%v)", dir, err)
		}
		c.cases = append(c.cases, cases...)
	}
	for _, path := range append(c.cases, c.recordings...) {
		for _, line := range strings.Split(string(validatorstest.ReadTrace(t, path)), "\n") {
			if strings.HasPrefix(line, "{") && !strings.Contains(line, `"stream"`) && len(c.read[path]) < 300 {
				c.read[path] = append(c.read[path], line)
			}
		}
	}
	return c
}

func (c *crowd) draw(rng *rand.Rand) (lines []string, opts validators.Options) {
	var streams [][]string
	for i := range 2 + rng.IntN(5) {
		from := c.cases
		if rng.IntN(4) == 0 {
			from = c.recordings
		}
		var own []string
		for _, line := range c.read[from[rng.IntN(len(from))]] {
			own = append(own, fmt.Sprintf(`{"stream":"s%d",%s`, i, line[1:]))
		}
		streams = append(streams, own)
	}
	for len(streams) > 0 {
		i := rng.IntN(len(streams))
		n := min(1+rng.IntN(6), len(streams[i]))
		if rng.IntN(20) > 0 { // else they are lost
			lines = append(lines, streams[i][:n]...)
		}
		if streams[i] = streams[i][n:]; len(streams[i]) == 0 {
			streams[i] = streams[len(streams)-1]
			streams = streams[:len(streams)-1]
		}
	}
	return lines, validators.Options{
		Specs: specs.All(), Attach: rng.IntN(4) == 0, OnGap: trace.OnGap(rng.IntN(2)), Budget: 2000,
		Deadline: time.Duration(rng.IntN(2)) * time.Minute, Profile: []string{"", swarm.Moby}[rng.IntN(2)],
	}
}

// TestCutTogether: streams of all specs are gone on with as if there had been no
// break, also where specs that share kinds wait for one of their own.
func TestCutTogether(t *testing.T) {
	c := newCrowd(t)
	for seed := range validatorstest.Seeds(t, 200) {
		lines, opts := c.draw(rand.New(rand.NewPCG(seed, 15)))
		validatorstest.CutLines(t, lines, opts, seed)
	}
}

// TestTogetherAsAlone: what is said of a stream among others is what is said of
// it alone, though they share the room in which they are judged.
func TestTogetherAsAlone(t *testing.T) {
	c := newCrowd(t)
	for seed := range validatorstest.Seeds(t, 400) {
		lines, opts := c.draw(rand.New(rand.NewPCG(seed, 16)))
		opts.KeepGoing, opts.Recover = true, true
		together := saidOf(t, lines, "", opts)
		for stream, want := range together {
			if got := saidOf(t, lines, stream, opts)[stream]; got != want {
				t.Fatalf("seed %d, stream %s: alone\n%s\ntogether\n%s\n%s", seed, stream, got, want, strings.Join(lines, "\n"))
			}
		}
	}
}

// saidOf judges the lines, or those of one stream, and returns what is said of
// each stream.
func saidOf(t *testing.T, lines []string, only string, opts validators.Options) map[string]string {
	t.Helper()
	said := map[string]string{}
	opts.OnStep = func(step *trace.Step, spec string, explanation []string, _ []validators.Finding) {
		said[strings.Clone(step.Events[0].Stream)] += fmt.Sprintf("%s %s: %q\n", step.Last(), spec, explanation)
	}
	r, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	var d trace.Decoder
	for i, line := range lines {
		var ev trace.Event
		if err := d.Decode([]byte(line), trace.Pos{Line: i + 1}, &ev); err != nil {
			t.Fatal(err)
		}
		if only != "" && ev.Stream != only {
			continue
		}
		if err := r.Push([]trace.Event{ev}); err != nil {
			t.Fatal(err)
		}
	}
	result := r.Finish()
	add := func(stream string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		said[stream] += string(text) + "\n"
	}
	for i := range result.Violations {
		add(result.Violations[i].Stream, &result.Violations[i])
	}
	for i := range result.Liveness {
		add(result.Liveness[i].Stream, &result.Liveness[i])
	}
	return said
}
