package monitor

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"tracecheck/monitor/checkpoint"
	"tracecheck/validators"
)

// note is a checkpoint in the making: of the part as it was at its position. The
// streams are noted a share at a time, between batches.
type note struct {
	part     *part
	head     head
	recent   []numbered
	saving   *validators.Saving
	change   *checkpoint.Change
	longest  time.Duration // the longest time for which the judging stopped
	together time.Duration // all such times
}

const (
	// share is how long the judging stops for the streams of one share.
	share = 10 * time.Millisecond
	// betweenShares lets a batch in that waits for its turn.
	betweenShares = time.Millisecond
)

// showFor bounds for how long a checkpoint waits for snapshots.
const showFor = time.Minute

// isDue reports whether a checkpoint is to be made now.
func (p *part) isDue(now time.Time) bool {
	return p.saver.isDue(now, p.m.opts.Every) && !p.isShown(now)
}

// isShown reports whether snapshots of a large stream come, so that a checkpoint
// that is due rather waits: before their end, it would stop the judging for long.
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

// note begins a checkpoint; p.mu is held. What is large is only pointed to: it
// does not change.
func (p *part) note(whole bool) *note {
	start := time.Now()
	n := &note{part: p, change: &checkpoint.Change{Whole: whole}, saving: p.runner.BeginSave(whole), recent: p.recent.save(whole)}
	n.head = head{
		Version: headVersion, Settings: p.m.opts.Judge.Settings(), Of: p.identity(), Position: p.position, Missed: p.missed, Totals: p.totals.clone(),
		Pending: p.m.opts.Outbox.Pending(p.name), Recent: p.recent.count, Saved: start.UTC(),
	}
	n.stopped(time.Since(start))
	return n
}

func (n *note) stopped(took time.Duration) {
	n.longest, n.together = max(n.longest, took), n.together+took
}

// finish notes the streams, and returns the checkpoint.
func (n *note) finish() *checkpoint.Change {
	p, c := n.part, n.change
	add := func(name string, state []byte) {
		c.Streams = append(c.Streams, checkpoint.Stream{Name: name, State: state})
	}
	for done := false; !done; {
		p.mu.Lock()
		start := time.Now()
		var names []string
		var states []validators.State
		done = n.saving.Share(share, func(stream string, state validators.State) {
			names, states = append(names, stream), append(states, state)
		})
		took := time.Since(start)
		p.mu.Unlock()
		if n.stopped(took); !done {
			time.Sleep(betweenShares)
		}
		for i := range names {
			add(streamRecord+names[i], states[i].Bytes())
		}
	}
	longest, together := n.saving.Waits()
	n.longest, n.together = max(n.longest, longest), n.together+together
	for _, v := range n.recent {
		if data, err := json.Marshal(v); err == nil {
			add(violationRecord+v.slot(), data)
		}
	}
	// A file that has them in this order takes them at its end, one after another.
	slices.SortFunc(c.Streams, func(a, b checkpoint.Stream) int { return strings.Compare(a.Name, b.Name) })
	var err error
	if c.Head, err = json.Marshal(&n.head); err != nil {
		panic(err) // of what JSON has all types for
	}
	return c
}
