package specs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs"
	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// interleaved are the recordings, each a stream of its own, as one trace: some
// lack a line, and some end early.
func interleaved(t *testing.T, r *rand.Rand) [][]byte {
	t.Helper()
	var streams [][][]byte
	for i, path := range recordings(t, "../testdata/traces") {
		lines := bytes.Split(bytes.TrimSpace(validatorstest.ReadTrace(t, path)), []byte{'\n'})
		if i%4 == 1 {
			at := 1 + r.IntN(len(lines)-1)
			lines = append(lines[:at:at], lines[at+1:]...)
		}
		if i%4 == 2 {
			lines = lines[:len(lines)/2]
		}
		for k, line := range lines {
			lines[k] = append(fmt.Appendf(nil, `{"stream":%q,`, filepath.Base(path)), line[1:]...)
		}
		streams = append(streams, lines)
	}
	var all [][]byte
	for len(streams) > 0 {
		i := r.IntN(len(streams))
		n := min(1+r.IntN(3), len(streams[i]))
		all = append(all, streams[i][:n]...)
		if streams[i] = streams[i][n:]; len(streams[i]) == 0 {
			streams = append(streams[:i], streams[i+1:]...)
		}
	}
	return all
}

// However many goroutines judge, and however the input is cut, the result is
// the same, byte for byte.
func TestShards(t *testing.T) {
	lines := interleaved(t, rand.New(rand.NewPCG(5, 1)))
	for name, opts := range map[string]validators.Options{
		"moby":     {Profile: swarm.Moby},
		"spec":     {Profile: validators.ProfileSpec, KeepGoing: true},
		"deadline": {Deadline: 10 * time.Second, KeepGoing: true},
		"resync":   {OnGap: trace.ResyncOnGap},
		"coverage": {Profile: swarm.Moby, KeepGoing: true, Coverage: true},
		"a bound":  {Profile: validators.ProfileSpec, KeepGoing: true, MaxViolations: 100},
	} {
		t.Run(name, func(t *testing.T) {
			want := ""
			for _, shards := range exhaustive.Or([]int{1, 3, 16}, []int{1, 2, 3, 16}) {
				opts.Shards, opts.Specs = shards, specs.All()
				got := judgeChunks(t, lines, opts, rand.New(rand.NewPCG(7, uint64(shards))))
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("with %d shards:\n%s\nwith one:\n%s", shards, got, want)
				}
			}
			var result struct{ Streams, Steps int }
			if err := json.Unmarshal([]byte(want), &result); err != nil || result.Streams < 2 || result.Steps < 100 {
				t.Errorf("%d streams and %d steps prove nothing (%v)", result.Streams, result.Steps, err)
			}
		})
	}
}

// A brief result is the whole one, without the streams' states and temporal properties.
func TestBrief(t *testing.T) {
	lines := interleaved(t, rand.New(rand.NewPCG(5, 2)))
	judge := func(brief bool) (result map[string]any) {
		opts := validators.Options{Specs: specs.All(), Deadline: 10 * time.Second, KeepGoing: true, Coverage: true, Brief: brief}
		text := judgeChunks(t, lines, opts, rand.New(rand.NewPCG(7, 2)))
		if err := json.Unmarshal([]byte(text), &result); err != nil {
			t.Fatal(err)
		}
		return result
	}
	whole, brief := judge(false), judge(true)
	for _, left := range []string{"liveness", "desired_state"} {
		if whole[left] == nil || brief[left] != nil {
			t.Errorf("%s: the whole result has %v, the brief one %v", left, whole[left] != nil, brief[left] != nil)
		}
		delete(whole, left)
	}
	if !reflect.DeepEqual(whole, brief) {
		t.Errorf("brief: %v\nwhole: %v", brief, whole)
	}
}

// judgeChunks pushes some lines at a time, now or later, and overwrites them once
// judged.
func judgeChunks(t *testing.T, lines [][]byte, opts validators.Options, r *rand.Rand) string {
	t.Helper()
	run, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	var done atomic.Int64
	for from, now := 0, true; from < len(lines); now = r.IntN(3) == 0 {
		to := min(from+1+r.IntN(1500), len(lines))
		var d trace.Decoder
		var events []trace.Event
		var raw [][]byte
		for i := from; i < to; i++ {
			raw = append(raw, bytes.Clone(lines[i]))
			events = append(events, trace.Event{})
			if err := d.Decode(raw[i-from], trace.Pos{File: "f", Line: i + 1}, &events[i-from]); err != nil {
				t.Fatal(err)
			}
		}
		from = to
		judged := func() {
			for _, line := range raw {
				for k := range line {
					line[k] = '#'
				}
			}
			done.Add(int64(len(raw)))
		}
		if now {
			err = run.Push(events)
			judged()
		} else {
			err = run.PushLater(events, judged)
		}
		if err != nil {
			break
		}
		if now && done.Load() != int64(to) {
			t.Errorf("Push has returned, and %d of %d lines are done with", done.Load(), to)
		}
	}
	if err := run.Wait(); err == nil && done.Load() != int64(len(lines)) {
		t.Errorf("%d of %d lines are done with", done.Load(), len(lines))
	}
	got, err := json.Marshal(run.Finish())
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// What begins to wait at one moment is listed in the same order each time.
func TestSameResultEachTime(t *testing.T) {
	var lines [][]byte
	add := func(format string, args ...any) { lines = append(lines, fmt.Appendf(nil, format, args...)) }
	for i := range 9 {
		add(`{"kind":"service","op":"create","id":"s%d","object":{"replicas":"global","remove":false}}`, i)
	}
	for i := range 9 {
		add(`{"kind":"node","op":"create","id":"n%d","object":{"state":"up"}}`, i)
	}
	for i := range 9 {
		add(`{"kind":"task","op":"create","id":"t%d","object":{"service":"s1","slot":"global","node":"n%d","state":"new","desired_state":"running"}}`, i, i)
	}
	add(`{"kind":"service","op":"delete","id":"s1"}`)
	add(`{"kind":"service","op":"create","id":"s1","object":{"replicas":"global","remove":false}}`)
	want := ""
	for range 10 {
		opts := validators.Options{Specs: specs.All(), KeepGoing: true}
		got := judgeChunks(t, lines, opts, rand.New(rand.NewPCG(1, 1)))
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("once\n%s\nand once\n%s", want, got)
		}
	}
	if !strings.Contains(want, `"waiting"`) {
		t.Errorf("nothing waits: %s", want)
	}
}
