package workerimpl

import (
	"maps"
	"slices"

	"tracecheck/validators/model"
)

func (a *auto) part(items []int, word []symbol) part { return a.path(items[0], word) }

// path is a shortest way of the item from the automaton's start to its goal along a
// word after which it accepts.
func (a *auto) path(item int, word []symbol) part {
	at := []int{start}
	for _, l := range word {
		at = append(at, a.step(at[len(at)-1], l))
	}
	pt := part{make([][]move, len(at)), make([][]move, len(word))}
	last := &a.sets[at[len(word)]]
	goal := last.states[slices.IndexFunc(last.states, a.isGoal)]
	for i := len(word); ; i-- {
		from := map[code]code{a.from: 0}
		if i > 0 {
			from = map[code]code{}
			for _, c := range a.sets[at[i-1]].states {
				a.symbol(c, word[i-1], func(to code) {
					if _, ok := from[to]; !ok || to == c {
						from[to] = c
					}
				})
			}
		}
		var first code
		pt.rounds[i], first = a.stretch(item, from, goal)
		if i == 0 {
			return pt
		}
		pt.symbols[i-1] = []move{{item: item, from: from[first], to: first}}
		goal = from[first]
	}
}

// stretch is a shortest way of the item's own from one of the codes to the
// goal, and the code that it begins with.
func (a *auto) stretch(item int, from map[code]code, goal code) ([]move, code) {
	first, moves, _ := shortest(slices.Sorted(maps.Keys(from)), func(c code) code { return c }, func(c code) bool { return c == goal },
		func(c code, try func(code, move)) {
			a.local(c, func(to code, by *arc) { try(to, move{item, c, to, by}) })
		})
	return moves, first
}

// part is the group's items on their paths along a word after which the
// ensemble accepts.
func (e *ensemble) part(items []int, word []symbol) part {
	type place struct {
		v    []int
		done int // symbols of the word
	}
	type turn struct {
		symbol func(member int) symbol
		ofWord bool // and not of the group
	}
	_, turns, _ := shortest([]place{{v: make([]int, len(e.members))}},
		func(p place) string { return vectorKey(append([]int{p.done}, p.v...)) },
		func(p place) bool { return p.done == len(word) && acceptAll(e.members, p.v) },
		func(p place, try func(place, turn)) {
			take := func(t turn) {
				if v := e.all(p.v, t.symbol); v != nil {
					try(place{v, p.done + model.BoolInt(t.ofWord)}, t)
				}
			}
			if p.done < len(word) {
				take(turn{func(int) symbol { return word[p.done] }, true})
			}
			for mode := range e.modes {
				take(turn{func(k int) symbol { return e.members[k].symbols[mode] }, false})
			}
		})
	of := make([]part, len(items))
	for j, i := range items {
		k := e.member[i]
		symbols := make([]symbol, len(turns))
		for n, t := range turns {
			symbols[n] = t.symbol(k)
		}
		of[j] = e.members[k].path(i, symbols)
	}
	pt := part{rounds: make([][]move, 1)}
	for n := range len(turns) + 1 {
		last := len(pt.rounds) - 1
		var moves []move
		for j := range of {
			pt.rounds[last] = append(pt.rounds[last], of[j].rounds[n]...)
			moves = append(moves, at(of[j].symbols, n)...)
		}
		if n < len(turns) && turns[n].ofWord {
			pt.rounds, pt.symbols = append(pt.rounds, nil), append(pt.symbols, moves)
		}
	}
	return pt
}
