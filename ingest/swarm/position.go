package swarm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest/swarm/object"
)

// position is the progress of a recording, so that another process can resume
// it. It has a hash of the objects instead of the objects, which may be many.
// The recording resumes without a gap if the objects are unchanged, or if the
// manager's log has all changes. Otherwise it restarts with snapshots, after a
// gap.
type position struct {
	Cluster   string    `json:"cluster"`
	Limit     int64     `json:"limit"` // the history limit in the last meta line
	Seq       int64     `json:"seq"`
	Version   uint64    `json:"version"` // up to which everything is recorded
	Index     uint64    `json:"index"`   // of the mirror
	Deletions int       `json:"deletions,omitempty"`
	Objects   uint64    `json:"objects"` // the mirror's hash
	Last      time.Time `json:"last"`
}

// mark is the position after everything in the mirror, without seq and time.
func (s *Source) mark() position {
	return position{
		Cluster: s.clusterID, Limit: s.now, Version: s.resume,
		Index: s.state.index, Deletions: s.state.deletions, Objects: s.state.sum,
	}
}

// reached sets the result of Position. Call it before the batch is taken.
func (s *Source) reached(p position) {
	p.Seq, p.Last = s.scribe.seq, s.last
	s.written = p
}

// Position is the position after the last batch, for Options.From. Only the
// function that takes batches may call it.
func (s *Source) Position() string {
	text, err := json.Marshal(s.written)
	if err != nil {
		panic("swarm: a position of strings and numbers does not encode: " + err.Error())
	}
	return string(text)
}

// ErrPosition is wrapped by the error of Open for an invalid position.
var ErrPosition = errors.New("is not a position in a swarm's recording")

// Describe is a position for people: the store's version up to which all is recorded. It
// is "" for the start, and for what is not a position.
func Describe(at string) string {
	var p position
	if json.Unmarshal([]byte(at), &p) != nil {
		return ""
	}
	return fmt.Sprintf("version %d of the store", p.Version)
}

// goOn sets the position to resume from.
func (s *Source) goOn(from string) error {
	var p position
	if err := json.Unmarshal([]byte(from), &p); err != nil || p.Cluster == "" || p.Seq < 1 {
		return fmt.Errorf("%.200q %w", from, ErrPosition)
	}
	s.began, s.scribe.seq, s.last, s.resume, s.saved = true, p.Seq, p.Last, p.Version, &p
	s.limit, s.now, s.nowAt = p.Limit, p.Limit, p.Version
	if p.Cluster != s.clusterID {
		s.forget("this is another swarm")
	}
	return nil
}

// restore makes the mirror of the saved position, if the objects are the same
// now.
func (s *Source) restore(c cut) {
	if s.saved == nil {
		return
	}
	if m := newMirror(c); m.sum == s.saved.Objects {
		m.index, m.deletions = s.saved.Index, s.saved.Deletions
		s.state, s.saved = m, nil
		return
	}
	s.forget("the swarm has changed while it was not recorded")
}

// forget makes the next sync start with snapshots.
func (s *Source) forget(why string) {
	if s.known() {
		s.opts.Log.Warn("changes were missed; the recording restarts with snapshots", zap.String("why", why))
	}
	s.state, s.saved = nil, nil
}

// known reports whether the recording can be resumed.
func (s *Source) known() bool { return s.state != nil || s.saved != nil }

// sum is a hash of a recorded object. It leaves out the slot of a task: a slot
// never changes, and cannot be found again after its service is deleted.
func (r *recorded) sum(k object.Key) uint64 {
	data := object.Fields{}
	for name, value := range r.Data {
		if name != "slot" {
			data[name] = value
		}
	}
	text, err := json.Marshal([]any{k.Kind, k.ID, r.version, data, r.Endpoint})
	if err != nil {
		panic("swarm: an object of strings and numbers does not encode: " + err.Error())
	}
	h := sha256.Sum256(text)
	return binary.BigEndian.Uint64(h[:8])
}
