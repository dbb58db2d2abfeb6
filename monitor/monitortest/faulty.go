// Package monitortest makes what monitors are tested with.
package monitortest

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"tracecheck/generate"
)

// Faulty is a generated trace of so many streams in which some lines are wrong:
// one in every so many. The lines have the names of their streams.
func Faulty(t testing.TB, spec string, seed uint64, streams, events, every int) []string {
	t.Helper()
	var out bytes.Buffer
	_, err := generate.Run(t.Context(), generate.Options{
		Specs: []string{spec}, Events: int64(events), Seed: seed, Streams: streams, Objects: 5,
		Start: time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC), Interval: time.Second,
	}, &out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	Spoil(rand.New(rand.NewPCG(seed, 1)), lines, every)
	return lines
}

// Spoil puts other words in place of the states of some lines, one in every so
// many.
func Spoil(r *rand.Rand, lines []string, every int) {
	for i := range lines {
		if r.IntN(every) == 0 {
			lines[i] = states.ReplaceAllString(lines[i], `"$1":"`+words[r.IntN(len(words))]+`"`)
		}
	}
}

var (
	states = regexp.MustCompile(`"(state|desired_state|status|phase)":"[a-z_]+"`)
	words  = []string{"running", "pending", "failed", "waiting"}
)
