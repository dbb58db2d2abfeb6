package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// comparisons are all ratios, in the order in which they are printed.
// The caller calls done when they are made.
func (b *bench) comparisons() (list []comparison, done func()) {
	n := b.events
	one := b.trace("one.jsonl", n, "--objects", "1000")
	add := func(c comparison, traces ...trace) {
		c.prepare = func(*comparison) error { return b.make(traces...) }
		list = append(list, c)
	}
	add(comparison{name: "one stream / bare gjson loop", a: b.validate(one), b: b.bare(one)}, one)
	for _, streams := range []int{100, 1_000, 10_000} {
		many := b.trace(fmt.Sprintf("streams%d.jsonl", streams), n, "--streams", strconv.Itoa(streams), "--objects", "20")
		add(comparison{name: fmt.Sprintf("%d streams / bare gjson loop", streams), a: b.validate(many), b: b.bare(many)}, many)
		add(comparison{name: fmt.Sprintf("%d streams / one stream", streams), a: b.validate(many), b: b.validate(one)}, many, one)
	}
	jq := comparison{name: "one stream / jq -c .", a: b.validate(one), b: command{args: []string{"jq", "-c", ".", one.path}, events: n}}
	if _, err := exec.LookPath("jq"); err != nil {
		jq.skip = "there is no jq"
	}
	add(jq, one)
	cores := comparison{name: "one stream: 1 core / 2 cores", a: b.validate(one, "GOMAXPROCS=1"), b: b.validate(one, "GOMAXPROCS=2")}
	some := b.trace("streams100.jsonl", n, "--streams", "100", "--objects", "20")
	coresMany := comparison{name: "100 streams: 1 core / 2 cores", a: b.validate(some, "GOMAXPROCS=1"), b: b.validate(some, "GOMAXPROCS=2")}
	if runtime.NumCPU() < 2 {
		cores.skip, coresMany.skip = "there is one core", "there is one core"
	}
	add(cores, one)
	add(coresMany, some)
	for _, ending := range []string{".gz", ".zst"} {
		packed := b.trace("one.jsonl"+ending, n, "--objects", "1000")
		add(comparison{name: ending[1:] + " / plain", a: b.validate(packed), b: b.validate(one)}, packed, one)
	}

	batched := b.trace("batched.jsonl", n, "--objects", "1000", "--steps", "batched")
	add(comparison{name: "batched (8 actions a step) / atomic", a: b.validate(batched), b: b.validate(one)}, batched, one)
	single, large := filepath.Join(b.dir, "wave1.jsonl"), filepath.Join(b.dir, "wave5000.jsonl")
	list = append(list, comparison{
		name:    "steps of 5,000 changed tasks / steps of one",
		prepare: func(*comparison) error { return errors.Join(writeWave(single, n, 1), writeWave(large, n, wave)) },
		a:       b.validate(trace{path: large, events: n}), b: b.validate(trace{path: single, events: n}),
	})

	list = append(list, b.lives()...)
	few, very := b.trace("few.jsonl", 3*n, "--objects", "1000", "--snapshot"), b.trace("very.jsonl", 3*n, "--objects", strconv.Itoa(n), "--snapshot")
	add(comparison{name: fmt.Sprintf("%d live tasks / 1000, generated", n), a: b.validate(very), b: b.validate(few),
		memory: func(a, b int64) string { return fmt.Sprintf("%.0f bytes a live task", float64(a-b)/float64(n-1000)) }}, very, few)
	long := b.trace("long.jsonl", 5*n, "--objects", "1000")
	add(comparison{name: "a trace five times as long", a: b.validate(long), b: b.validate(one),
		memory: func(a, b int64) string {
			return fmt.Sprintf("peak memory %.1f and %.1f MB, ratio %.2f", float64(a)/1e6, float64(b)/1e6, float64(a)/float64(b))
		}}, long, one)
	list = append(list, b.saving(long))

	crowd, some11 := b.streamsOf11(b.crowd()), b.streamsOf11(b.crowd()/100)
	add(comparison{name: fmt.Sprintf("%d streams of about 11 objects / %d", b.crowd(), b.crowd()/100), a: b.validate(crowd), b: b.validate(some11),
		memory: func(a, b2 int64) string {
			return fmt.Sprintf("%.0f bytes a stream", float64(a-b2)/float64(b.crowd()-b.crowd()/100))
		}}, crowd, some11)

	for _, spec := range []string{"swarmkit", "workerimpl", "portallocator", "updatecluster", "kcpstorage"} {
		t := b.trace(spec+".jsonl", n/4, "--objects", "300")
		t.args[1] = spec
		add(comparison{name: spec + " / bare gjson loop", a: b.validate(t), b: b.bare(t)}, t)
	}
	short := b.trace("short.jsonl", 10)
	start := comparison{name: "start: validate of 10 events / version", a: b.validate(short), b: command{args: []string{b.tool, "version"}, events: 1}}
	start.a.events = 1
	add(start, short)
	list = append(list, b.recorded())
	kafka, done := b.kafka(one)
	return append(list, kafka...), done
}

