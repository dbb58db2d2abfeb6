// Package raftlog reads the raft log and snapshots of a swarm's manager from its disk. It
// writes them as a format-1 trace. The existing objects come first, as snapshots. Then each
// log entry is a step. It changes no file.
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

// Options are the settings of Open. The zero value is ready.
type Options struct {
	UnlockKey []byte // nil: none. An unlocked swarm needs none
	FromStart bool   // begin at the oldest usable snapshot, not at the newest
	Stream    string // the name of the stream in each line
}

// Log is a manager's log, from a known state on.
type Log struct {
	opts      Options
	decrypter encryption.Decrypter
	from      start
	base      *api.StoreSnapshot
	entries   []raftpb.Entry // committed entries
	end       error          // why the end of the log is not reached; nil: it is
	notes     []string
}

// Open finds the keys, log and snapshots in a copied swarm directory. Its error
// names the remedy.
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

// Notes are remarks for the reader of the trace. Write may add some.
func (l *Log) Notes() []string { return l.notes }

// choose chooses the start from which most of the log can be replayed.
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

// readable tries to decrypt the first entry. After a rotation of keys, older
// entries cannot be decrypted.
func (l *Log) readable(entries []raftpb.Entry) error {
	for i := range entries {
		if e := &entries[i]; holdsActions(e) {
			_, err := decode(e, l.decrypter)
			return err
		}
	}
	return nil
}

// finish sets how the chosen run ends.
func (l *Log) finish(r *run, later []*run) {
	if len(later) > 0 {
		l.end = fmt.Errorf("entries after %d cannot be used: %s", max(r.last(), l.from.index), r.broken)
		return
	}
	if r.commit > r.last() {
		l.end = fmt.Errorf("entries up to %d were committed, but the log ends at %d: its end is missing", r.commit, r.last())
		return
	}
	known := max(r.commit, l.from.index)
	if n := r.last() - known; n > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%d entries after %d are left out: this manager has not committed them", n, known))
	}
}

// missing is the error that no start leads to the log.
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
