package workerimpl

import (
	"cmp"
	"slices"
)

// nfa is a nondeterministic automaton. Its transitions are symbols, and those that
// it takes by itself.
type nfa[T cmp.Ordered] interface {
	local(from T, try func(to T, by *arc))
	symbol(from T, l symbol, try func(to T))
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
// symbol; 0 is not known yet, noSet that there is none.
type subset[T cmp.Ordered] struct {
	states []T
	accept bool
	next   map[symbol]int
}

const (
	start      = 0 // the set of the empty word, which is made first
	noSet      = -1
	manyStates = 32 // of a set, that are not searched one by one
)

func construct[T cmp.Ordered](of nfa[T], left *int) subsets[T] {
	return subsets[T]{nfa: of, left: left, index: map[string]int{}}
}

func (s *subsets[T]) accepts(at int) bool { return s.sets[at].accept }

// step is the set after another symbol.
func (s *subsets[T]) step(at int, l symbol) int {
	to, known := s.sets[at].next[l]
	if !known {
		var states []T
		for _, c := range s.sets[at].states {
			s.nfa.symbol(c, l, func(to T) { states = append(states, to) })
		}
		if to = noSet; len(states) > 0 {
			to = s.set(states)
		}
		if s.sets[at].next == nil {
			s.sets[at].next = map[symbol]int{}
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

// memo is the key's value, made where it is first asked for.
func memo[K comparable, V any](of map[K]V, key K, make func() V) V {
	v, known := of[key]
	if !known {
		v = make()
		of[key] = v
	}
	return v
}

// shortest is a shortest way to a goal from one of the places: where it begins, and
// what it takes. Two places of one key are the same.
func shortest[T, E any, K comparable](from []T, key func(T) K, isGoal func(T) bool, next func(T, func(to T, by E))) (first T, way []E, found bool) {
	type reached struct {
		at     T
		parent int
		by     E
	}
	list := make([]reached, len(from), len(from)+few)
	for i, at := range from {
		list[i] = reached{at: at, parent: -1}
	}
	var seen map[K]bool
	for i := 0; i < len(list); i++ {
		if !isGoal(list[i].at) {
			next(list[i].at, func(to T, by E) {
				if seen == nil {
					seen = map[K]bool{}
					for _, at := range from {
						seen[key(at)] = true
					}
				}
				if k := key(to); !seen[k] {
					seen[k] = true
					list = append(list, reached{to, i, by})
				}
			})
			continue
		}
		for ; list[i].parent >= 0; i = list[i].parent {
			way = append(way, list[i].by)
		}
		slices.Reverse(way)
		return list[i].at, way, true
	}
	return first, nil, false
}
