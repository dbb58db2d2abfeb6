package tracespec

import (
	"slices"

	"tracecheck/tlaplus/eval"
)

// A property of what never ends is judged on the graph of the states that have been
// found, as TLC does. It is broken where a fair behaviour goes round in states, or stops
// in one, that the property rules out. A behaviour may stop in a state where the
// fairness of the specification asks for no further step; without fairness it may stop in each.

// graph is the states, with the steps from each.
type graph struct {
	s     *search
	nodes []*node
	after map[*node][]*node
}

func (s *search) graph() *graph {
	g := &graph{s: s, nodes: s.found, after: map[*node][]*node{}}
	for _, n := range g.nodes {
		for _, b := range n.before {
			g.after[b] = append(g.after[b], n)
		}
	}
	return g
}

// unmet is a state in which, or around which, a fair behaviour breaks the property; nil
// where there is none. Of several it is the one whose path has come furthest.
func (g *graph) unmet(l *eval.Liveness) (*node, error) {
	holds := func(p *eval.Predicate) (map[*node]bool, error) {
		set := map[*node]bool{}
		for _, n := range g.nodes {
			g.s.run.Level = n.level
			ok, err := p.Holds(g.s.run, n.state, nil)
			if err != nil {
				return nil, err
			}
			if ok {
				set[n] = true
			}
		}
		return set, nil
	}
	good, err := holds(&l.P)
	if err != nil {
		return nil, err
	}
	in := func(n *node) bool { return !good[n] }
	switch {
	case l.Form == eval.Always:
		in = func(*node) bool { return true }
	case l.Form == eval.Once:
		from := map[*node]bool{}
		if l.From != nil {
			if from, err = holds(l.From); err != nil {
				return nil, err
			}
		} else {
			for _, n := range g.nodes {
				from[n] = n.level == 1
			}
		}
		reached := g.reach(from, in)
		in = func(n *node) bool { return reached[n] }
	}
	var worst *node
	err = g.fair(in, func(part []*node) {
		for _, n := range part {
			if !good[n] && (worst == nil || n.lines > worst.lines || n.lines == worst.lines && n.level < worst.level) {
				worst = n
			}
		}
	})
	return worst, err
}

// reach is the states that lie on a way from some, within others.
func (g *graph) reach(from map[*node]bool, in func(*node) bool) map[*node]bool {
	reached := map[*node]bool{}
	var todo []*node
	for n, is := range from {
		if is && in(n) {
			reached[n] = true
			todo = append(todo, n)
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, m := range g.after[n] {
			if in(m) && !reached[m] {
				reached[m] = true
				todo = append(todo, m)
			}
		}
	}
	return reached
}

// fair calls do with each part of a set of states in all of which a fair behaviour may stay
// for ever, again and again in each state.
func (g *graph) fair(in func(*node) bool, do func(part []*node)) error {
	for _, part := range g.components(in) {
		is := map[*node]bool{}
		for _, n := range part {
			is[n] = true
		}
		ok, err := g.progresses(part, is)
		without := map[*node]bool{} // where SF_v(A) asks for a step that the part does not have
		for i := range g.s.spec.Fair {
			if err != nil || !ok {
				break
			}
			ok, err = g.satisfies(&g.s.spec.Fair[i], part, is, without)
		}
		switch {
		case err != nil:
			return err
		case ok && len(without) == 0:
			do(part)
		case ok:
			if err := g.fair(func(n *node) bool { return is[n] && !without[n] }, do); err != nil {
				return err
			}
		}
	}
	return nil
}

// progresses reports whether WF_v(Next) allows to stay in a strongly connected part.
func (g *graph) progresses(part []*node, is map[*node]bool) (bool, error) {
	if g.s.spec.MayStop() || slices.ContainsFunc(part, func(n *node) bool { return !n.moves }) {
		return true, nil
	}
	return g.takes(part, is, g.s.spec.Progresses)
}

// takes reports whether the part has a step of that kind.
func (g *graph) takes(part []*node, is map[*node]bool, step func(*eval.Run, *eval.State, *eval.State) (bool, error)) (bool, error) {
	for _, n := range part {
		for _, m := range g.after[n] {
			if !is[m] {
				continue
			}
			g.s.run.Level = n.level
			if does, err := step(g.s.run, n.state, m.state); err != nil || does {
				return does, err
			}
		}
	}
	return false, nil
}

// satisfies reports whether the fairness allows to stay in a strongly connected part. Without
// gets the states in which strong fairness does not.
func (g *graph) satisfies(f *eval.Fairness, part []*node, is, without map[*node]bool) (bool, error) {
	if takes, err := g.takes(part, is, f.Step.Holds); err != nil || takes {
		return takes, err
	}
	free := false
	for _, n := range part {
		g.s.run.Level = n.level
		enabled, err := f.Enabled.Holds(g.s.run, n.state, nil)
		if err != nil {
			return false, err
		}
		free = free || !enabled
		if enabled && f.Strong {
			without[n] = true
		}
	}
	return free, nil
}

// components are the strongly connected parts of the states in a set (Tarjan's
// algorithm, with a separate stack).
func (g *graph) components(in func(*node) bool) (parts [][]*node) {
	type visit struct {
		n    *node
		next int
	}
	index, low, on := map[*node]int{}, map[*node]int{}, map[*node]bool{}
	var stack []*node
	for _, root := range g.nodes {
		if !in(root) || index[root] > 0 {
			continue
		}
		work := []visit{{n: root}}
		for len(work) > 0 {
			v := &work[len(work)-1]
			n := v.n
			if v.next == 0 {
				index[n] = len(index) + 1
				low[n] = index[n]
				stack, on[n] = append(stack, n), true
			}
			deeper := false
			for v.next < len(g.after[n]) {
				m := g.after[n][v.next]
				v.next++
				if !in(m) {
					continue
				}
				if index[m] == 0 {
					work, deeper = append(work, visit{n: m}), true
					break
				}
				if on[m] {
					low[n] = min(low[n], index[m])
				}
			}
			if deeper {
				continue
			}
			work = work[:len(work)-1]
			if len(work) > 0 {
				up := work[len(work)-1].n
				low[up] = min(low[up], low[n])
			}
			if low[n] == index[n] {
				var part []*node
				for {
					m := stack[len(stack)-1]
					stack, on[m] = stack[:len(stack)-1], false
					part = append(part, m)
					if m == n {
						break
					}
				}
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// liveness judges the properties of what never ends, once all states are found. Where
// the spec has stopped the search, they are not judged.
func (s *search) liveness(r *Result) (*breach, error) {
	if !s.live {
		return nil, nil
	}
	if s.run.Exit {
		r.Notes = append(r.Notes, "the spec has stopped the search itself: properties of what never ends are not judged")
		return nil, nil
	}
	g := s.graph()
	for _, p := range s.spec.Properties {
		for i := range p.Live {
			n, err := g.unmet(&p.Live[i])
			if err != nil {
				return nil, err
			}
			if n != nil {
				return &breach{kind: Property, rule: p.Name, line: n.lines + 1, before: n, text: p.Live[i].P.Place()}, nil
			}
		}
	}
	return nil, nil
}
