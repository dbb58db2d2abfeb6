package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// command is one side of a comparison.
type command struct {
	args   []string // with the program's name
	env    []string // beside this process's
	events int      // that it reads
	begin  *command // does what this one does first, which does not count; nil: all counts
	// run, if set, is measured in place of args: seconds on the clock.
	run func() (float64, error)
}

// comparison is a ratio of two commands' times, per event.
type comparison struct {
	name    string
	prepare func(*comparison) error // makes what the commands read
	a, b    command
	skip    string // why it cannot be made; "": it can
	// memory, where it is set, says what the peaks of the two mean, in bytes.
	memory func(a, b int64) string
	noise  *float64 // a median so near to 1 is no difference; nil: the two sides are not alike
}

// measure runs a command that must succeed: seconds on the clock and the
// process's peak resident memory in bytes.
func (c *command) measure() (float64, int64, error) {
	if c.run != nil {
		took, err := c.run()
		return took, 0, err
	}
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Env = append(os.Environ(), c.env...)
	var errors bytes.Buffer // the output is dropped: kept, it would count as the next command's memory
	cmd.Stderr = &errors
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start).Seconds()
	if err != nil {
		return 0, 0, fmt.Errorf("%s %v: %v\n%s", filepath.Base(c.args[0]), c.args[1:], err, tail(errors.Bytes()))
	}
	peak := int64(0)
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = u.Maxrss * 1024 // kilobytes on Linux
	}
	if c.begin != nil {
		begin, _, err := c.begin.measure()
		return took - begin, peak, err
	}
	return took, peak, nil
}

// tail is the end of an output, which may be a whole trace.
func tail(out []byte) []byte {
	const most = 2000
	return out[max(0, len(out)-most):]
}

// compare runs both commands in turn, and prints and returns the ratios of their times.
func (b *bench) compare(c *comparison) (ratios []float64, err error) {
	if c.skip != "" {
		fmt.Printf("%-52s skipped: %s\n", c.name, c.skip)
		return nil, nil
	}
	if err := c.prepare(c); err != nil {
		return nil, err
	}
	var as, bs []float64
	var peakA, peakB int64
	for i := -1; i < b.runs; i++ {
		timeA, memA, err := c.a.measure()
		if err != nil {
			return nil, err
		}
		timeB, memB, err := c.b.measure()
		if err != nil {
			return nil, err
		}
		if i < 0 {
			continue // the first run fills caches
		}
		perA, perB := timeA/float64(c.a.events), timeB/float64(c.b.events)
		ratios, as, bs = append(ratios, perA/perB), append(as, perA), append(bs, perB)
		peakA, peakB = max(peakA, memA), max(peakB, memB)
	}
	text := fmt.Sprintf("%.2f (%.2f to %.2f)", median(ratios), slices.Min(ratios), slices.Max(ratios))
	if c.a.events > 1 {
		text += fmt.Sprintf("; %.0f and %.0f thousand events a second", 1e-3/median(as), 1e-3/median(bs))
	} else {
		text += fmt.Sprintf("; %.1f and %.1f ms", 1e3*median(as), 1e3*median(bs))
	}
	if c.memory != nil {
		text += "; " + c.memory(peakA, peakB)
	}
	if c.noise != nil && (math.Abs(median(ratios)-1) <= *c.noise || slices.Min(ratios) <= 1 && slices.Max(ratios) >= 1) {
		text += "; no difference"
	}
	fmt.Printf("%-52s %s\n", c.name, text)
	return ratios, nil
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
