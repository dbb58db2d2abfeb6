package follow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkFollow reads half a million lines of the usual size that are there
// already.
func BenchmarkFollow(b *testing.B) {
	const n = 500_000
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `{"stream":"prod-eu","seq":%d,"time":"2026-11-20T10:00:00.123Z","tx":"%d","kind":"task","op":"update","id":"task%d","actor":"allocator","action":"AllocateTask","object":{"state":"pending","node":"n%d"}}`+"\n", i, i, i, i%100)
	}
	d := newDisk(b)
	d.add(logName, text.String())
	file, err := Open(d.path(logName), Options{})
	if err != nil {
		b.Fatal(err)
	}
	done := errors.New("done")
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		events := 0
		err := file.Follow(context.Background(), "", func(batch *Batch) error {
			if events += len(batch.Events); events == n {
				return done
			}
			return nil
		})
		if err != done {
			b.Fatal(err)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
