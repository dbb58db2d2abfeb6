package validators

import (
	"math"

	"tracecheck/trace"
)

// A processor waits long for memory that its caches do not hold, but hardly
// longer for many places at once than for one. So where there is much state, what
// the next events need of it is read beforehand, for several of them together:
// stage by stage, since a place is known only by what was read before.

// Foreseer is a Machine that can read ahead.
type Foreseer interface {
	Machine
	// Foresee reads what judging the events will need, as far as the stages
	// before have found it, for the stages from 0 up to ForeseeStages: in loops
	// so short that the processor is at many events at once. It changes nothing
	// but the events. What it returns has no meaning: a value that depends on all
	// that was read, so that the compiler has it read.
	Foresee(events []Ahead, stage int) int
}

// ForeseeStages is how many stages there are.
const ForeseeStages = 6

// Ahead is an event that is to be judged soon. What a machine's stages find of
// it is kept for those to come.
type Ahead struct {
	Event *trace.Event
	Place int // what Index.Place says of its id
	Found any // a record

	stream *stream
}

const (
	aheadBy     = 16    // events
	manyStreams = 500   // of a shard: more than caches hold
	manyLive    = 5_000 // objects of a stream
)

// horizon is up to where a shard has read ahead of what it judges.
type horizon struct {
	list [aheadBy]Ahead
	left int // events until it
	read int // of no meaning: what was read, so that it is
}

// isLarge reports whether the caches may not hold what is to be judged.
func (sh *shard) isLarge() bool {
	if len(sh.streams) > manyStreams {
		return true
	}
	for _, s := range sh.touched[:min(aheadBy, len(sh.touched))] {
		for _, j := range s.judges {
			if m, can := j.machine.(Foreseer); can && m.Live() > manyLive {
				return true
			}
		}
	}
	return false
}

// cacheLine is what a processor reads of memory at once, in bytes.
const cacheLine = 64

// fetch reads the events, which another processor has decoded, as they lie in
// memory: streams will take them out of turn.
func (h *horizon) fetch(events []trace.Event) {
	for i := range events {
		ev := &events[i]
		h.read += int(ev.Kind) + len(ev.Actor)
		for k := 0; k < len(ev.Raw); k += cacheLine {
			h.read += int(ev.Raw[k])
		}
		if len(ev.Fields) > 0 {
			h.read += int(ev.Fields[0].Type)
		}
	}
}

// begin is called when the shard knows the streams of its share.
func (h *horizon) begin(sh *shard) {
	if h.left = math.MaxInt; sh.isLarge() {
		h.left = 0
	}
}

// advance reads on from an event of the first of the streams.
func (h *horizon) advance(sh *shard, streams []*stream, event int, events []trace.Event) {
	h.left = 0
	for h.left < aheadBy {
		h.list[h.left] = Ahead{Event: &events[event], stream: streams[0]}
		h.left++
		if event = sh.links[event]; event < 0 {
			if streams = streams[1:]; len(streams) == 0 {
				break
			}
			event = int(streams[0].head)
		}
	}
	list := h.list[:h.left]
	for i := range list {
		s := list[i].stream
		h.read += len(s.judges) + s.events + int(s.seq.Gaps)
	}
	for i := range list {
		for _, j := range list[i].stream.judges {
			h.read += len(j.since.File) + int(j.ledger.now.nanos)
		}
	}
	for stage := range ForeseeStages {
		for from := 0; from < len(list); {
			to := from + 1 // of the same stream
			for to < len(list) && list[to].stream == list[from].stream {
				to++
			}
			for _, j := range list[from].stream.judges {
				if m, can := j.machine.(Foreseer); can {
					h.read += m.Foresee(list[from:to], stage)
				}
			}
			from = to
		}
	}
}
