package validators

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"tracecheck/trace"
)

// nameBytes is the room for the names of some streams.
const nameBytes = 4 << 10

// maxShards bounds the shards on machines with many processors.
const maxShards = 16

// shard has streams that one goroutine at a time judges.
type shard struct {
	run     *Runner // read only while events are judged
	number  int     // its index in run.shards
	queue   queue
	wider   int              // how many batches widen has added
	streams map[string]int32 // indexes in list
	names   strings.Builder  // of the latest streams
	list    []*stream        // all streams, in the order of their first events
	at      []int32          // for each of list: its index in touched; -1: none
	changed []*stream        // streams with an event since the last Saving began
	dirty   []*stream        // streams with an event since Status last returned them
	noting  noting
	last    *stream      // of the latest event
	objects atomic.Int64 // live, as Runner.Objects counts them
	open    []*stream    // streams with a transaction that refers to the current block
	now     int          // the number of the current event, from 1
	steps   int

	duplicates, skipped int // events
	known               int // violations that are in Options.Known

	counts   map[law]*counts // how many steps each action explained
	found    []Violation
	unfit    *trace.Error // the first reason not to judge
	troubles []Trouble    // with Options.Recover
	spans    []span       // its share of the batches
	links    []int        // for each span: the next one of its stream; -1: none
	touched  []touched
	ahead    prefetched

	reckoning reckoning
	notes     notes

	workspace Workspace
	room      trace.Room
	unset     settings  // for streams without settings
	settled   *settings // the latest settings: most streams have the same
	err       error
}

// inOrder reports whether the steps of all streams must be judged in the order of the
// input.
func (o *Options) inOrder() bool { return o.OnStep != nil || o.Before != nil || o.MaxViolations > 0 }

// shardCount returns the number of shards.
func (o *Options) shardCount() int {
	switch {
	case o.inOrder():
		return 1
	case o.Shards > 0:
		return o.Shards
	}
	return min(runtime.GOMAXPROCS(0), maxShards)
}

// shardOf returns the shard of the stream.
func (r *Runner) shardOf(stream string) *shard {
	return &r.shards[trace.Share(stream, len(r.shards))]
}

// push judges the shard's share of the batches.
func (sh *shard) push(batches ...*batch) {
	sh.run.busy.Add(1)
	defer sh.run.busy.Add(-1)
	for _, b := range batches {
		own := b.shares[sh.number]
		if sh.run.opts.inOrder() {
			sh.pushInOrder(b)
		} else {
			sh.spans = append(sh.spans, own...)
		}
		clear(own) // it keeps the events from the garbage collector
	}
	sh.pushByStream(sh.spans)
	clear(sh.spans)
	sh.spans = sh.spans[:0]
	for _, s := range sh.open {
		s.seq.Own()
		s.open = false
	}
	sh.open = sh.open[:0]
}

func (sh *shard) pushInOrder(b *batch) {
	for i := range b.events {
		sh.now = b.before + i + 1
		if _, sh.err = sh.take(sh.list[sh.indexOf(&b.events[i])], b.events[i:i+1], nil, 1); sh.err != nil {
			return
		}
	}
}

// touched is a stream with spans in the current push.
type touched struct {
	stream     *stream
	index      int32 // in shard.list
	head, tail int32 // its first and last span, linked by shard.links
}

// link links the spans of each stream. It does not read the streams, which may not be in the caches.
func (sh *shard) link(spans []span) {
	sh.links = slices.Grow(sh.links[:0], len(spans))[:len(spans)]
	for k, own := range spans {
		if len(sh.streams) <= manyStreams { // else the caches lose them before they are judged
			sh.ahead.fetch(own.events)
		}
		sh.now, sh.links[k] = own.first, -1
		index := sh.indexOf(&own.events[0])
		if at := sh.at[index]; at >= 0 {
			t := &sh.touched[at]
			sh.links[t.tail], t.tail = k, int32(k)
			continue
		}
		sh.at[index] = int32(len(sh.touched))
		sh.touched = append(sh.touched, touched{sh.list[index], index, int32(k), int32(k)})
	}
}

// pushByStream judges one stream after the other, so that the processor's caches
// are used well.
func (sh *shard) pushByStream(spans []span) {
	sh.link(spans)
	sh.ahead.begin(sh)
	grown := 0
	for n := range sh.touched {
		t := &sh.touched[n]
		s, k := t.stream, int(t.head)
		sh.at[t.index] = -1
		for k >= 0 && sh.err == nil {
			events, after := spans[k].events, sh.links[k]
			var next *trace.Event
			if after >= 0 {
				next = &spans[after].events[0]
			}
			stop := sh.anticipate(s, events)
			for i := 0; i < len(events) && sh.err == nil; {
				if sh.ahead.left <= 0 {
					sh.ahead.advance(sh, sh.touched[n:], spans, k, i)
				}
				taken := 0
				taken, sh.err = sh.take(s, events[i:], next, sh.ahead.left)
				i += taken
				sh.ahead.left -= taken
			}
			if stop != nil {
				stop()
			}
			k = after
		}
		grown += s.grown()
	}
	sh.objects.Add(int64(grown))
	sh.touched = sh.touched[:0]
}

