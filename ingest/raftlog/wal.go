package raftlog

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/moby/swarmkit/v2/manager/state/raft/storage"
	"go.etcd.io/etcd/raft/v3/raftpb"
	"go.etcd.io/etcd/server/v3/wal/walpb"
)

// history is the content of the segments, oldest first.
type history struct {
	runs  []*run
	notes []string
}

// readWAL reads the readable part. It returns an error if there is none.
func readWAL(dir string) (*history, error) {
	names, err := storage.ListWALs(dir)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no segment (*.wal): copy the whole swarm directory", dir)
	}
	h := &history{runs: []*run{{}}}
	var sum uint32
	var before uint64
	for i, name := range names {
		var number, index uint64
		if _, err := fmt.Sscanf(name, "%016x-%016x.wal", &number, &index); err != nil {
			return nil, fmt.Errorf("%s does not have the name of a log segment: remove it from the copy", filepath.Join(dir, name))
		}
		if i > 0 && number != before+1 {
			h.cut(fmt.Sprintf("segments are missing before %s", name))
			sum = 0
		}
		before = number
		if sum, err = h.segment(filepath.Join(dir, name), sum); err == nil {
			continue
		}
		var broken *damage
		if !errors.As(err, &broken) {
			return nil, err
		}
		if broken.torn && i == len(names)-1 {
			h.notes = append(h.notes, fmt.Sprintf("%v: the last write is incomplete, and is left out", broken))
			continue
		}
		h.cut(broken.Error())
		sum = 0
	}
	return h, nil
}

func (h *history) now() *run { return h.runs[len(h.runs)-1] }

// cut begins a new run, since the next entry may not follow.
func (h *history) cut(why string) {
	h.now().broken = why
	h.runs = append(h.runs, &run{})
}

// segment reads one file. sum is the checksum at the end of the previous
// segment, 0 if unknown.
func (h *history) segment(path string, sum uint32) (uint32, error) {
	s, err := openSegment(path)
	if err != nil {
		return 0, err
	}
	defer s.close()
	for {
		at := s.at
		rec, err := s.next()
		if err == io.EOF {
			return s.sum, nil
		}
		if err != nil {
			return 0, err
		}
		if rec.Type == recordCRC {
			if sum != 0 && rec.Crc != sum {
				h.cut(fmt.Sprintf("records are missing before %s", path))
			}
			s.sum, sum = rec.Crc, rec.Crc
			continue
		}
		if err := h.take(&rec); err != nil {
			return 0, &damage{path, at, false, err.Error()}
		}
	}
}

func (h *history) take(rec *walpb.Record) error {
	switch rec.Type {
	case recordMetadata:
		return nil
	case recordEntry:
		var e raftpb.Entry
		if err := e.Unmarshal(rec.Data); err != nil {
			return err
		}
		return h.entry(e)
	case recordState:
		var state raftpb.HardState
		if err := state.Unmarshal(rec.Data); err != nil {
			return err
		}
		h.now().commit = state.Commit
		return nil
	case recordSnapshot:
		var snap walpb.Snapshot
		if err := snap.Unmarshal(rec.Data); err != nil {
			return err
		}
		h.snapshot(snap)
		return nil
	}
	return fmt.Errorf("a record of the unknown kind %d", rec.Type)
}

func (h *history) entry(e raftpb.Entry) error {
	if e.Index == 0 {
		return errors.New("an entry without an index")
	}
	if !h.now().follows(e.Index) {
		h.cut(fmt.Sprintf("entries from %d to %d are missing", h.now().last()+1, e.Index-1))
	}
	h.now().add(e)
	return nil
}

// snapshot handles the mark of a snapshot. If the entries do not lead to it,
// the manager had fallen behind and received it from another manager.
func (h *history) snapshot(s walpb.Snapshot) {
	r := h.now()
	switch {
	case r.first == 0:
		r.first = s.Index + 1
	case s.Index+1 < r.first, r.goesOnFrom(s.Index, s.Term):
	default:
		h.cut(fmt.Sprintf("this manager had fallen behind after entry %d, and continued from a snapshot of entry %d", r.last(), s.Index))
		h.now().first = s.Index + 1
	}
}
