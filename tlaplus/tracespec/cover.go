package tracespec

import (
	"context"
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/validators"
)

// Cover is Judge, and counts what the log exercised: of each action and of each
// disjunct in it, on how many lines a path takes it. The paths are those that consume
// the log or, where none does, those that come furthest.
func Cover(ctx context.Context, o Options) (*Result, *validators.Coverage, error) {
	s, r, err := o.search(ctx)
	if s == nil {
		return r, nil, err
	}
	s.keep = true
	s.judge(r)
	return r, s.cover(), nil
}

// covered counts the lines on which an action is taken.
type covered struct {
	*eval.Action
	lines     int
	last      int // the line that was counted last
	disjuncts []covered
}

func (c *covered) count(line int) {
	if c.last != line {
		c.last = line
		c.lines++
	}
}

func (s *search) cover() *validators.Coverage {
	var all []*covered
	index := map[*eval.Action]*covered{}
	for _, a := range slices.Concat(s.spec.Actions(), s.spec.Around()) {
		c := &covered{Action: a, disjuncts: make([]covered, len(a.Disjuncts))}
		all, index[a] = append(all, c), c
	}
	around := s.spec.Around()
	on := s.survivors()
	for _, n := range sorted(on) {
		line := n.lines + 1
		s.run.Work = 0
		s.stand(n)
		// What cannot be evaluated has been found by the search.
		_ = s.spec.Ways(s.run, n.state, func(st *eval.State, way eval.Way) bool {
			if !s.leads(n, st, on) {
				return true
			}
			for _, c := range all {
				common := slices.Contains(around, c.Action)
				if !common && c.Action != way.Action {
					continue
				}
				c.count(line)
				for _, i := range way.Takes(c.Action) {
					c.disjuncts[i].count(line)
				}
			}
			return true
		})
	}
	out := &validators.Coverage{Spec: s.spec.Root}
	for _, c := range all {
		if !slices.Contains(around, c.Action) {
			out.Actions = append(out.Actions, validators.ActionCount{Action: c.Name, Count: c.lines})
		}
		for i, d := range c.Disjuncts {
			out.Disjuncts = append(out.Disjuncts, validators.DisjunctCount{
				ActionDisjunct: validators.ActionDisjunct{Action: c.Name, Disjunct: d.Text, Place: d.Place}, Count: c.disjuncts[i].lines})
		}
	}
	return out
}

// survivors are the nodes on the paths that count.
func (s *search) survivors() map[*node]bool {
	on := map[*node]bool{}
	todo := slices.Clone(s.paths)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !on[n] {
			on[n] = true
			todo = append(todo, n.before...)
		}
	}
	return on
}

// sorted has the nodes by the lines that they consumed.
func sorted(on map[*node]bool) []*node {
	list := make([]*node, 0, len(on))
	for n := range on {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b *node) int { return a.lines - b.lines })
	return list
}

// leads reports whether the step from the node to the state is one of a path that
// counts.
func (s *search) leads(from *node, st *eval.State, on map[*node]bool) bool {
	fork := s.run.Fork()
	fork.Level = from.level + 1
	key, err := s.spec.Key(fork, st)
	if err != nil {
		return false
	}
	for _, n := range s.index[value.Hash(key)] {
		if on[n] && slices.Contains(n.before, from) && value.Equal(n.key, key) {
			return true
		}
	}
	return false
}
