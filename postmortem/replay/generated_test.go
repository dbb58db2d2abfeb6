package replay_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/generate"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// A state of a generated trace, and the lines that followed it, break what the
// whole trace breaks, and nothing else.
func TestGeneratedGoesOn(t *testing.T) {
	for _, spec := range generate.SpecNames() {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			for seed := range validatorstest.Seeds(t, 8) {
				o := generate.Options{
					Specs: []string{spec}, Violate: validators.NextRule, Seed: seed, Events: 600, Objects: 20, Streams: 1,
					Start: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Interval: time.Millisecond, Snapshot: seed%4 > 1,
				}
				if seed%2 == 0 {
					o.Batch = 6
				}
				var out bytes.Buffer
				if _, err := generate.Run(t.Context(), o, &out); err != nil {
					t.Fatal(err)
				}
				list := strings.Split(strings.TrimSpace(out.String()), "\n")
				opts := validators.Options{KeepGoing: true}
				whole := judged(t, list, opts)
				for part := 1; part < 8; part++ {
					begin, last := cut(t, list, len(list)*part/8)
					rest := judged(t, append(begin, list[last:]...), opts)
					moved := len(begin) - last
					if got, want := after(rest.Violations, 0, moved), after(whole.Violations, last, 0); !slices.Equal(got, want) {
						t.Errorf("seed %d, cut at line %d: %q, want %q", seed, last, got, want)
					}
				}
			}
		})
	}
}