// streamObjects is the memory of an empty stream, in that of an object.
const streamObjects = 6

// grown returns by how many objects the stream has grown since the last call.
func (s *stream) grown() int {
	before := s.objects
	s.objects = streamObjects
	for _, j := range s.judges {
		if j.machine != nil {
			s.objects += j.machine.Live()
		}
	}
	return s.objects - before
}

// Objects returns about how many objects live, as a measure of memory. It may be called at
// any time. A run that judges in the order of the input does not count them.
func (r *Runner) Objects() (n int) {
	for i := range r.shards {
		n += int(r.shards[i].objects.Load())
	}
	return n
}

// take judges at least one of the stream's next events, and at most the given number, unless
// they end within a transaction. It returns how many it has judged.
func (sh *shard) take(s *stream, events []trace.Event, next *trace.Event, most int) (taken int, err error) {
	sh.touch(s)
	wasPending := s.seq.Pending()
	duplicates, skipped := s.seq.Duplicates, s.seq.Skipped
	for taken < min(most, len(events)) && err == nil {
		ev := &events[taken]
		n := 0
		n, err = s.seq.PushRun(events[taken:], next, s)
		taken += n
		if isOfStep(ev) { // the same holds for the other events of its transaction
			s.lines += n
		}
		if err != nil {
			err = sh.fail(s, err)
			if sh.run.opts.Recover && err == nil {
				if again := s.seq.Again(ev, s); again != nil {
					err = sh.fail(s, again)
				}
			}
		}
	}
	s.events += taken
	sh.duplicates += s.seq.Duplicates - duplicates
	sh.skipped += s.seq.Skipped - skipped
	if s.seq.Pending() && (!wasPending || !s.open) {
		s.open = true
		sh.open = append(sh.open, s)
	}
	return taken, err
}

// indexOf returns the index of the event's stream in the list, and creates the stream if needed.
func (sh *shard) indexOf(ev *trace.Event) int32 {
	i, known := sh.streams[ev.Stream]
	if !known {
		i = int32(len(sh.list))
		sh.appears(sh.create(ev.Stream), ev)
	}
	sh.last = sh.list[i]
	return i
}

// named returns the stream with the name, and creates it if needed.
func (sh *shard) named(name string) *stream {
	if i, known := sh.streams[name]; known {
		return sh.list[i]
	}
	return sh.create(name)
}

func (sh *shard) create(name string) *stream {
	s := &stream{name: sh.keepName(name), shard: sh, first: sh.run.before + sh.now, clock: noTime, noted: sh.noting.epoch, settings: &sh.unset}
	s.seq.OnGap, s.seq.Recover, s.seq.Remember, s.seq.Room = sh.run.opts.OnGap, sh.run.opts.Recover, sh.run.opts.Remember, &sh.room
	sh.streams[s.name] = int32(len(sh.list))
	sh.list, sh.at = append(sh.list, s), append(sh.at, -1)
	return s
}

// stream returns the stream with the name, nil if it is unknown.
func (r *Runner) stream(name string) *stream {
	sh := r.shardOf(name)
	if i, known := sh.streams[name]; known {
		return sh.list[i]
	}
	return nil
}

// keepName copies a name. The names of a shard's streams lie together, so that the caches keep them.
func (sh *shard) keepName(name string) string {
	if len(name) > sh.names.Cap()-sh.names.Len() {
		sh.names = strings.Builder{}
		sh.names.Grow(max(len(name), nameBytes))
	}
	from := sh.names.Len()
	sh.names.WriteString(name)
	return sh.names.String()[from:]
}

// fail records that a stream cannot be judged further. Judging of the others continues.
// Any other error ends the run.
func (sh *shard) fail(s *stream, err error) error {
	reason, ok := errors.AsType[*trace.Error](err)
	if !ok {
		return err
	}
	switch {
	case sh.run.opts.Recover && s.unfit:
		sh.giveUp(s, reason)
	case sh.run.opts.Recover:
		sh.lose(s, reason)
	default:
		if sh.run.isBefore(reason, sh.unfit) {
			sh.unfit = reason
		}
		s.stop()
	}
	return nil
}
