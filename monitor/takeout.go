package monitor

import (
	"tracecheck/ingest"
	"tracecheck/trace"
)

// TakeOut drops those events of the batch, from an index on, that gone selects.
// If gone also returns a malformed record, that replaces the event.
func (b *Batch) TakeOut(from int, gone func(ev *trace.Event) (bool, *ingest.Malformed)) {
	bad, kept := b.Bad, b.Events[:from]
	b.Bad = nil
	for i := from; i <= len(b.Events); i++ {
		for ; len(bad) > 0 && bad[0].Before <= i; bad = bad[1:] {
			bad[0].Before = min(bad[0].Before, len(kept))
			b.Bad = append(b.Bad, bad[0])
		}
		if i == len(b.Events) {
			break
		}
		out, instead := gone(&b.Events[i])
		if !out {
			kept = append(kept, b.Events[i])
		}
		if instead != nil {
			instead.Before = len(kept)
			b.Bad = append(b.Bad, *instead)
		}
	}
	b.Events = kept
}