// lives compares a million tasks with a thousand where the steps are the same:
// with the snapshots that come first, and without them.
func (b *bench) lives() []comparison {
	n := b.events
	side := func(name string, live int) (all, steps command, write func() error) {
		path, begin := filepath.Join(b.dir, name+".jsonl"), filepath.Join(b.dir, name+"-begin.jsonl")
		first := beginning(live) + 1 // a trace has a step
		all = b.validate(trace{path: path, events: 3 * n})
		begins := b.validate(trace{path: begin})
		steps = all
		steps.events, steps.begin = 3*n-first, &begins
		return all, steps, func() error { return errors.Join(writeLives(path, 3*n, live), writeLives(begin, first, live)) }
	}
	calm, calmSteps, writeCalm := side("lives1000", 1000)
	crowd, crowdSteps, writeCrowd := side("lives", n)
	name := fmt.Sprintf("%d live tasks / 1000, the same steps", n)
	write := sync.OnceValue(func() error { return errors.Join(writeCalm(), writeCrowd()) })
	prepare := func(*comparison) error { return write() }
	return []comparison{
		{name: name, prepare: prepare, a: crowd, b: calm},
		{name: name + " alone", prepare: prepare, a: crowdSteps, b: calmSteps},
	}
}

// recorded judges a recording of a real swarm.
func (b *bench) recorded() comparison {
	t := trace{path: filepath.Join(b.dir, "recording.jsonl")}
	c := comparison{name: "a recording under moby / bare gjson loop", a: b.validate(t), b: b.bare(t)}
	c.a.args = append(c.a.args, "--profile", "moby")
	if b.recording == "" {
		c.skip = "-recording names no file"
	}
	c.prepare = func(c *comparison) error {
		lines, err := os.ReadFile(b.recording)
		if err == nil && strings.HasSuffix(b.recording, ".gz") {
			lines, err = exec.Command("gzip", "-dc", b.recording).Output()
		}
		c.a.events = bytes.Count(lines, []byte("\n"))
		c.b.events = c.a.events
		return errors.Join(err, os.WriteFile(t.path, lines, 0o600))
	}
	return c
}

// crowd is how many streams there are where memory is asked for: 100,000 unless
// -events says otherwise.
func (b *bench) crowd() int { return max(b.events/10, 100) }

// streamsOf11 are so many streams that begin with some 9 objects, and end with
// some 11, after 20 events each.
func (b *bench) streamsOf11(streams int) trace {
	return b.trace(fmt.Sprintf("elevens%d.jsonl", streams), 20*streams, "--streams", strconv.Itoa(streams), "--objects", "4", "--snapshot")
}

// trace is a generated trace.
type trace struct {
	path   string
	events int
	args   []string // of generate
}

func (b *bench) trace(name string, events int, args ...string) trace {
	path := filepath.Join(b.dir, name)
	return trace{path, events, append([]string{"--spec", "swarmkit", "--events", strconv.Itoa(events), "--seed", "1", "-o", path}, args...)}
}

// make generates those of the traces that are not there.
func (b *bench) make(traces ...trace) error {
	for _, t := range traces {
		if _, err := os.Stat(t.path); err == nil {
			continue
		}
		if out, err := exec.Command(b.tool, append([]string{"generate"}, t.args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("generate %v: %v\n%s", t.args, err, tail(out))
		}
	}
	return nil
}

func (b *bench) validate(t trace, env ...string) command {
	return command{args: []string{b.tool, "validate", "--quiet", t.path}, env: env, events: t.events}
}

func (b *bench) bare(t trace) command {
	return command{args: []string{b.self, "-bare", t.path}, events: t.events}
}
