package kafkasource

import (
	"strings"
	"sync"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor"
	"tracecheck/trace"
)

// homes is kafka.Homes of the partitions that this process has. A stream may move
// with a snapshot, from which on it needs nothing of what was before.
type homes struct {
	mu sync.Mutex
	of kafka.Homes
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
// too, up to their first snapshots. Meta lines stay: the snapshots are judged by
// them.
func (h *homes) check(file string, streams []kafka.First, b *monitor.Batch) {
	strangers := h.strangers(file, streams)
	if len(strangers) == 0 {
		return
	}
	b.TakeOut(0, func(ev *trace.Event) (bool, *monitor.Bad) {
		home, is := strangers[ev.Stream]
		switch {
		case !is, ev.Kind == trace.KindMeta:
			return false, nil
		case ev.Op == trace.OpSnapshot:
			h.move(ev.Stream, file)
			delete(strangers, ev.Stream)
			return false, nil
		}
		stream := strings.Clone(ev.Stream)
		err := kafka.Split(ev.Pos, stream, home)
		err.Reason += ", or begin the stream anew with a snapshot"
		return true, &monitor.Bad{
			Streams: []string{stream}, Key: []byte(stream), Raw: []byte(ev.Raw[:min(len(ev.Raw), kafka.MaxRaw)]), Err: err,
		}
	})
}

// strangers returns those of the streams that have another home, with that.
func (h *homes) strangers(file string, streams []kafka.First) (found map[string]string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.of = kafka.Homes{}
	}
	for _, s := range streams {
		if home := h.of.Of(s.Stream, file); home != file {
			if found == nil {
				found = map[string]string{}
			}
			found[s.Stream] = home
		}
	}
	return found
}

// move makes the file the home of a stream that is known.
func (h *homes) move(stream, file string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of[strings.Clone(stream)] = file // cloned, since it may have been forgotten meanwhile
}
