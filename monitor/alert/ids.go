package alert

import "strings"

// ids are the latest ids, so many of them.
type ids struct {
	limit int
	all   map[string]struct{}
	ring  []string // from at on, and round, the oldest first
	at    int
}

func (s *ids) has(id string) bool {
	_, ok := s.all[id]
	return ok
}

func (s *ids) add(id string) {
	if s.limit <= 0 || s.has(id) {
		return
	}
	id = strings.Clone(id) // it may be a part of something long
	if s.all == nil {
		s.all = map[string]struct{}{}
	}
	if len(s.ring) < s.limit {
		s.ring = append(s.ring, id)
	} else {
		delete(s.all, s.ring[s.at])
		s.ring[s.at] = id
		s.at = (s.at + 1) % s.limit
	}
	s.all[id] = struct{}{}
}
