// Package raftlog reads what a swarm's manager keeps on its disk, its raft log
// and snapshots, and tells it as a format-1 trace: what stands at first as
// snapshots, then each entry of the log as a step. It changes nothing there.
package raftlog

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/encryption"
	"github.com/moby/swarmkit/v2/manager/state/raft/storage"
	"go.etcd.io/etcd/raft/v3/raftpb"
)

// Options say what to read. The zero value is ready for use.
type Options struct {
	UnlockKey []byte // nil: none, which is enough for an unlocked swarm
	FromStart bool   // from the oldest state that leads to the log's end, not the newest
	Stream    string // the name that each line gives its stream
}

// Log is a manager's log, from a state that is known.
type Log struct {
	opts      Options
	decrypter encryption.Decrypter
	from      start
	base      *api.StoreSnapshot
	entries   []raftpb.Entry // the committed ones
	end       error          // why the log's own end is not reached, nil if it is
	notes     []string
}

// Open finds a copied swarm directory's keys, log and snapshots. Its error says
// what to do.
func Open(dir string, opts Options) (*Log, error) {
	if !utf8.ValidString(opts.Stream) {
		return nil, fmt.Errorf("the stream's name %q is not valid UTF-8: give another", opts.Stream)
	}
	where, err := locate(dir)
	if err != nil {
		return nil, err
	}
	segments, err := storage.ListWALs(where.wal)
	if err != nil {
		return nil, err
	}
	for _, name := range segments {
		if err := checkUnused(filepath.Join(where.wal, name)); err != nil {
			return nil, err
		}
	}
	l := &Log{opts: opts}
	if l.decrypter, err = decrypter(where.key, opts.UnlockKey); err != nil {
		return nil, err
	}
	h, err := readWAL(where.wal)
	if err != nil {
		return nil, err
	}
	starts, err := listStarts(where.snap)
	if err != nil {
		return nil, err
	}
	l.notes = h.notes
	if err := l.choose(h.runs, starts); err != nil {
		return nil, err
	}
	return l, nil
}

// Notes are what the reader of the trace should know of it. Write may add some.
func (l *Log) Notes() []string { return l.notes }

// choose takes the start that leads furthest.
func (l *Log) choose(runs []*run, starts []start) error {
	if l.opts.FromStart {
		slices.Reverse(starts)
	}
	var failed []error
	for i, r := range slices.Backward(runs) {
		for _, s := range starts {
			if !r.goesOnFrom(s.index, s.term) {
				continue
			}
			entries := r.committed(s.index)
			base, err := s.load(l.decrypter)
			if err == nil {
				err = l.readable(entries)
			}
			if err != nil {
				failed = append(failed, err)
				continue
			}
			for _, err := range failed {
				l.notes = append(l.notes, err.Error())
			}
			if l.opts.FromStart && i > 0 {
				l.notes = append(l.notes, "an older part of the log is left out: "+runs[i-1].broken)
			}
			l.from, l.base, l.entries = s, base, entries
			l.finish(r, runs[i+1:])
			return nil
		}
	}
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	return missing(runs, starts)
}

// readable tries the first entry: after a change of keys the older part of the
// log cannot be read any more.
func (l *Log) readable(entries []raftpb.Entry) error {
	for i := range entries {
		if e := &entries[i]; holdsActions(e) {
			_, err := decode(e, l.decrypter)
			return err
		}
	}
	return nil
}

// finish says how the run that was chosen ends.
func (l *Log) finish(r *run, later []*run) {
	if len(later) > 0 {
		l.end = fmt.Errorf("what comes after entry %d cannot be used: %s", max(r.last(), l.from.index), r.broken)
		return
	}
	if r.commit > r.last() {
		l.end = fmt.Errorf("entries up to %d were committed, but the log ends at %d: its end is missing", r.commit, r.last())
		return
	}
	known := max(r.commit, l.from.index)
	if n := r.last() - known; n > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%d entries after %d are left out: this manager does not know them as committed", n, known))
	}
}

// missing says what the log would need to go on from.
func missing(runs []*run, starts []start) error {
	r := runs[len(runs)-1]
	var have []string
	for _, s := range starts {
		if s.path != "" {
			have = append(have, filepath.Base(s.path))
		}
	}
	if r.first == 0 {
		return errors.New("the log has no entry that can be read: copy the directory again, from another manager if need be")
	}
	return fmt.Errorf("no snapshot leads to the log, which has the entries from %d to %d (snapshots: %v): copy the whole swarm directory, from another manager if need be", r.first, r.last(), have)
}
