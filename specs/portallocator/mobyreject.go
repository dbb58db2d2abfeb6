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
	case x.asksTwice((*port).hasNumber):
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
		return p.hasNumber() && u.ingress+u.host > own[p.addr()]
	})
}
