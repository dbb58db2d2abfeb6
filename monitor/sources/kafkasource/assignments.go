package kafkasource

import (
	"strings"
	"sync"

	"tracecheck/ingest"
	"tracecheck/ingest/kafka"
	"tracecheck/monitor"
	"tracecheck/trace"
)

// assignments are kafka.Assignment of this process's partitions. A stream may move
// with a snapshot, since that replaces all earlier state.
type assignments struct {
	mu sync.Mutex
	of kafka.Assignment
}

// forget drops the streams of a partition that is no longer read.
func (a *assignments) forget(file string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for stream, owner := range a.of {
		if owner == file {
			delete(a.of, stream)
		}
	}
}

// check removes events of streams that another partition has, up to their first
// snapshots. Meta lines stay: they apply to the snapshots.
func (a *assignments) check(file string, streams []kafka.First, b *monitor.Batch) {
	strangers := a.strangers(file, streams)
	if len(strangers) == 0 {
		return
	}
	b.TakeOut(0, func(ev *trace.Event) (bool, *ingest.Malformed) {
		owner, is := strangers[ev.Stream]
		switch {
		case !is, ev.Kind == trace.KindMeta:
			return false, nil
		case ev.Op == trace.OpSnapshot:
			a.move(ev.Stream, file)
			delete(strangers, ev.Stream)
			return false, nil
		}
		stream := strings.Clone(ev.Stream)
		err := kafka.Split(ev.Pos, stream, owner)
		err.Reason += ", or restart the stream with a snapshot"
		return true, &ingest.Malformed{
			Streams: []string{stream}, Key: []byte(stream), Raw: []byte(ev.Raw[:min(len(ev.Raw), kafka.MaxRaw)]), Err: err,
		}
	})
}

// strangers returns those of the streams that another partition has, with its
// name.
func (a *assignments) strangers(file string, streams []kafka.First) (found map[string]string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = kafka.Assignment{}
	}
	for _, s := range streams {
		if owner := a.of.Of(s.Stream, file); owner != file {
			if found == nil {
				found = map[string]string{}
			}
			found[s.Stream] = owner
		}
	}
	return found
}

// move assigns a known stream to the file.
func (a *assignments) move(stream, file string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.of[strings.Clone(stream)] = file // the original's memory may be reused
}
