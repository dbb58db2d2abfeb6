package workerimpl

import "slices"

// path is a shortest way of the automaton from its start to its goal along a
// word after which it accepts.
func (a *auto) path(allowed allowance, word []letter) path {
	at := []int{a.start(allowed)}
	for _, l := range word {
		at = append(at, a.step(at[len(at)-1], l))
	}
	pt := path{stretches: make([][]move, len(at)), letters: make([][2]code, len(word))}
	last := &a.sets[at[len(word)]]
	goal := last.states[slices.IndexFunc(last.states, a.isGoal)]
	for i := len(word); ; i-- {
		from := map[code]code{a.from | code(allowed)<<allowedAt: 0}
		if i > 0 {
			from = map[code]code{}
			for _, c := range a.sets[at[i-1]].states {
				a.letter(c, word[i-1], func(to code) {
					if _, ok := from[to]; !ok || to == c {
						from[to] = c
					}
				})
			}
		}
		var first code
		pt.stretches[i], first = a.stretch(from, goal)
		if i == 0 {
			return pt
		}
		pt.letters[i-1] = [2]code{from[first], first}
		goal = from[first]
	}
}

// stretch is a shortest way of the item's own from one of the codes to the
// goal, and the code that it begins with.
func (a *auto) stretch(from map[code]code, goal code) ([]move, code) {
	parent := map[code]move{}
	var todo []code
	for c := range from {
		todo = append(todo, c)
	}
	slices.Sort(todo)
	for _, c := range todo {
		parent[c] = move{}
	}
	for i := 0; i < len(todo); i++ {
		if todo[i] == goal {
			break
		}
		a.local(todo[i], func(to code, by *arc) {
			if _, ok := parent[to]; !ok {
				parent[to] = move{todo[i], to, by}
				todo = append(todo, to)
			}
		})
	}
	var moves []move
	for parent[goal].arc != nil {
		moves = append(moves, parent[goal])
		goal = parent[goal].from
	}
	slices.Reverse(moves)
	return moves, goal
}

// part is the group's items on their paths along a word after which the
// ensemble accepts.
func (e *ensemble) part(word []letter) part {
	type place struct {
		v      []int
		done   int // letters of the word
		parent int
		mode   int // the group's letter that led here; -1: one of the word
	}
	list := []place{{v: e.starts(), parent: -1}}
	seen := map[string]bool{}
	at := 0
	for ; at < len(list); at++ {
		p := list[at]
		if p.done == len(word) && e.acceptsAll(p.v) {
			break
		}
		add := func(v []int, done, mode int) {
			if v == nil {
				return
			}
			if key := vectorKey(append([]int{done}, v...)); !seen[key] {
				seen[key] = true
				list = append(list, place{v, done, at, mode})
			}
		}
		if p.done < len(word) {
			add(e.all(p.v, func(int) letter { return word[p.done] }), p.done+1, -1)
		}
		for j, letters := range e.modes {
			add(e.all(p.v, func(k int) letter { return letters[k] }), p.done, j)
		}
	}
	var modes []int
	for ; list[at].parent >= 0; at = list[at].parent {
		modes = append(modes, list[at].mode)
	}
	slices.Reverse(modes)
	pt := part{items: e.items}
	for _, mode := range modes {
		pt.stops = append(pt.stops, mode < 0)
	}
	for _, i := range e.items {
		k := e.member[i]
		var letters []letter
		done := 0
		for _, mode := range modes {
			if mode < 0 {
				letters = append(letters, word[done])
				done++
			} else {
				letters = append(letters, e.modes[mode][k])
			}
		}
		pt.paths = append(pt.paths, e.members[k].path(e.members[k].allowed, letters))
	}
	return pt
}
