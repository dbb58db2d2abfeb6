package specs_test

import (
	"fmt"
	"testing"

	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

// From the line to the verdict, a conforming event allocates nothing, however
// its transactions and streams lie.
func TestEventsDoNotAllocate(t *testing.T) {
	for name, tx := range map[string]func(i int) string{
		"no transactions":    func(int) string { return "" },
		"transactions of 1":  func(i int) string { return fmt.Sprintf(`"tx":%d,`, i) },
		"transactions of 10": func(i int) string { return fmt.Sprintf(`"tx":%d,`, i/10) },
	} {
		for _, streams := range []int{1, 3} {
			r, err := validators.NewRunner(validators.Options{Specs: specs.All()})
			if err != nil {
				t.Fatal(err)
			}
			var d trace.Decoder
			var lines [][]byte
			events := make([]trace.Event, 120) // too few for more than one goroutine
			for s := range streams {
				begin := fmt.Sprintf(`{"stream":"s%d","kind":"service","op":"create","id":"web","object":{"replicas":3,"remove":false}}`, s)
				if err := d.Decode([]byte(begin), trace.Pos{Line: 1}, &events[0]); err != nil {
					t.Fatal(err)
				}
				if err := r.Push(events[:1]); err != nil {
					t.Fatal(err)
				}
			}
			for i := range events {
				lines = append(lines, fmt.Appendf(nil, `{"stream":"s%d",%s"kind":"service","op":"update","id":"web","object":{"replicas":%d}}`, i%streams, tx(i), 3))
			}
			n := testing.AllocsPerRun(50, func() {
				d.Reset()
				for i, line := range lines {
					if err := d.Decode(line, trace.Pos{Line: 2 + i}, &events[i]); err != nil {
						t.Fatal(err)
					}
				}
				if err := r.Push(events); err != nil {
					t.Fatal(err)
				}
			})
			if n > 0 {
				t.Errorf("%s, %d streams: %v allocations for %d events, want none", name, streams, n, len(events))
			}
			if result := r.Finish(); result.Verdict != validators.Conforming || result.Steps == 0 {
				t.Errorf("%s, %d streams: %s, %d steps", name, streams, result.Verdict, result.Steps)
			}
		}
	}
}
