package walk

// Member is what a Set may hold: it keeps its place in each set that it may be
// a member of, 0 for none.
type Member interface {
	comparable
	Place(set int) *int32
}

// Set is a set that adds, removes and picks at random in constant time. Only its history
// decides its order. The zero value is the empty set of places 0.
type Set[T Member] struct {
	Is  int // whose places it keeps
	all []T
}

// Len is how many members it has.
func (s *Set[T]) Len() int { return len(s.all) }

// At returns one of them, from 0.
func (s *Set[T]) At(i int) T { return s.all[i] }

// Has says whether m is one.
func (s *Set[T]) Has(m T) bool { return *m.Place(s.Is) != 0 }

// Put adds m or removes it.
func (s *Set[T]) Put(m T, in bool) {
	at := m.Place(s.Is)
	switch {
	case in && *at == 0:
		s.all = append(s.all, m)
		*at = int32(len(s.all))
	case !in && *at != 0:
		last := len(s.all) - 1
		moved := s.all[last]
		var none T
		s.all[*at-1], s.all[last] = moved, none
		*moved.Place(s.Is) = *at
		*at = 0
		s.all = s.all[:last]
	}
}

// Pick returns any of them; there is at least one.
func (s *Set[T]) Pick(r *Rand) T { return s.all[r.N(len(s.all))] }
