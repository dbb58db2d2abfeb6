// Package monitortest has helpers for the tests of monitors.
package monitortest

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/generate"
)

// Faulty returns a generated trace of several streams without one in every lines. There is
// no seq, so only the remaining lines show what is missing. Each line names its stream.
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
	r := rand.New(rand.NewPCG(seed, 1))
	var lines []string
	for line := range strings.Lines(out.String()) {
		if r.IntN(every) > 0 || strings.Contains(line, `"kind":"meta"`) {
			lines = append(lines, seq.ReplaceAllString(strings.TrimSpace(line), ""))
		}
	}
	return lines
}

var seq = regexp.MustCompile(`"seq":\d+,`)
