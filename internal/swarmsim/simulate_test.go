package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// deadline is longer than anything healthy waits in the play. The managers of a large
// swarm are late if the machine has other work.
func deadline(play string) time.Duration {
	switch play {
	case "big":
		return 3 * time.Minute
	case "chaos", "features", "ordinary", "restarts":
		return 30 * time.Second
	}
	return 15 * time.Second // the scenarios go on for 30 s
}

// TestSimulate runs swarms, and fails if tracecheck says of one what is not a known
// fault of SwarmKit. docs/simulate.md lists the variables.
func TestSimulate(t *testing.T) {
	if os.Getenv("TRACECHECK_SIMULATE") == "" {
		t.Skip("it takes minutes: TRACECHECK_SIMULATE=1 runs it")
	}
	tracecheck := tracecheckCommand(t)
	plays := strings.Fields(env("TRACECHECK_SIMULATE_PLAYS", "features chaos restarts big"))
	for _, seed := range seeds(t) {
		for _, play := range plays {
			o := simulated(t, play)
			o.Seed, o.Tracecheck, o.Live = seed, tracecheck, true
			t.Run(fmt.Sprintf("%s-%d", play, seed), func(t *testing.T) { runAndJudge(t, o) })
		}
	}
}

// simulated is how a play is run here: small, since a machine under load makes another
// swarm.
func simulated(t *testing.T, play string) options {
	o := defaults()
	o.Play, o.Managers, o.Heartbeat, o.Limit, o.Ports = play, 3, 2*time.Second, true, true
	switch play {
	case "chaos":
		minutes, err := strconv.ParseFloat(env("TRACECHECK_SIMULATE_MINUTES", "0.75"), 64)
		if err != nil {
			t.Fatalf("TRACECHECK_SIMULATE_MINUTES: %v", err)
		}
		o.Duration = time.Duration(minutes * float64(time.Minute))
		o.Agents, o.Kill, o.Down, o.Jobs, o.RemoveTask = 12, true, true, true, true
		o.PerProc = 12
	case "restarts":
		o.MaxReplicas = 60
	case "scale-race":
		o.Managers, o.Agents, o.PerProc, o.MaxReplicas = 1, 20, 20, 400
	case "big":
		o.Managers, o.Agents, o.PerProc, o.Services, o.MaxReplicas, o.Unplaced, o.Heartbeat = 1, 20, 20, 6, 500, 7000, 5*time.Second
	}
	return o
}

// seeds are those of TRACECHECK_SIMULATE_SEEDS: numbers, and ranges such as 3-7.
func seeds(t *testing.T) (list []int64) {
	for _, word := range strings.Fields(env("TRACECHECK_SIMULATE_SEEDS", "1")) {
		first, last, isRange := strings.Cut(word, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.ParseInt(first, 10, 64)
		to, err2 := strconv.ParseInt(last, 10, 64)
		if err != nil || err2 != nil {
			t.Fatalf("TRACECHECK_SIMULATE_SEEDS: %q is no seed", word)
		}
		for seed := from; seed <= to; seed++ {
			list = append(list, seed)
		}
	}
	return list
}

func env(name, absent string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return absent
}

// runAndJudge keeps the folder of a run that fails.
func runAndJudge(t *testing.T, o options) {
	base, err := os.MkdirTemp("", "sim") // short: sockets' paths are limited
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "run")
	t.Cleanup(func() {
		if !t.Failed() {
			os.RemoveAll(base)
			return
		}
		t.Logf("the run is in %s: its recording is %s, what was done is in %s.\nThe same play, with other timing: in swarmsim, TRACECHECK_SIMULATE=1 TRACECHECK_SIMULATE_PLAYS=%s TRACECHECK_SIMULATE_SEEDS=%d go test -count=1 -v -run TestSimulate .",
			dir, recordingFile, playFile, o.Play, o.Seed)
	})
	done, err := simulate(o, dir)
	if err != nil {
		t.Fatal(err)
	}
	list := judgeRecording(t, o.Tracecheck, filepath.Join(dir, recordingFile), deadline(o.Play))
	sameLive(t, o.Tracecheck, dir)
	if late := filepath.Join(dir, lateFile); exists(late) {
		judgeRecording(t, o.Tracecheck, late, deadline(o.Play))
	}
	if check := happened[o.Play]; check != nil {
		check(t, dir, list, done)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// judgeRecording fails for a gap, and for what is not a known fault. On a busy machine
// an election can take longer than the deadline: the longest silence does not count.
func judgeRecording(t *testing.T, tracecheck, path string, deadline time.Duration) recording {
	t.Helper()
	list, err := readRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := judge(tracecheck, path, "--deadline", (deadline + list.silence()).String())
	if err != nil {
		t.Fatal(err)
	}
	if v.Verdict == "unusable" || v.Gaps > 0 || v.Steps == 0 {
		t.Errorf("%s: %s, %d gaps, %d steps: %s", path, v.Verdict, v.Gaps, v.Steps, v.Reason)
	}
	removed, err := removedTasks(filepath.Join(filepath.Dir(path), playFile))
	if err != nil {
		t.Fatal(err)
	}
	faults, others := list.explain(v.Violations, removed)
	for _, o := range others[:min(len(others), 20)] {
		t.Errorf("%s: not a known fault, one of %d: %v", path, len(others), o)
	}
	t.Logf("%s: %d events, %d steps; known faults of SwarmKit: %v", filepath.Base(path), v.Events, v.Steps, faults)
	return list
}

// sameLive compares the verdict on the live swarm with that on its recording.
func sameLive(t *testing.T, tracecheck, dir string) {
	t.Helper()
	out, err := os.ReadFile(filepath.Join(dir, liveFile))
	if err != nil {
		t.Fatal(err)
	}
	live, err := readVerdict(out)
	if err != nil {
		t.Fatal(err)
	}
	file, err := judge(tracecheck, filepath.Join(dir, recordingFile))
	if err != nil {
		t.Fatal(err)
	}
	// The lines differ: each recorder began with a snapshot of its own.
	said := func(v *verdict) (list []string) {
		for i := range v.Violations {
			list = append(list, v.Violations[i].Rule+": "+v.Violations[i].Message)
		}
		return list
	}
	if live.Verdict != file.Verdict || live.Gaps != file.Gaps || !slices.Equal(said(live), said(file)) {
		t.Errorf("live: %s, %d gaps, %q\nfrom the file: %s, %d gaps, %q", live.Verdict, live.Gaps, said(live), file.Verdict, file.Gaps, said(file))
	}
}
