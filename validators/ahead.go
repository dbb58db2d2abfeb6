package validators

import (
	"math"

	"tracecheck/trace"
)

// Prefetching: memory latency dominates if the state does not fit the caches,
// but many reads can overlap. So the memory for the next events is read
// beforehand, for several events together. There are stages, since each read
// gives the address of the next.

// Prefetcher is a Machine that can prefetch.
type Prefetcher interface {
	Machine
	// Prefetch prefetches what judging the events will read, for a stage from 0
	// up to PrefetchStages. Earlier stages have found the addresses. The events
	// are of machines of one spec, not only of the receiver. Its loops are short,
	// so that reads of many events overlap. It changes the events only. The
	// result depends on all reads, so that the compiler keeps them. It has no
	// other meaning.
	Prefetch(events []Ahead, stage int) int
}

// PrefetchStages is the number of stages.
const PrefetchStages = 7

// Ahead is an event that is judged soon, with what the stages have found.
type Ahead struct {
	Event   *trace.Event
	Machine Prefetcher // that judges it
	Object  Sought     // its object
	Named   Sought     // an object that a field names

	stream *stream
	spec   *Spec
	ledger *Ledger
}

// Sought is a record that is searched for.
type Sought struct {
	Field trace.FieldName // that names it
	Place int             // Index.Place of its id
	Found any
}

const (
	aheadBy     = 16    // events to prefetch for
	manyStreams = 500   // of a shard: more do not fit the caches
	manyLive    = 5_000 // objects of a stream
)

// prefetched is the events that a shard has prefetched.
type prefetched struct {
	list [aheadBy]Ahead
	left int // events in the list that are not judged yet
	read int // keeps the compiler from removing the reads
}

// isLarge reports whether the shard's state may exceed the caches.
func (sh *shard) isLarge() bool {
	if len(sh.streams) > manyStreams {
		return true
	}
	for _, t := range sh.touched[:min(aheadBy, len(sh.touched))] {
		for _, j := range t.stream.judges {
			if m, can := j.machine.(Prefetcher); can && m.Live() > manyLive {
				return true
			}
		}
	}
	return false
}

// cacheLine is the size of a cache line, in bytes.
const cacheLine = 64

// fetch reads the events, since another processor has decoded them.
func (h *prefetched) fetch(events []trace.Event) {
	for i := range events {
		ev := &events[i]
		h.read += int(ev.Kind) + int(ev.Seq) + len(ev.Actor)
		for k := 0; k < len(ev.Raw); k += cacheLine {
			h.read += int(ev.Raw[k])
		}
		if len(ev.Fields) > 0 {
			h.read += int(ev.Fields[0].Type)
		}
	}
}

// begin is called when the shard knows the streams of its share.
func (h *prefetched) begin(sh *shard) {
	if h.left = math.MaxInt; sh.isLarge() {
		h.left = 0
	}
}

// advance prefetches from an event of the first stream on, which is in the k-th span.
func (h *prefetched) advance(sh *shard, streams []touched, spans []span, k, event int) {
	h.left = 0
	for h.left < aheadBy {
		h.fetch(spans[k].events[event : event+1])
		h.list[h.left].Event, h.list[h.left].stream = &spans[k].events[event], streams[0].stream
		h.left++
		if event++; event < len(spans[k].events) {
			continue
		}
		if k = sh.links[k]; k < 0 {
			if streams = streams[1:]; len(streams) == 0 {
				break
			}
			k = int(streams[0].head)
		}
		event = 0
	}
	list := h.list[:h.left]
	for i := range list {
		s := list[i].stream
		if i > 0 && s == list[i-1].stream {
			continue
		}
		h.read += len(s.name) + int(s.seq.Gaps) + len(s.judges) + int(s.clock) + s.events
	}
	n := 0
	for i := range list {
		for _, j := range list[i].stream.judges {
			if m, can := j.machine.(Prefetcher); can {
				h.read += j.ledger.look()
				list[n] = Ahead{Event: list[i].Event, Machine: m, spec: j.spec, ledger: &j.ledger}
				n++
				break // a list with room for all would be longer
			}
		}
	}
	list = list[:n]
	for i := range list {
		if i == 0 || list[i].ledger != list[i-1].ledger {
			h.read += list[i].ledger.lookAround()
		}
	}
	for ; len(list) > 0; list = list[n:] {
		for n = 1; n < len(list) && list[n].spec == list[0].spec; n++ {
		}
		for stage := range PrefetchStages {
			h.read += list[0].Machine.Prefetch(list[:n], stage)
		}
	}
}
