package raftlog

import "go.etcd.io/etcd/raft/v3/raftpb"

// run is a contiguous part of the log.
type run struct {
	first   uint64 // index of the first entry, or of the next one to be added; 0: unknown
	entries []raftpb.Entry
	commit  uint64 // the highest committed index that this part names
	broken  string // why the next part does not continue this one
}

// last is the index of the last entry.
func (r *run) last() uint64 { return r.first + uint64(len(r.entries)) - 1 }

// follows reports whether the entry can be the next one, or replace uncommitted
// ones.
func (r *run) follows(index uint64) bool { return r.first == 0 || index <= r.last()+1 }

func (r *run) add(e raftpb.Entry) {
	if r.first == 0 || e.Index < r.first {
		r.first, r.entries = e.Index, r.entries[:0]
	}
	r.entries = append(r.entries[:e.Index-r.first], e)
}

// goesOnFrom reports whether the run's entries follow a snapshot of this index
// and term.
func (r *run) goesOnFrom(index, term uint64) bool {
	if r.first == 0 || index+1 < r.first || index > r.last() {
		return false
	}
	return index+1 == r.first || r.entries[index-r.first].Term == term
}

// committed returns the entries after the index that can never be replaced.
func (r *run) committed(after uint64) []raftpb.Entry {
	end := min(r.commit, r.last())
	if end <= after {
		return nil
	}
	return r.entries[after+1-r.first : end+1-r.first]
}
