package raftlog

import (
	"fmt"
	"io"
	"time"

	"github.com/moby/swarmkit/v2/api"

	_ "tracecheck/specs" // which register the kinds that lines have
)

// Summary describes the source of a trace.
type Summary struct {
	From, To uint64 // the entry before the trace, and the last one read
	Steps    int    // entries with recorded changes
	Lines    int    // of the steps
	Rejected int    // entries that no manager could apply
}

// replay is the state of writing a trace.
type replay struct {
	log    *Log
	store  *store
	scribe scribe
	at     time.Time // of the last step
	limit  *int64    // the current task history limit
	stated *int64    // the limit in the last meta line
	sum    Summary
}

// flushAt is the size of a write, in bytes.
const flushAt = 1 << 16

// Write writes the trace. If the log ends early, Write writes the part before,
// and the error names what is missing.
func (l *Log) Write(w io.Writer) (Summary, error) {
	r := &replay{log: l, scribe: scribe{stream: l.opts.Stream}}
	r.store, r.at = restore(l.base)
	r.sum.From, r.sum.To = l.from.index, l.from.index
	err := r.begin()
	for i := 0; err == nil && i < len(l.entries); i++ {
		before := r.scribe.buf.Len()
		if err = r.entry(i); err != nil {
			r.scribe.buf.Truncate(before) // write complete steps only
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
		return fmt.Errorf("cannot write %s: %w", r.log.from.path, err)
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
			r.log.notes = append(r.log.notes, fmt.Sprintf("entry %d is left out, as managers reject it: %v", e.Index, err))
		}
		return nil
	}
	if len(changes) == 0 {
		return nil
	}
	// Leaders' clocks may differ, but a trace's time never decreases.
	r.at = later(r.at, stamp(actions))
	if r.limit != nil && *r.limit != *r.stated {
		r.stated = r.limit
		if err := r.scribe.meta(r.limit); err != nil {
			return err
		}
	}
	if err := r.scribe.step(e.Index, r.at, changes); err != nil {
		return fmt.Errorf("cannot write entry %d: %w", e.Index, err)
	}
	r.sum.Steps++
	r.sum.Lines += len(changes)
	return nil
}

// findLimit looks ahead for the limit: the trace's first line needs it, but a
// swarm's first entries precede its cluster object.
func (r *replay) findLimit() {
	for _, c := range r.log.base.Clusters {
		r.limit = historyLimit(c)
		return
	}
	for i := range r.log.entries {
		all, err := decode(&r.log.entries[i], r.log.decrypter)
		if err != nil {
			break // entry reports it, after what precedes it
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

// watchLimit follows changes of the limit, if the trace states one at its
// start.
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
