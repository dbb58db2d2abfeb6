package monitor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"tracecheck/monitor/checkpoint"
	"tracecheck/trace"
	"tracecheck/validators"
)

// note is a checkpoint that is being written: the part as it was at its
// position. The streams are encoded a share at a time, between batches.
type note struct {
	part     *part
	head     head
	recent   []numbered
	saving   *validators.Saving
	whole    bool
	bytes    int           // encoded
	longest  time.Duration // the longest pause of judging
	together time.Duration // the sum of all pauses
	failed   error         // a stream that cannot be encoded
}

const (
	// share is the pause of judging for one share of the streams.
	share = 10 * time.Millisecond
	// betweenShares lets a waiting batch run.
	betweenShares = time.Millisecond
)

// showFor bounds how long a checkpoint waits for snapshots.
const showFor = time.Minute

// isDue reports whether to write a checkpoint now.
func (p *part) isDue(now time.Time) bool {
	return p.saver.isDue(now, p.m.opts.Every) && !p.isShown(now)
}

// isShown reports whether the snapshots of a large stream are being read. A
// checkpoint waits for their end: before, it would stop judging for long.
func (p *part) isShown(now time.Time) bool {
	p.mu.Lock()
	shown := p.runner.Shown()
	p.mu.Unlock()
	s := &p.saver
	s.mu.Lock()
	defer s.mu.Unlock()
	more := shown > s.shown
	if s.shown = shown; more && s.waits.IsZero() {
		s.waits = now
	}
	if more && now.Sub(s.waits) < showFor {
		return true
	}
	s.waits = time.Time{}
	return false
}

// note begins a checkpoint; p.mu is held. It refers to large data without a
// copy, since that does not change.
func (p *part) note(whole bool) *note {
	start := time.Now()
	n := &note{part: p, whole: whole, saving: p.runner.BeginSave(whole), recent: p.recent.save(whole)}
	n.head = head{
		Version: headVersion, Settings: p.m.opts.Judge.Settings(), Of: p.identity(), Position: p.position, Missed: p.missed, Totals: p.totals.clone(),
		Pending: p.m.opts.Outbox.Pending(p.name), Recent: p.recent.count, Saved: start.UTC(), Acked: p.acked.list(),
	}
	n.stopped(time.Since(start))
	return n
}

func (n *note) stopped(took time.Duration) {
	n.longest, n.together = max(n.longest, took), n.together+took
}

// change returns the checkpoint. Its streams are encoded as they are read.
func (n *note) change() *checkpoint.Change {
	head, err := json.Marshal(&n.head)
	if err != nil {
		panic(err) // JSON has all types of it
	}
	n.bytes = len(head)
	return &checkpoint.Change{Head: head, Streams: n.streams, Whole: n.whole, Failed: func() error { return n.failed }}
}

// streams encodes the streams, a share at a time.
func (n *note) streams(yield func(checkpoint.Stream) bool) {
	add := func(name string, state []byte) bool {
		n.bytes += len(name) + len(state)
		return yield(checkpoint.Stream{Name: name, State: state})
	}
	for done := false; !done; {
		var names []string
		var states []validators.State
		names, states, done = n.share()
		for i := range names {
			if err := states[i].Err(); err != nil {
				n.failed = fmt.Errorf("the state of %s cannot be saved: %w", trace.StreamName(names[i]), err)
				return
			}
			if !add(streamRecord+names[i], states[i].Bytes()) {
				return
			}
			states[i] = validators.State{} // free its memory
		}
		if !done {
			time.Sleep(betweenShares)
		}
	}
	for _, v := range n.recent {
		// Without escapes of HTML: a violation's fingerprint is that of the text itself.
		var data bytes.Buffer
		enc := json.NewEncoder(&data)
		enc.SetEscapeHTML(false)
		if enc.Encode(v) == nil && !add(violationRecord+v.slot(), data.Bytes()) {
			return
		}
	}
}

// end releases what was not encoded, after a failed checkpoint.
func (n *note) end() {
	n.part.mu.Lock()
	n.saving.End()
	n.part.mu.Unlock()
	longest, together := n.saving.Waits()
	n.longest, n.together = max(n.longest, longest), n.together+together
}

// share encodes a share of the streams. Judging stops meanwhile. Only one part
// encodes at a time, so no share waits for another's processor.
func (n *note) share() (names []string, states []validators.State, done bool) {
	p := n.part
	p.m.noting.Lock()
	defer p.m.noting.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	start := time.Now()
	done = n.saving.Share(share, func(stream string, state validators.State) {
		names, states = append(names, stream), append(states, state)
	})
	n.stopped(time.Since(start))
	return names, states, done
}
