package portallocator

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
	for i := range x.user {
		if x.user[i].published == dynamic {
			continue
		}
		a := x.user[i].addr()
		if u := x.s.uses[a]; u.ingress+u.host > own[a] {
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
