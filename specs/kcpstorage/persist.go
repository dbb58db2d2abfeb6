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
	spaces := append([]*space{s.nowhere}, s.codeSpaces(c)...)
	number := map[*space]int{}
	for i, sp := range spaces {
		number[sp] = i
	}
	codeSpace := func(sp **space) {
		n := number[*sp]
		if codec.Int(c, &n); n < 0 || n >= len(spaces) {
			c.Fail("namespace %d is not known", n)
			n = 0
		}
		*sp = spaces[n]
	}
	s.codePVCs(c, codeSpace)
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
	m.codeWaits(c, spaces)
}

// codeSpaces writes the namespaces, or makes them again, and returns them in
// their order.
func (s *state) codeSpaces(c *codec.Codec) []*space {
	spaces := s.spaces.Sorted()
	codec.Slice(c, &spaces, func(at **space) {
		var id string
		if !c.Reading() {
			id = (*at).id
		}
		if codec.String(c, &id); c.Reading() {
			*at = s.space(id)
		}
		sp := *at
		named, ns := sp.named, sp.ns
		if codec.Bool(c, &named); named {
			if s.codeValue(c, &ns); c.Reading() && c.Err() == nil {
				s.putNamespace(sp, &ns)
			}
		}
		syncers := sp.syncers
		codec.Slice(c, (*[]entry)(&syncers), func(e *entry) { s.codeSyncer(c, sp, e) })
	})
	return spaces
}

// codeSyncer writes a syncer of the namespace, and whether it is the cluster's
// that was shown last, or makes it again.
func (s *state) codeSyncer(c *codec.Codec, sp *space, e *entry) {
	s.codeEntry(c, e)
	was := s.homes[e.cluster].last
	last := was == sp
	if codec.Bool(c, &last); !c.Reading() || c.Err() != nil {
		return
	}
	s.putSyncer(sp, e.cluster, e.state)
	if last {
		return
	}
	if was == nil {
		was = s.nowhere // perhaps it has gone from there
	}
	s.homes[e.cluster] = home{s.homes[e.cluster].spaces, was}
}

func (s *state) codePVCs(c *codec.Codec, codeSpace func(**space)) {
	pvcs := s.pvcs.Sorted()
	codec.Slice(c, &pvcs, func(at **pvc) {
		if c.Reading() {
			*at = &pvc{}
		}
		p := *at
		sp, v := p.space, p.value
		codec.String(c, &p.id)
		codeSpace(&sp)
		if s.codeValue(c, &v); c.Reading() && c.Err() == nil {
			s.putPVC(p.id, sp, &v)
		}
	})
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
func (m *machine) codeWaits(c *codec.Codec, spaces []*space) {
	sighted := map[*space]bool{}
	for _, sp := range m.sighted {
		if c.Err() != nil {
			return
		}
		sighted[sp] = true
		sp.waits = m.ledger.Held(c, sp.waits, validators.Want{For: waitNext, Of: sp, Stage: int32(sp.changes)})
	}
	for _, sp := range spaces {
		if c.Reading() && c.Err() == nil && !sighted[sp] {
			m.followSpace(sp)
		}
	}
}
