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

// position is how far a recording has come, so that another process can go on
// with it. It does not have what stands, which may be much, but its sum: if
// nothing of that has changed meanwhile, or what is new and gone again is all in
// the manager's log, the recording goes on as if it had not been left. Else it
// begins anew, after a gap.
type position struct {
	Cluster   string    `json:"cluster"`
	Limit     int64     `json:"limit"` // the history limit that the last meta line states
	Seq       int64     `json:"seq"`
	Version   uint64    `json:"version"` // up to which all is told
	Index     uint64    `json:"index"`   // of the mirror
	Deletions int       `json:"deletions,omitempty"`
	Objects   uint64    `json:"objects"` // the mirror's sum
	Last      time.Time `json:"last"`
}

// mark is the position when all that the mirror has is told, but for seq and
// time.
func (s *Source) mark() position {
	return position{
		Cluster: s.clusterID, Limit: s.now, Version: s.resume,
		Index: s.state.index, Deletions: s.state.deletions, Objects: s.state.sum,
	}
}

// reached sets the position that Position returns, before the batch that leads
// there is taken.
func (s *Source) reached(p position) {
	p.Seq, p.Last = s.scribe.seq, s.last
	s.told = p
}

// Position says how far the recording has come with the last batch, for
// Options.From. It is for who takes the batches.
func (s *Source) Position() string {
	text, err := json.Marshal(s.told)
	if err != nil {
		panic("swarm: a position of strings and numbers does not encode: " + err.Error())
	}
	return string(text)
}

// ErrPosition is in the error of Open where it was given no position.
var ErrPosition = errors.New("is no position in a swarm's recording")

// goOn makes the Source go on from a position.
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

// restore makes the mirror of the saved position, if it is that of what stands
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

// forget makes the next sync begin anew.
func (s *Source) forget(why string) {
	if s.known() {
		s.opts.Log.Warn("changes were missed; the recording begins anew with snapshots", zap.String("why", why))
	}
	s.state, s.saved = nil, nil
}

// known reports whether there is something to go on from.
func (s *Source) known() bool { return s.state != nil || s.saved != nil }

// sum is a hash of an object as it is told. The slot of a task is left out: it
// is for life, and cannot be found again when its service is gone.
func (t *told) sum(k key) uint64 {
	data := object.Fields{}
	for name, value := range t.data {
		if name != "slot" {
			data[name] = value
		}
	}
	text, err := json.Marshal([]any{k.kind, k.id, t.version, data, t.endpoint})
	if err != nil {
		panic("swarm: an object of strings and numbers does not encode: " + err.Error())
	}
	h := sha256.Sum256(text)
	return binary.BigEndian.Uint64(h[:8])
}
