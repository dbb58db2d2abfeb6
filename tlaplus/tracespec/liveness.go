package tracespec

import (
	"slices"

	"tracecheck/tlaplus/eval"
)

// A property of what never ends is judged on the graph of the states that have been
// found, as TLC does: by the product of this graph with an automaton for the property's
// negation. It is broken where a fair behaviour goes round in the product, or stops in one
// place. A behaviour may stop in a state where the fairness of the specification asks for no
// further step; without fairness it may stop in each.

// graph is the states, with the steps from each.
type graph struct {
	s     *search
	after map[*node][]*node
}

// vertex is a state, with what the automaton still asks for.
type vertex struct {
	*node
	choice
	after []*vertex
	stays bool // it is among its own successors
}

func (s *search) graph() *graph {
	g := &graph{s: s, after: map[*node][]*node{}}
	for _, n := range s.found {
		for _, b := range n.before {
			g.after[b] = append(g.after[b], n)
		}
	}
	return g
}

// unmet is a state in which, or around which, a fair behaviour breaks the property; nil
// where there is none. Of several it is the one whose path has come furthest.
func (g *graph) unmet(broken *eval.Temporal) (worst *node, err error) {
	if broken.Op == eval.Disjunction {
		for _, f := range broken.Of {
			n, err := g.unmet(f)
			if err != nil {
				return nil, err
			}
			worst = further(worst, n)
		}
		return worst, nil
	}
	a, err := newAutomaton(g.s, broken)
	if err != nil {
		return nil, err
	}
	all, err := g.product(a)
	if err != nil {
		return nil, err
	}
	err = g.fair(all, func(*vertex) bool { return true }, func(part []*vertex) {
		if !a.fulfils(part) {
			return
		}
		for _, v := range part {
			worst = further(worst, v.node)
		}
	})
	return worst, err
}

// further is the state whose path has come further.
func further(a, b *node) *node {
	if a == nil || b != nil && (b.lines > a.lines || b.lines == a.lines && b.level < a.level) {
		return b
	}
	return a
}

// product is the pairs of states and choices that some behaviour reaches.
func (g *graph) product(a *automaton) ([]*vertex, error) {
	var all []*vertex
	of := map[*node][]*vertex{}
	var failed error
	reach := func(n *node, todo []*part) (list []*vertex) {
		choices, err := a.choices(n, todo, choice{})
		if err != nil {
			failed = err
		}
		for _, c := range choices {
			i := slices.IndexFunc(of[n], func(v *vertex) bool { return v.choice == c })
			if i < 0 {
				i = len(of[n])
				v := &vertex{node: n, choice: c}
				all, of[n] = append(all, v), append(of[n], v)
			}
			list = append(list, of[n][i])
		}
		return list
	}
	for _, n := range g.s.found {
		if n.level == 1 {
			reach(n, []*part{a.root})
		}
	}
	for i := 0; i < len(all) && failed == nil; i++ {
		v := all[i]
		if i%progressEach == 0 && g.s.ctx.Err() != nil {
			return nil, errInterrupted
		}
		if len(all) > mostProduct*g.s.MaxStates {
			return nil, errStates
		}
		for _, m := range append([]*node{v.node}, g.after[v.node]...) {
			ok, err := a.allows(v.choice, v.node, m)
			if err != nil {
				return nil, err
			}
			if ok {
				v.after = append(v.after, reach(m, a.left(v.choice))...)
			}
		}
		v.stays = slices.Contains(v.after, v)
	}
	return all, failed
}

// mostProduct is how many vertices there may be for each state that the search may make.
const mostProduct = 4

// fair calls do with each part of a set in all of which a fair behaviour may stay for
// ever, again and again in each place.
func (g *graph) fair(all []*vertex, in func(*vertex) bool, do func(part []*vertex)) error {
	for _, part := range components(all, in) {
		if len(part) == 1 && !part[0].stays {
			continue
		}
		is := map[*vertex]bool{}
		for _, v := range part {
			is[v] = true
		}
		ok, err := g.progresses(part, is)
		without := map[*vertex]bool{} // where SF_v(A) asks for a step that the part does not have
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
			if err := g.fair(part, func(v *vertex) bool { return is[v] && !without[v] }, do); err != nil {
				return err
			}
		}
	}
	return nil
}

// progresses reports whether WF_v(Next) allows to stay in a strongly connected part.
func (g *graph) progresses(part []*vertex, is map[*vertex]bool) (bool, error) {
	if g.s.spec.MayStop() || slices.ContainsFunc(part, func(v *vertex) bool { return !v.moves }) {
		return true, nil
	}
	return g.takes(part, is, g.s.spec.Progresses)
}

// takes reports whether the part has a step of that kind.
func (g *graph) takes(part []*vertex, is map[*vertex]bool, step func(*eval.Run, *eval.State, *eval.State) (bool, error)) (bool, error) {
	for _, v := range part {
		for _, w := range v.after {
			if !is[w] {
				continue
			}
			g.s.stand(v.node)
			if does, err := step(g.s.run, v.state, w.state); err != nil || does {
				return does, err
			}
		}
	}
	return false, nil
}

// satisfies reports whether the fairness allows to stay in a strongly connected part. Without
// gets where strong fairness does not.
func (g *graph) satisfies(f *eval.Fairness, part []*vertex, is, without map[*vertex]bool) (bool, error) {
	if takes, err := g.takes(part, is, f.Step.Holds); err != nil || takes {
		return takes, err
	}
	free := false
	for _, v := range part {
		g.s.stand(v.node)
		enabled, err := f.Enabled.Holds(g.s.run, v.state, nil)
		if err != nil {
			return false, err
		}
		free = free || !enabled
		if enabled && f.Strong {
			without[v] = true
		}
	}
	return free, nil
}

// components are the strongly connected parts of a set (Tarjan's algorithm, with a
// separate stack).
func components(all []*vertex, in func(*vertex) bool) (parts [][]*vertex) {
	type visit struct {
		v    *vertex
		next int
	}
	index, low, on := map[*vertex]int{}, map[*vertex]int{}, map[*vertex]bool{}
	var stack []*vertex
	for _, root := range all {
		if !in(root) || index[root] > 0 {
			continue
		}
		work := []visit{{v: root}}
		for len(work) > 0 {
			at := &work[len(work)-1]
			v := at.v
			if at.next == 0 {
				index[v] = len(index) + 1
				low[v] = index[v]
				stack, on[v] = append(stack, v), true
			}
			deeper := false
			for at.next < len(v.after) {
				w := v.after[at.next]
				at.next++
				if !in(w) {
					continue
				}
				if index[w] == 0 {
					work, deeper = append(work, visit{v: w}), true
					break
				}
				if on[w] {
					low[v] = min(low[v], index[w])
				}
			}
			if deeper {
				continue
			}
			work = work[:len(work)-1]
			if len(work) > 0 {
				up := work[len(work)-1].v
				low[up] = min(low[up], low[v])
			}
			if low[v] == index[v] {
				var part []*vertex
				for {
					w := stack[len(stack)-1]
					stack, on[w] = stack[:len(stack)-1], false
					part = append(part, w)
					if w == v {
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
			n, err := g.unmet(p.Live[i].Broken)
			if err != nil {
				return nil, err
			}
			if n != nil {
				return &breach{kind: Property, rule: p.Name, line: n.lines + 1, before: n, text: p.Live[i].Place()}, nil
			}
		}
	}
	return nil, nil
}
