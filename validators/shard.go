package validators

import (
	"errors"
	"hash/maphash"
	"runtime"
	"strings"
	"sync"

	"tracecheck/trace"
)

// maxShards bounds the shards on machines with many processors.
const maxShards = 16

// manyEvents is how many events of one Push are worth several goroutines.
const manyEvents = 128

// shard is the streams that one goroutine judges at a time. What it finds is
// kept with the number of the event at hand, so that the outcome is the same
// whatever the number of shards.
type shard struct {
	run     *Runner // read only while events are judged
	streams map[string]*stream
	last    *stream   // most events follow one of the same stream
	open    []*stream // streams whose transaction borrows the current block
	now     int       // the number of the event at hand, from 1
	steps   int
	found   []found
	unfit   unfit
	mine    []span // of the events of one Push

	workspace Workspace
	err       error
}

// found is a violation, and the event at which it came to light.
type found struct {
	Violation
	at int
}

// unfit is why the input cannot be judged, and from which event on.
type unfit struct {
	err *trace.Error // nil: it can
	at  int
}

// span is some neighbouring events.
type span struct{ from, to int }

// shardCount is how many shards judge at once. Where the order counts in which
// the streams' steps are judged, it is one.
func (o *Options) shardCount() int {
	switch {
	case o.OnStep != nil || o.Before != nil || o.MaxViolations > 0:
		return 1
	case o.Shards > 0:
		return o.Shards
	}
	return min(runtime.GOMAXPROCS(0), maxShards)
}

// deal gives the events to the shards, each stream's to one.
func (r *Runner) deal(events []trace.Event) (used int) {
	if len(r.shards) == 1 {
		r.shards[0].mine = append(r.shards[0].mine, span{0, len(events)})
		return 1
	}
	var last *shard
	for i := range events {
		if last != nil && events[i].Stream == events[i-1].Stream {
			last.mine[len(last.mine)-1].to = i + 1
			continue
		}
		sh := &r.shards[maphash.String(r.seed, events[i].Stream)%uint64(len(r.shards))]
		if len(sh.mine) == 0 {
			used++
		}
		sh.mine = append(sh.mine, span{i, i + 1})
		last = sh
	}
	return used
}

// judge has each shard judge what it was dealt.
func (r *Runner) judge(events []trace.Event) error {
	used := r.deal(events)
	var wait sync.WaitGroup
	for i := range r.shards {
		sh := &r.shards[i]
		if len(sh.mine) == 0 {
			continue
		}
		if used--; used == 0 || len(events) < manyEvents {
			sh.push(events) // the caller's goroutine does its share
		} else {
			wait.Go(func() { sh.push(events) })
		}
	}
	wait.Wait()
	r.events += len(events)
	for i := range r.shards {
		sh := &r.shards[i]
		if u := sh.unfit; u.err != nil && (r.unfit.err == nil || u.at < r.unfit.at) {
			r.unfit = u
		}
		if sh.err != nil { // there is but one shard
			r.events = sh.now
			return sh.err
		}
	}
	return nil
}

// push judges the shard's share of the events.
func (sh *shard) push(events []trace.Event) {
	for _, own := range sh.mine {
		for i := own.from; i < own.to; i++ {
			sh.now = sh.run.events + i + 1
			if sh.err = sh.take(&events[i]); sh.err != nil {
				return
			}
		}
	}
	sh.mine = sh.mine[:0]
	for _, s := range sh.open {
		s.seq.Own()
		s.open = false
	}
	sh.open = sh.open[:0]
}

func (sh *shard) take(ev *trace.Event) error {
	s := sh.stream(ev)
	wasPending := s.seq.Pending()
	if err := s.seq.Push(ev, s); err != nil {
		if err := sh.fail(s, err); err != nil {
			return err
		}
	}
	if s.seq.Pending() && (!wasPending || !s.open) {
		s.open = true
		sh.open = append(sh.open, s)
	}
	return nil
}

func (sh *shard) stream(ev *trace.Event) *stream {
	if sh.last != nil && sh.last.name == ev.Stream {
		return sh.last
	}
	s := sh.streams[ev.Stream]
	if s == nil {
		s = &stream{name: strings.Clone(ev.Stream), shard: sh, run: sh.run, first: sh.now, clock: noTime}
		s.seq.OnGap = sh.run.opts.OnGap
		sh.streams[s.name] = s
	}
	sh.last = s
	return s
}

// fail records that a stream cannot be judged; the others go on. Any other
// error ends the run.
func (sh *shard) fail(s *stream, err error) error {
	reason, ok := errors.AsType[*trace.Error](err)
	if !ok {
		return err
	}
	if sh.unfit.err == nil {
		sh.unfit = unfit{reason, sh.now}
	}
	s.stop()
	return nil
}
