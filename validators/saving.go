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
	codec *codec.Codec
	noted []savedStream

	longest time.Duration // that one stream took which an event waited for
	spent   time.Duration // by all of these
}

type savedStream struct {
	name  string
	state []byte
}

// BeginSave begins to save each stream that has had an event since the last
// Saving began, or all. There is one Saving at a time, and Share is called until
// it is done; after one that was left in the midst, the next is of all.
func (r *Runner) BeginSave(all bool) *Saving {
	for i := range r.shards {
		sh := &r.shards[i]
		n := &sh.noting
		n.epoch++
		n.going, n.all, n.due, n.noted = true, all, sh.changed, nil
		n.longest, n.spent = 0, 0
		if sh.changed = nil; all {
			n.due = slices.Clip(sh.list) // streams that appear from now on are none of it
		}
		n.codec = codec.Writer(nil)
	}
	return &Saving{r}
}

// Share notes streams until so much time has passed, but at least one, and
// yields those that were noted since the last call, each with its state, which
// is the caller's. It reports whether these were the last. No events are judged
// meanwhile.
func (s *Saving) Share(most time.Duration, yield func(stream string, state []byte)) (done bool) {
	end := time.Now().Add(most)
	shards := s.run.shards
	var others sync.WaitGroup
	for i := range shards[1:] {
		others.Go(func() { shards[i+1].noteUntil(end) })
	}
	shards[0].noteUntil(end)
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
	r.BeginSave(all).Share(math.MaxInt64>>1, yield)
}

func (sh *shard) noteUntil(end time.Time) {
	n := &sh.noting
	for len(n.due) > 0 {
		s := n.due[0]
		if n.due = n.due[1:]; s.noted == n.epoch {
			continue
		}
		if sh.note(s); !time.Now().Before(end) {
			break
		}
	}
	if len(n.due) == 0 {
		n.going, n.due, n.codec = false, nil, nil
	}
}

// largeState is too large to be copied out of the buffer it was written to.
const largeState = 64 << 10

func (sh *shard) note(s *stream) {
	n := &sh.noting
	s.noted = n.epoch
	n.codec.Reset()
	s.code(n.codec)
	state := n.codec.Data()
	if len(state) < largeState {
		state = slices.Clone(state)
	} else {
		n.codec = codec.Writer(nil)
	}
	n.noted = append(n.noted, savedStream{s.name, state})
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
