package validators

import (
	"math"
	"slices"
	"sync"
	"time"

	"tracecheck/trace/codec"
)

// Saving encodes the states of streams as of its beginning, a share at a time.
// Events are judged between the shares. A stream with a new event is encoded
// before that event.
type Saving struct{ run *Runner }

// noting is a shard's part of the current or last Saving.
type noting struct {
	epoch uint32 // number of the Saving
	going bool
	all   bool      // save all streams, not only those that changed since the last Saving
	due   []*stream // streams left to look at
	large []part    // streams that are encoded in parts
	codec *codec.Codec
	noted []savedStream

	longest time.Duration // the longest time that one stream delayed an event
	spent   time.Duration // the sum of these delays
}

type savedStream struct {
	name  string
	state State
}

// State is the encoded state of a stream.
type State struct {
	data  []byte
	parts *codec.Codec // nil: data is complete
	err   error
}

// Err returns the reason why the state cannot be encoded, nil if it is.
func (s State) Err() error {
	if s.parts != nil {
		return s.parts.Err()
	}
	return s.err
}

// Bytes returns the state as one slice.
func (s State) Bytes() []byte {
	if s.parts != nil {
		return s.parts.Data()
	}
	return s.data
}

// BeginSave begins to save each stream with an event since the last Saving
// began, or all streams. There is one Saving at a time. Call Share until it is
// done. After an abandoned Saving, the next one saves all.
func (r *Runner) BeginSave(all bool) *Saving {
	for i := range r.shards {
		sh := &r.shards[i]
		n := &sh.noting
		n.epoch++
		n.going, n.all, n.due, n.large, n.noted = true, all, sh.changed, nil, nil
		n.longest, n.spent = 0, 0
		if sh.changed = nil; all {
			n.due = slices.Clip(sh.list) // later streams are not part of it
		}
		n.codec = codec.Writer(nil)
	}
	return &Saving{r}
}

// Share encodes streams for the given time, but at least one stream or a part
// of a large one. It yields the streams that were encoded since the last call,
// with their states, which the caller owns. done reports that they were the last.
// No events may be judged meanwhile.
func (s *Saving) Share(most time.Duration, yield func(stream string, state State)) (done bool) {
	end := time.Now().Add(most)
	shards := s.run.shards
	var others sync.WaitGroup
	var own *shard // if only one shard has streams left, no other goroutine is needed
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

// End abandons what is not encoded yet. No events may be judged meanwhile.
func (s *Saving) End() {
	for i := range s.run.shards {
		n := &s.run.shards[i].noting
		n.going, n.due, n.large, n.noted, n.codec = false, nil, nil, nil, nil
	}
}

// Shown counts the events of large streams that are in a run of snapshots. It takes the latest
// of each shard; 0: there is none. Until its run ends, such a stream is encoded at once.
func (r *Runner) Shown() (events int) {
	for i := range r.shards {
		if s := r.shards[i].last; s != nil && s.shown != nil && s.live() >= r.opts.InParts {
			events += s.events
		}
	}
	return events
}

// Waits returns how long events have waited for the encoding of their streams:
// the longest time, and the sum.
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

// part is a stream that is encoded in parts.
type part struct {
	stream *stream
	codec  *codec.Codec
}

func (n *noting) add(s *stream, state State) { n.noted = append(n.noted, savedStream{s.name, state}) }

// note encodes the stream, or begins to if it is large. The machines of a large
// stream then encode objects before they change them.
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
	n.add(s, State{slices.Clone(n.codec.Data()), nil, n.codec.Err()})
}

// noteRest encodes the rest of a stream before its machines are dropped or lose
// their state.
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

// live returns the number of objects.
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
	if !s.dirty {
		s.dirty = true
		sh.dirty = append(sh.dirty, s)
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
