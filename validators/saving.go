package validators

import (
	"math"
	"slices"
	"sync"
	"time"

	"tracecheck/trace/codec"
)

// Saving notes the states of streams as they are when it begins, a share at a
// time, while events go on being judged between the shares. A stream that takes
// an event before its turn is noted first.
type Saving struct{ run *Runner }

// noting is a shard's part of the Saving under way, or of the last one.
type noting struct {
	epoch uint32 // its number
	going bool
	all   bool      // every stream is due, else those with an event since the one before
	due   []*stream // those left to look at
	large []part    // streams that are noted in parts
	codec *codec.Codec
	noted []savedStream

	longest time.Duration // that one stream took which an event waited for
	spent   time.Duration // by all of these
}

type savedStream struct {
	name  string
	state State
}

// State is a stream's state, written down.
type State struct {
	data  []byte
	parts *codec.Codec // nil: data is all of it
}

// Bytes puts together what was written in parts.
func (s State) Bytes() []byte {
	if s.parts != nil {
		return s.parts.Data()
	}
	return s.data
}

// BeginSave begins to save each stream that has had an event since the last
// Saving began, or all. There is one Saving at a time, and Share is called until
// it is done; after one that was left in the midst, the next is of all.
func (r *Runner) BeginSave(all bool) *Saving {
	for i := range r.shards {
		sh := &r.shards[i]
		n := &sh.noting
		n.epoch++
		n.going, n.all, n.due, n.large, n.noted = true, all, sh.changed, nil, nil
		n.longest, n.spent = 0, 0
		if sh.changed = nil; all {
			n.due = slices.Clip(sh.list) // streams that appear from now on are none of it
		}
		n.codec = codec.Writer(nil)
	}
	return &Saving{r}
}

// Share notes streams until so much time has passed, but at least one, or a part
// of a large one, and yields those that were noted since the last call, each with its state, which
// is the caller's. It reports whether these were the last. No events are judged
// meanwhile.
func (s *Saving) Share(most time.Duration, yield func(stream string, state State)) (done bool) {
	end := time.Now().Add(most)
	shards := s.run.shards
	var others sync.WaitGroup
	var own *shard // no other goroutine need be waited for where one shard alone has some left
	for i := range shards {
		sh := &shards[i]
		if len(sh.noting.due)+len(sh.noting.large) == 0 {
			sh.noteUntil(end)
			continue
		}
		if own != nil {
			others.Go(func() { sh.noteUntil(end) })
			continue
		}
		own = sh
	}
	if own != nil {
		own.noteUntil(end)
	}
	others.Wait()
	done = true
	for i := range shards {
		n := &shards[i].noting
		for _, one := range n.noted {
			yield(one.name, one.state)
		}
		n.noted = nil
		done = done && !n.going
	}
	return done
}

// End gives up what is not noted yet. No events are judged meanwhile.
func (s *Saving) End() {
	for i := range s.run.shards {
		n := &s.run.shards[i].noting
		n.going, n.due, n.large, n.noted, n.codec = false, nil, nil, nil, nil
	}
}

// Shown is how many events a large stream has had that is in a run of snapshots,
// the last one of each shard; 0: none is. Until the run is over, what
// it has shown is saved at once.
func (r *Runner) Shown() (events int) {
	for i := range r.shards {
		if s := r.shards[i].last; s != nil && s.shown != nil && s.live() >= r.opts.InParts {
			events += s.events
		}
	}
	return events
}

// Waits are for how long events have waited for the states of their streams:
// for one of them at most, and all together.
func (s *Saving) Waits() (longest, together time.Duration) {
	for i := range s.run.shards {
		n := &s.run.shards[i].noting
		longest = max(longest, n.longest)
		together += n.spent
	}
	return longest, together
}

// Save is a Saving in one share.
func (r *Runner) Save(all bool, yield func(stream string, state []byte)) {
	r.BeginSave(all).Share(math.MaxInt64>>1, func(stream string, state State) { yield(stream, state.Bytes()) })
}

func (sh *shard) noteUntil(end time.Time) {
	n := &sh.noting
	isOver := func() bool { return !time.Now().Before(end) }
	for len(n.due)+len(n.large) > 0 {
		switch {
		case len(n.large) > 0:
			if p := n.large[0]; p.codec.Rest(isOver) {
				n.large = n.large[1:]
				n.add(p.stream, State{parts: p.codec})
			}
		case n.due[0].noted == n.epoch:
			n.due = n.due[1:]
			continue
		default:
			sh.note(n.due[0])
			n.due = n.due[1:]
		}
		if isOver() {
			return
		}
	}
	n.going, n.due, n.codec = false, nil, nil
}

// part is a stream of which a part is noted.
type part struct {
	stream *stream
	codec  *codec.Codec
}

func (n *noting) add(s *stream, state State) { n.noted = append(n.noted, savedStream{s.name, state}) }

// note notes the stream, or begins to if it is large: its machines then see to
// it that what they change is noted first.
func (sh *shard) note(s *stream) {
	n := &sh.noting
	s.noted = n.epoch
	if s.live() >= sh.run.opts.InParts {
		c := codec.Writer(nil)
		c.Divide()
		s.code(c)
		n.large = append(n.large, part{s, c})
		return
	}
	n.codec.Reset()
	s.code(n.codec)
	n.add(s, State{data: slices.Clone(n.codec.Data())})
}

// noteRest notes what is left of a stream whose machines go, or forget their
// state.
func (sh *shard) noteRest(s *stream) {
	n := &sh.noting
	for i, p := range n.large {
		if p.stream == s {
			p.codec.Rest(func() bool { return false })
			n.add(s, State{parts: p.codec})
			n.large = slices.Delete(n.large, i, i+1)
			return
		}
	}
}

// live is how many objects stand.
func (s *stream) live() (n int) {
	for _, j := range s.judges {
		if j.machine != nil {
			n += j.machine.Live()
		}
	}
	return n
}

// touch is called before the stream changes.
func (sh *shard) touch(s *stream) {
	if !s.untold {
		s.untold = true
		sh.untold = append(sh.untold, s)
	}
	n := &sh.noting
	if s.changed == n.epoch {
		return
	}
	if n.going && s.noted != n.epoch && (n.all || s.changed == n.epoch-1) {
		start := time.Now()
		sh.note(s)
		took := time.Since(start)
		n.longest, n.spent = max(n.longest, took), n.spent+took
	}
	s.changed = n.epoch
	sh.changed = append(sh.changed, s)
}
