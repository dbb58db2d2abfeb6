package mapping

import (
	"fmt"
	"testing"
	"time"

	"tracecheck/trace"
)

// BenchmarkDecode maps the usual lines of an application's log, and prints how
// long that takes as a ratio to decoding the same events from a trace, both in
// turn in one run; and the same of the trace itself, mapped to itself.
func BenchmarkDecode(b *testing.B) {
	const n = 10_000
	var foreign, native [][]byte
	for i := range n {
		at := time.Unix(1795168800, int64(i)*1e6).UTC()
		foreign = append(foreign, fmt.Appendf(nil, `{"level":"info","ts":%d.%03d,"logger":"allocator","caller":"alloc/alloc.go:212","msg":"task allocated","cluster":"prod-eu","n":%d,"txn":"%d","task":{"name":"task%d","host":"n%d"}}`,
			at.Unix(), at.Nanosecond()/1e6, i, i, i, i%100))
		native = append(native, fmt.Appendf(nil, `{"stream":"prod-eu","seq":%d,"time":%q,"tx":"%d","kind":"task","op":"update","id":"task%d","actor":"allocator","action":"AllocateTask","object":{"state":"pending","node":"n%d"}}`,
			i, at.Format(time.RFC3339Nano), i, i, i%100))
	}
	for _, c := range []struct {
		name, rules string
		lines       [][]byte
	}{
		{"application", `
rules:
  - when: {msg: task created}
    ignore: true
  - when: {msg: task allocated}
    stream: "{cluster}"
    seq: "{n}"
    time: {path: ts, as: seconds}
    tx: "{txn}"
    kind: task
    op: update
    id: "{task.name}"
    actor: "{logger}"
    action: AllocateTask
    object: {state: pending, node: "{task.host}"}
`, foreign},
		{"identity", identity, native},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := parse(b, c.rules).Decoder()
			var plain trace.Decoder
			var events []trace.Event
			var mapping, decoding time.Duration
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				d.Reset()
				events = events[:0]
				for _, line := range c.lines {
					var err error
					if events, err = d.Decode(events, line, trace.Pos{}); err != nil {
						b.Fatal(err)
					}
				}
				mapping += time.Since(start)
				start = time.Now()
				plain.Reset()
				for i := range native {
					if err := plain.Decode(native[i], trace.Pos{}, &events[i]); err != nil {
						b.Fatal(err)
					}
				}
				decoding += time.Since(start)
			}
			b.ReportMetric(mapping.Seconds()/decoding.Seconds(), "x-native")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// identity maps a trace to itself.
const identity = `
defaults:
  stream: {path: stream, optional: true}
  seq: {path: seq, optional: true}
  time: {path: time, optional: true}
  tx: {path: tx, optional: true}
  kind: "{kind}"
  op: {path: op, optional: true}
  id: {path: id, optional: true}
  actor: {path: actor, optional: true}
  action: {path: action, optional: true}
rules:
  - object: {path: object, optional: true}
`
