package alert

import "strings"

// ids is a bounded set of the latest ids.
type ids struct {
	limit int
	all   map[string]struct{}
	ring  []string // a ring buffer. The oldest is at index at
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
	id = strings.Clone(id) // do not keep a larger string alive
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
