package portallocator

// excused says that a refusal which the text does not justify is one that the
// control API makes, before the allocator is asked.
func (m *machine) excused(id string, s []port) bool {
	switch {
	case !m.moby:
		return false
	case m.heldByAnother(id, s):
		m.uses.Add(refusedForHostPort, 1)
	case asksTwice(s):
		m.uses.Add(refusedAsMalformed, 1)
	default:
		return false
	}
	return true
}

// heldByAnother says that another endpoint has a port that is asked for, in
// whatever mode.
func (m *machine) heldByAnother(id string, s []port) bool {
	own := map[address]int32{}
	if e := m.s.endpoints.Get(id); e != nil {
		for i := range e.ports.ports {
			own[e.ports.ports[i].addr()]++
		}
	}
	for i := range s {
		if s[i].published == dynamic {
			continue
		}
		a := s[i].addr()
		if u := m.s.uses.get(a); u.ingress+u.host > own[a] {
			return true
		}
	}
	return false
}

// asksTwice says that one port is asked for twice, in whatever modes.
func asksTwice(s []port) bool {
	asked := map[address]bool{}
	for i := range s {
		if s[i].published == dynamic {
			continue
		}
		a := s[i].addr()
		if asked[a] {
			return true
		}
		asked[a] = true
	}
	return false
}
