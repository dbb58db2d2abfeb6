package portallocator_test

import "slices"

// The rules, naively: each quantifier is a loop over everything.

// typed is port \in PortSpec, and config port \in PortConfig.
func (m oModel) typed(p oPort) bool {
	return slices.Contains(m.protocols, p.protocol) && (p.mode == "ingress" || p.mode == "host") && 0 <= p.number && p.number <= 65535
}

func (m oModel) config(p oPort) bool { return m.typed(p) && !p.asks() }

// allocationsOK is AllocationsOK, conjunct by conjunct: every allocated address
// is used, and all else.
func (s oState) allocationsOK() bool { return s.allUsed() && s.consistent() }

func (s oState) allUsed() bool {
	for addr := range s.allocated {
		used := false
		for _, e := range s.endpoints {
			for _, p := range e.ports {
				used = used || p.addr() == addr
			}
		}
		if !used {
			return false
		}
	}
	return true
}

func (s oState) consistent() bool {
	for eid, e := range s.endpoints {
		if len(e.spec) != len(e.ports) {
			return false
		}
		for i, spec := range e.spec {
			port := e.ports[i]
			if spec.asks() {
				if !portsMostlyEqual(spec, port) {
					return false
				}
			} else if spec != port {
				return false
			}
			if port.mode == "ingress" && !s.allocated[port.addr()] {
				return false
			}
			if spec.mode != "ingress" {
				continue
			}
			for eid2, e2 := range s.endpoints {
				for i2, p2 := range e2.ports {
					if (eid != eid2 || i != i2) && port.addr() == p2.addr() && p2.mode != "host" {
						return false
					}
				}
			}
		}
	}
	return true
}

// rejectOK is RejectJustified's, for one endpoint ("" for a creation) and spec.
func (m oModel) rejectOK(s oState, eid string, spec []oPort) bool {
	old := s.endpoints[eid]
	usedByOthers := s.allocated.minus(ingressAddrs(old.ports))
	for i := range spec {
		for j := range i {
			if spec[i].mode != "host" && spec[j].mode != "host" && spec[i].addr() == spec[j].addr() && spec[i].number != 0 {
				return true // ~SpecOK(s)
			}
		}
	}
	static := set{}
	for _, p := range spec {
		if p.sets() {
			static[p.addr()] = true
			if usedByOthers[p.addr()] {
				return true
			}
		}
	}
	for _, proto := range m.protocols {
		needed, avail := 0, 0
		for _, p := range spec {
			if p.protocol == proto && p.asks() {
				needed++
			}
		}
		for n := m.first; n <= m.last; n++ {
			if a := (oPort{protocol: proto, number: n}).addr(); !usedByOthers[a] && !static[a] {
				avail++
			}
		}
		if needed > avail {
			return true
		}
	}
	return false
}

// refusalJustified: Allocate is {}, and RejectJustified holds of it.
func (m oModel) refusalJustified(s oState, eid string, spec []oPort) bool {
	return len(m.allocate(s.allocated, s.endpoints[eid], spec)) == 0 && m.rejectOK(s, eid, spec)
}

// idempotent is StepAllocateIdempotent.
func idempotent(from, to oState) bool {
	for id, e := range from.endpoints {
		if e2, ok := to.endpoints[id]; ok && slices.Equal(e.spec, e2.spec) && !slices.Equal(e.ports, e2.ports) {
			return false
		}
	}
	return true
}
