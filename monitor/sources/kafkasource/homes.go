package kafkasource

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor"
	"tracecheck/trace"
)

// homes knows the partition of each stream, of those that this process has. In
// two partitions, the order of a stream's events is not known. A stream may move
// with a snapshot, from which on it needs nothing of what was before.
type homes struct {
	mu sync.Mutex
	of map[string]string // the file, by stream
}

// forget drops the streams of a file that is no longer read.
func (h *homes) forget(file string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for stream, home := range h.of {
		if home == file {
			delete(h.of, stream)
		}
	}
}

// check takes those events out of the batch whose streams are in another file
// too.
func (h *homes) check(file string, streams []kafka.First, b *monitor.Batch) {
	strangers := h.strangers(file, streams)
	if len(strangers) == 0 {
		return
	}
	for stream, home := range strangers {
		h.refuse(file, stream, home, b)
	}
	slices.SortStableFunc(b.Bad, func(x, y monitor.Bad) int {
		return cmp.Or(cmp.Compare(x.Before, y.Before), cmp.Compare(x.Err.Pos.Line, y.Err.Pos.Line))
	})
}

// strangers returns those of the streams that have another home, with that.
func (h *homes) strangers(file string, streams []kafka.First) (found map[string]string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range streams {
		home, known := h.of[s.Stream]
		switch {
		case !known:
			if h.of == nil {
				h.of = map[string]string{}
			}
			h.of[strings.Clone(s.Stream)] = file
		case home != file:
			if found == nil {
				found = map[string]string{}
			}
			found[strings.Clone(s.Stream)] = home
		}
	}
	return found
}

// refuse makes bad messages of a stream's events, up to its first snapshot, but
// not of its meta line.
func (h *homes) refuse(file, stream, home string, b *monitor.Batch) {
	end := slices.IndexFunc(b.Events, func(e trace.Event) bool { return e.Stream == stream && e.Op == trace.OpSnapshot })
	if end >= 0 {
		h.mu.Lock()
		h.of[stream] = file
		h.mu.Unlock()
	} else {
		end = len(b.Events)
	}
	kept := b.Events[:0]
	var bad []monitor.Bad
	rest := b.Bad
	for i := range b.Events {
		for len(rest) > 0 && rest[0].Before <= i {
			rest[0].Before = len(kept)
			bad, rest = append(bad, rest[0]), rest[1:]
		}
		e := &b.Events[i]
		if e.Stream != stream || i >= end || e.Kind == trace.KindMeta { // a snapshot that follows is judged by it
			kept = append(kept, *e)
			continue
		}
		raw := []byte(e.Raw[:min(len(e.Raw), kafka.MaxRaw)])
		bad = append(bad, monitor.Bad{
			Before: len(kept), Streams: []string{stream}, Key: []byte(stream), Raw: raw,
			Err: &trace.Error{Pos: e.Pos, Stream: stream, Reason: fmt.Sprintf(
				"%s is in %s too, and the order of what lies in two partitions is not known: give all messages of a stream the same key, and the topic a constant number of partitions, or begin the stream anew with a snapshot",
				trace.StreamName(stream), trace.Pos{File: home})},
		})
	}
	for i := range rest {
		rest[i].Before = len(kept)
	}
	b.Events, b.Bad = kept, append(bad, rest...)
}
