package portallocator

import "slices"

// excused says that a refusal which the text does not justify is one that the
// control API makes, before the allocator is asked.
func (s *State) excused(id string, spec list) bool {
	if !s.moby {
		return false
	}
	switch x := s.refuse(id, spec); {
	case x.heldByAnother():
		s.used.Add(refusedForHostPort, 1)
	case asksTwice(x.user):
		s.used.Add(refusedAsMalformed, 1)
	default:
		return false
	}
	return true
}

// heldByAnother says that another endpoint has a port that is asked for, in
// whatever mode.
func (x *allocation) heldByAnother() bool {
	own := map[address]int32{}
	for i := range x.had {
		own[x.had[i].addr()]++
	}
	return slices.ContainsFunc(x.user, func(p port) bool {
		u := x.s.uses[p.addr()]
		return p.published != dynamic && u.ingress+u.host > own[p.addr()]
	})
}

// asksTwice says that one port is asked for twice, in whatever modes.
func asksTwice(s []port) bool {
	asked := map[address]bool{}
	return slices.ContainsFunc(s, func(p port) bool {
		if p.published == dynamic {
			return false
		}
		twice := asked[p.addr()]
		asked[p.addr()] = true
		return twice
	})
}
