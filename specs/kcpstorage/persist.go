package kcpstorage

import (
	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Live implements validators.Machine. A PVC whose namespace is not known
// does not stand.
func (m *machine) Live() int {
	n := m.s.pvcs.Len() - m.s.nowhere.pvcs
	for _, sp := range m.s.spaces.All() {
		n += b2i(sp.named) + len(sp.syncers)
	}
	return n
}

// Persist implements validators.Machine.
func (m *machine) Persist(c *codec.Codec) {
	s := m.s
	names := s.clusters.names
	codec.Slice(c, &names, func(name *string) { codec.String(c, name) })
	for i, name := range names {
		if s.clusters.find(name) != cluster(i) {
			c.Fail("cluster %q is not number %d", name, i)
		}
	}
	s.spaceRecords.Code(c, s.spaces.ToWrite(c), s.codeSpace)
	for i := range names {
		if h, there := s.homes[cluster(i)]; there {
			if !h.last.has(cluster(i)) {
				h.last = s.nowhere // it has gone from there
			}
			if s.codeSpaceOf(c, &h.last); c.Reading() {
				s.homes[cluster(i)] = h
			}
		}
	}
	s.pvcRecords.Code(c, s.pvcs.ToWrite(c), s.codePVC)
	codeSpace := func(sp **space) { s.codeSpaceOf(c, sp) }
	codec.Slice(c, &m.sighted, codeSpace)
	codec.Slice(c, &m.snapshot, func(f *validators.Finding) { f.Code(c) })
	codec.Slice(c, &m.suspects, func(sus *suspect) {
		codec.Uint(c, &sus.kind)
		codeSpace(&sus.space)
		codec.String(c, &sus.id)
		sus.at.Code(c)
		if sus.kind == trace.KindPVC && s.pvcs.Get(sus.id) == nil {
			c.Fail("pvc %q is not known", sus.id)
		}
	})
	m.codeWaits(c)
}

// codeSpace writes a namespace, or makes it again.
func (s *state) codeSpace(c *codec.Codec, sp *space) {
	var id string
	if !c.Reading() {
		id = sp.id
	}
	if codec.String(c, &id); c.Reading() {
		sp = s.space(id)
	}
	named, ns, syncers := sp.named, sp.ns, sp.syncers
	if codec.Bool(c, &named); named {
		if s.codeValue(c, &ns); c.Reading() && c.Err() == nil {
			s.putNamespace(sp, &ns)
		}
	}
	codec.Slice(c, (*[]entry)(&syncers), func(e *entry) {
		if s.codeEntry(c, e); c.Reading() && c.Err() == nil {
			s.putSyncer(sp, e.cluster, e.state)
		}
	})
}

// codeSpaceOf is for a namespace that was written, or nowhere.
func (s *state) codeSpaceOf(c *codec.Codec, sp **space) {
	var id string
	isNowhere := *sp == s.nowhere
	if codec.Bool(c, &isNowhere); isNowhere {
		*sp = s.nowhere
		return
	}
	if !c.Reading() {
		id = (*sp).id
	}
	if c.Name(&id); c.Reading() {
		if *sp = s.spaces.Get(id); *sp == nil {
			c.Fail("namespace %q is not known", id)
			*sp = s.nowhere
		}
	}
}

func (s *state) codePVC(c *codec.Codec, p *pvc) {
	if p == nil {
		p = &pvc{}
	}
	id, sp, v := p.id, p.space, p.value
	codec.String(c, &id)
	s.codeSpaceOf(c, &sp)
	if s.codeValue(c, &v); c.Reading() && c.Err() == nil {
		s.putPVC(id, sp, &v)
	}
}

func (s *state) codeValue(c *codec.Codec, v *value) {
	codec.Bool(c, &v.bad)
	next := cluster(0)
	codec.Slice(c, (*[]entry)(&v.mapping), func(e *entry) {
		if s.codeEntry(c, e); e.cluster < next {
			c.Fail("cluster %d is out of order", e.cluster)
		}
		next = e.cluster + 1
	})
}

func (s *state) codeEntry(c *codec.Codec, e *entry) {
	codec.Int(c, &e.cluster)
	codec.Uint(c, &e.state)
	if e.cluster < 0 || int(e.cluster) >= len(s.clusters.names) || e.state > badState {
		c.Fail("cluster %d in state %d is not known", e.cluster, uint8(e.state))
		*e = entry{}
	}
}

// codeWaits writes what waits as it was before a run of snapshots, which is
// followed at its end, and asks for what else does.
func (m *machine) codeWaits(c *codec.Codec) {
	sighted := map[*space]bool{}
	for _, sp := range m.sighted {
		if c.Err() != nil {
			return
		}
		sighted[sp] = true
		sp.waits = m.ledger.Held(c, sp.waits, validators.Want{For: waitNext, Of: sp, Stage: int32(sp.changes)})
	}
	if !c.Reading() || c.Err() != nil {
		return
	}
	for _, sp := range m.s.spaces.All() {
		if !sighted[sp] {
			m.followSpace(sp)
		}
	}
}
