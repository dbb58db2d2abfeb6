// Bench measures what `tracecheck validate` costs: as a ratio to a bare loop
// over the same file that reads lines and walks every field with gjson, both
// measured in turn in one run; and its peak memory on traces of different
// length with the same number of live objects.
//
//	go run ./cmd/bench [-events N] [-runs N]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

func main() {
	events := flag.Int("events", 1_000_000, "events of the generated trace")
	runs := flag.Int("runs", 5, "counted runs of each command, after one that is not counted")
	bare := flag.String("bare", "", "walk this file's fields and do nothing else (the baseline)")
	flag.Parse()
	var err error
	if *bare != "" {
		err = walk(*bare)
	} else {
		err = bench(*events, *runs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(events, runs int) error {
	dir, err := os.MkdirTemp("", "tracecheck-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tool := filepath.Join(dir, "tracecheck")
	if out, err := exec.Command("go", "build", "-o", tool, "tracecheck/cmd/tracecheck").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %v\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	short, long := filepath.Join(dir, "short.jsonl"), filepath.Join(dir, "long.jsonl")
	if err := makeLoad(short, events); err != nil {
		return err
	}
	info, err := os.Stat(short)
	if err != nil {
		return err
	}
	fmt.Printf("%d events, %.0f MB, about %d live tasks; %s, %s/%s, %d CPUs; %d runs each, in turn\n", events,
		float64(info.Size())/1e6, liveTasks, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runs)

	var ratios, validates, bares []float64
	var peak int64
	for i := -1; i < runs; i++ {
		v, mem, err := measure(tool, "validate", "--quiet", short)
		if err != nil {
			return err
		}
		b, _, err := measure(self, "-bare", short)
		if err != nil {
			return err
		}
		if i >= 0 {
			ratios, validates, bares = append(ratios, v/b), append(validates, v), append(bares, b)
			peak = max(peak, mem)
		}
	}
	fmt.Printf("validate / bare gjson loop: %.2f (median; %.2f to %.2f); %.0f and %.0f thousand events a second\n",
		median(ratios), slices.Min(ratios), slices.Max(ratios), float64(events)/median(validates)/1e3, float64(events)/median(bares)/1e3)

	const times = 5
	if err := makeLoad(long, times*events); err != nil {
		return err
	}
	_, longPeak, err := measure(tool, "validate", "--quiet", long)
	if err != nil {
		return err
	}
	fmt.Printf("peak memory: %.1f MB for %d events, %.1f MB for %d: ratio %.2f\n",
		float64(peak)/1e6, events, float64(longPeak)/1e6, times*events, float64(longPeak)/float64(peak))
	return nil
}

// measure runs a command that must succeed: seconds on the clock and the
// process's peak resident memory in bytes.
func measure(name string, args ...string) (float64, int64, error) {
	cmd := exec.Command(name, args...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("%s %v: %v\n%s", filepath.Base(name), args, err, out)
	}
	peak := int64(0)
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = u.Maxrss * 1024 // kilobytes on Linux
	}
	return time.Since(start).Seconds(), peak, nil
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
