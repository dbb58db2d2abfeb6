package updatecluster

import (
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Live implements validators.Machine.
func (m *machine) Live() int {
	n := m.s.requests.Len()
	if !m.s.clusterUnseen {
		n++
	}
	return n
}

// Persist implements validators.Machine.
func (m *machine) Persist(c *codec.Codec) {
	m.ledger.Gate(c, &m.s.confTrue)
	m.s.code(c)
	m.run.code(c, m.s)
	m.codeWaits(c)
}

// code writes the state, or makes it again: the counts follow from the
// requests.
func (s *state) code(c *codec.Codec) {
	s.records.Code(c, s.requests.ToWrite(c), func(c *codec.Codec, r *request) {
		if c.Reading() {
			r = &request{}
		}
		codec.String(c, &r.id)
		v := r.requestValue
		if v.code(c); c.Reading() && c.Err() == nil {
			s.put(s.requests.Get(r.id), r.id, v)
		}
	})
	codec.String(c, &s.cluster.request)
	if r := s.requests.Get(s.cluster.request); r != nil {
		s.cluster.request = r.id // kept once
	}
	codec.Bool(c, &s.cluster.hasRequest)
	codec.Bool(c, &s.cluster.complete)
	codec.Uint(c, &s.cluster.bad)
	codec.Int(c, &s.last)
	if codec.Uint(c, &s.conf); s.conf > no {
		c.Fail("conf_ok %d is not known", s.conf)
	}
	codec.Bool(c, &s.clusterUnseen)
	codec.Bool(c, &s.lastFree)
	codec.Bool(c, &s.queueLogged)
	codec.Bool(c, &s.lastLogged)
	codec.Bool(c, &s.clusterShown)
}

func (v *requestValue) code(c *codec.Codec) {
	if codec.Uint(c, &v.status); v.status >= statusCount {
		c.Fail("status %d is not known", uint8(v.status))
		v.status = badStatus
	}
	codec.Uint(c, &v.bad)
	if codec.Bool(c, &v.set); v.set {
		codec.Int(c, &v.n)
	}
	if codec.Uint(c, &v.queue); v.queue == 0 || v.queue > open {
		c.Fail("queued %d is not known", v.queue)
	}
	codec.Uint(c, &v.unseen)
}

func (run *snapshotRun) code(c *codec.Codec, s *state) {
	codec.Slice(c, &run.shown, func(at **request) {
		var id string
		if !c.Reading() {
			id = (*at).id
		}
		if codec.String(c, &id); c.Reading() {
			if *at = s.requests.Get(id); *at == nil {
				c.Fail("request %q is not known", id)
			}
		}
	})
	codec.Slice(c, &run.found, func(f *validators.Finding) { f.Code(c) })
	codec.String(c, &run.partial)
	run.at.Code(c)
	codec.Int(c, &run.last)
	codec.Bool(c, &run.any)
}

// codeWaits writes what waits as it was before a run of snapshots, which is
// followed at its end, and asks for what else does.
func (m *machine) codeWaits(c *codec.Codec) {
	shown := map[*request]bool{}
	for _, r := range m.run.shown {
		if c.Err() != nil {
			return
		}
		shown[r] = true
		w := &r.waits
		w.queueing = m.ledger.Held(c, w.queueing, want{For: waitPushToQueue, Of: r}, want{For: waitProcessQueue, Of: r})
		w.applying = m.ledger.Held(c, w.applying, want{For: waitCompleteApply, Of: r}, want{For: waitRollback, Of: r, Gate: &m.s.confTrue})
	}
	w := &m.s.waits
	w.completion = m.ledger.Held(c, w.completion, want{For: waitComplete, Stage: int32(m.s.applied)})
	w.emptying = m.ledger.Held(c, w.emptying, want{For: waitEmpty})
	if !c.Reading() || c.Err() != nil {
		return
	}
	for _, r := range m.s.requests.All() {
		if !shown[r] {
			m.followRequest(r)
		}
	}
}
