package workerimpl

import (
	"cmp"
	"slices"
)

// nfa is a nondeterministic automaton. Its transitions are letters, and those that
// it takes by itself.
type nfa[T cmp.Ordered] interface {
	local(from T, try func(to T, by *arc))
	letter(from T, l letter, try func(to T))
	isGoal(T) bool
	key(to []byte, of T) []byte
}

// subsets is the subset construction of an automaton, made as it is asked for.
type subsets[T cmp.Ordered] struct {
	nfa   nfa[T]
	left  *int // how many transitions may still be tried
	sets  []subset[T]
	index map[string]int
}

// subset is what the automaton may be after a word. next has the sets after another
// letter; 0 is not known yet, noSet that there is none.
type subset[T cmp.Ordered] struct {
	states []T
	accept bool
	next   map[letter]int
}

const (
	noSet      = -1
	manyStates = 32 // of a set, that are not searched one by one
)

func construct[T cmp.Ordered](of nfa[T], left *int) subsets[T] {
	return subsets[T]{nfa: of, left: left, index: map[string]int{}}
}

func (s *subsets[T]) accepts(at int) bool { return s.sets[at].accept }

// step is the set after another letter.
func (s *subsets[T]) step(at int, l letter) int {
	to, known := s.sets[at].next[l]
	if !known {
		var states []T
		for _, c := range s.sets[at].states {
			s.nfa.letter(c, l, func(to T) { states = append(states, to) })
		}
		if to = noSet; len(states) > 0 {
			to = s.set(states)
		}
		if s.sets[at].next == nil {
			s.sets[at].next = map[letter]int{}
		}
		s.sets[at].next[l] = to
	}
	return to
}

// set is the set that begins with the states: what the automaton's own transitions
// lead to, too.
func (s *subsets[T]) set(states []T) int {
	var seen map[T]bool // where there are many
	todo := make([]T, 0, few)
	add := func(c T, _ *arc) {
		if *s.left--; seen[c] || seen == nil && slices.Contains(todo, c) {
			return
		}
		if todo = append(todo, c); seen != nil {
			seen[c] = true
		} else if len(todo) > manyStates {
			seen = map[T]bool{}
			for _, c := range todo {
				seen[c] = true
			}
		}
	}
	for _, c := range states {
		add(c, nil)
	}
	for i := 0; i < len(todo) && *s.left >= 0; i++ {
		s.nfa.local(todo[i], add)
	}
	slices.Sort(todo)
	var key []byte
	for _, c := range todo {
		key = s.nfa.key(key, c)
	}
	at, known := s.index[string(key)]
	if !known {
		at = len(s.sets)
		s.index[string(key)] = at
		s.sets = append(s.sets, subset[T]{todo, slices.ContainsFunc(todo, s.nfa.isGoal), nil})
	}
	return at
}
