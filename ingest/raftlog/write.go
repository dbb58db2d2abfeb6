package raftlog

import (
	"fmt"
	"io"
	"time"

	"github.com/moby/swarmkit/v2/api"

	_ "tracecheck/specs" // which register the kinds that lines have
)

// Summary says what a trace came from.
type Summary struct {
	From, To uint64 // the entry that the trace begins after, and the last one read
	Steps    int    // entries that changed something that is told
	Lines    int    // of the steps
	Rejected int    // entries that no manager could apply
}

// replay writes a log.
type replay struct {
	log    *Log
	store  *store
	scribe scribe
	at     time.Time // of the last step
	limit  *int64    // the task history limit in force
	stated *int64    // the one that the last meta line states
	sum    Summary
}

// flushAt keeps writes few.
const flushAt = 1 << 16

// Write writes the trace. Where the log ends early it writes what comes
// before, and the error says what does not follow.
func (l *Log) Write(w io.Writer) (Summary, error) {
	r := &replay{log: l, scribe: scribe{stream: l.opts.Stream}}
	r.store, r.at = restore(l.base)
	r.sum.From, r.sum.To = l.from.index, l.from.index
	err := r.begin()
	for i := 0; err == nil && i < len(l.entries); i++ {
		before := r.scribe.buf.Len()
		if err = r.entry(i); err != nil {
			r.scribe.buf.Truncate(before) // a step is written whole or not at all
		} else if r.sum.To = l.entries[i].Index; r.scribe.buf.Len() >= flushAt {
			_, err = r.scribe.buf.WriteTo(w)
		}
	}
	if _, failed := r.scribe.buf.WriteTo(w); err == nil {
		err = failed
	}
	if err == nil {
		err = l.end
	}
	return r.sum, err
}

func (r *replay) begin() error {
	r.findLimit()
	r.stated = r.limit
	if err := r.scribe.meta(r.limit); err != nil {
		return err
	}
	before := r.scribe.buf.Len()
	if err := r.scribe.snapshot(r.store.snapshot()); err != nil {
		r.scribe.buf.Truncate(before)
		return fmt.Errorf("%s cannot be written: %w", r.log.from.path, err)
	}
	return nil
}

func (r *replay) entry(i int) error {
	e := &r.log.entries[i]
	all, err := decode(e, r.log.decrypter)
	if err != nil {
		return err
	}
	r.watchLimit(all)
	actions := recorded(all)
	changes, err := r.store.apply(actions)
	if err != nil {
		if r.sum.Rejected++; r.sum.Rejected == 1 {
			r.log.notes = append(r.log.notes, fmt.Sprintf("entry %d is left out as managers do: %v", e.Index, err))
		}
		return nil
	}
	if len(changes) == 0 {
		return nil
	}
	// Clocks of two leaders may differ; a trace's time does not go back.
	r.at = later(r.at, stamp(actions))
	if r.limit != nil && *r.limit != *r.stated {
		r.stated = r.limit
		if err := r.scribe.meta(r.limit); err != nil {
			return err
		}
	}
	if err := r.scribe.step(e.Index, r.at, changes); err != nil {
		return fmt.Errorf("entry %d cannot be written: %w", e.Index, err)
	}
	r.sum.Steps++
	r.sum.Lines += len(changes)
	return nil
}

// findLimit looks ahead: the trace's first line states the limit, and a swarm's
// first entries come before its cluster object.
func (r *replay) findLimit() {
	for _, c := range r.log.base.Clusters {
		r.limit = historyLimit(c)
		return
	}
	for i := range r.log.entries {
		all, err := decode(&r.log.entries[i], r.log.decrypter)
		if err != nil {
			break // entry says so, after what comes before
		}
		for _, a := range all {
			if c := a.GetCluster(); c != nil {
				r.limit = historyLimit(c)
				return
			}
		}
	}
	r.log.notes = append(r.log.notes, "the log has no cluster object: the trace does not state max_terminated")
}

// watchLimit follows the limit. A trace that states none at its start never does.
func (r *replay) watchLimit(all []api.StoreAction) {
	for _, a := range all {
		if c := a.GetCluster(); c != nil && r.limit != nil {
			r.limit = historyLimit(c)
		}
	}
}

func historyLimit(c *api.Cluster) *int64 {
	limit := c.Spec.Orchestration.TaskHistoryRetentionLimit
	return &limit
}
