package eval

import (
	"slices"

	"tracecheck/tlaplus/value"
)

// Graphs, UndirectedGraphs and Quorum of the community modules. A graph is a
// record of its nodes and edges; an edge is a pair of nodes, or a set of one or
// two of them. What is not such an edge between nodes is left out of paths.

type graph struct {
	nodes *value.Set
	edges *value.Set
	adj   matrix // by the nodes' places
}

func field(r *Run, g value.Value, name string) value.Value {
	return value.Apply(g, r.Space.String(name))
}

// directed and undirected give an edge's ends; ok is false where it is none.
func directed(e value.Value) (a, b value.Value, ok bool) {
	if t, is := e.(*value.Tuple); is && len(t.Elems) == 2 {
		return t.Elems[0], t.Elems[1], true
	}
	return nil, nil, false
}

func undirected(e value.Value) (a, b value.Value, ok bool) {
	s := value.Enumerate(e).Elems()
	if len(s) != 1 && len(s) != 2 {
		return nil, nil, false
	}
	return s[0], s[len(s)-1], true
}

type ends func(e value.Value) (a, b value.Value, ok bool)

func graphOf(r *Run, v value.Value, ends ends, symmetric bool) *graph {
	g := &graph{nodes: value.Enumerate(field(r, v, "node")), edges: value.Enumerate(field(r, v, "edge"))}
	g.adj = newMatrix(g.nodes.Len(), func(int, int) bool { return false })
	for _, e := range g.edges.Each() {
		a, b, ok := ends(e)
		if !ok {
			continue
		}
		if i, j := g.nodes.Index(a), g.nodes.Index(b); i >= 0 && j >= 0 {
			g.adj[i][j] = true
			g.adj[j][i] = g.adj[j][i] || symmetric
		}
	}
	return g
}

// paths is the transitive closure of the edges, with the path of one node if required.
func (g *graph) paths(reflexive bool) matrix {
	m := newMatrix(len(g.adj), func(i, j int) bool { return g.adj[i][j] || reflexive && i == j })
	return m.close()
}

func (g *graph) simplePaths() value.Value {
	var out []value.Value
	on := make([]bool, len(g.adj))
	var from func(path []value.Value, i int)
	from = func(path []value.Value, i int) {
		path, on[i] = append(slices.Clone(path), g.nodes.At(i)), true
		if out = append(out, list(path...)); len(out) > value.MostElements {
			value.Fail("the graph has more than %d simple paths", value.MostElements)
		}
		for j, edge := range g.adj[i] {
			if edge && !on[j] {
				from(path, j)
			}
		}
		on[i] = false
	}
	for i := range g.adj {
		from(nil, i)
	}
	return value.NewSet(out)
}

func (g *graph) connected(m, n value.Value) value.Value {
	i, j := g.nodes.Index(m), g.nodes.Index(n)
	return value.Truth(i >= 0 && j >= 0 && g.paths(true)[i][j])
}

// where are the nodes by a test of their places.
func (g *graph) where(test func(i int) bool) value.Value {
	var out []value.Value
	for i, e := range g.nodes.Each() {
		if test(i) {
			out = append(out, e)
		}
	}
	return value.NewSet(out)
}

// place is a node's place; an error where it is not a node.
func (g *graph) place(n value.Value) int {
	i := g.nodes.Index(n)
	if i < 0 {
		value.Fail("%s is not a node of the graph", value.Show(n))
	}
	return i
}

// hasEdge reports whether there is an edge between the value and the node j, to it
// or from it.
func (g *graph) hasEdge(n value.Value, j int, to bool) bool {
	m := g.nodes.At(j)
	if to {
		return g.edges.Index(list(n, m)) >= 0
	}
	return g.edges.Index(list(m, n)) >= 0
}

func (g *graph) neighbours(n value.Value, to bool) value.Value {
	return g.where(func(j int) bool { return g.hasEdge(n, j, to) })
}

// isGraph reports whether the value is a record of nodes and edges only, each edge
// with its ends among the nodes.
func isGraph(r *Run, v value.Value, ends ends) bool {
	nodes, edges := field(r, v, "node"), field(r, v, "edge")
	if !value.Equal(v, r.Record(map[string]value.Value{"node": nodes, "edge": edges})) {
		return false
	}
	for _, e := range value.Enumerate(edges).Each() {
		a, b, ok := ends(e)
		if !ok || !value.Contains(nodes, a) || !value.Contains(nodes, b) {
			return false
		}
	}
	return true
}

func symmetricEdges(r *Run, g value.Value) bool {
	edges := value.Enumerate(field(r, g, "edge"))
	return !slices.ContainsFunc(edges.Elems(), func(e value.Value) bool {
		a, b, ok := directed(e)
		return ok && edges.Index(list(b, a)) < 0
	})
}

// subgraphs are the graphs of some of the nodes and some of the edges that satisfy
// the test.
func subgraphs(r *Run, g value.Value, test func(h value.Value) bool) value.Value {
	var out []value.Value
	value.Each(r.graphs(&value.Subset{Of: field(r, g, "node")}, &value.Subset{Of: field(r, g, "edge")}), func(h value.Value) bool {
		if test(h) {
			out = append(out, h)
		}
		return true
	})
	return value.NewSet(out)
}

// graphs is the set of the records of a node set and an edge set.
func (r *Run) graphs(nodes, edges value.Value) value.Value {
	return value.NewRecordSet([]*value.Str{r.Space.String("node"), r.Space.String("edge")}, []value.Value{nodes, edges})
}

func only(v value.Value) value.Value { return value.NewSet([]value.Value{v}) }

// aboutGraphs are the operators that both modules have.
func aboutGraphs(ends ends, symmetric bool, edge func(a, b value.Value) value.Value) []*Native {
	of := func(r *Run, v value.Value) *graph { return graphOf(r, v, ends, symmetric) }
	return []*Native{
		one("Path", func(r *Run, v value.Value) value.Value {
			edges := field(r, v, "edge")
			return &value.Filter{Of: &value.Seq{Of: field(r, v, "node")}, Test: func(p value.Value) bool {
				s := seq(p)
				for i := 1; i < len(s); i++ {
					if !value.Contains(edges, edge(s[i-1], s[i])) {
						return false
					}
				}
				return len(s) > 0
			}}
		}),
		one("SimplePath", func(r *Run, v value.Value) value.Value { return of(r, v).simplePaths() }),
		some("AreConnectedIn", []int{0, 0, 0}, func(r *Run, args []any) value.Value {
			m, n := r.Arg(args[0]), r.Arg(args[1])
			return of(r, r.Arg(args[2])).connected(m, n)
		}),
	}
}

func (lib library) graphs() {
	of := func(r *Run, v value.Value) *graph { return graphOf(r, v, directed, false) }
	neighbours := func(name string, to bool) *Native {
		return two(name, func(r *Run, v, n value.Value) value.Value { return of(r, v).neighbours(n, to) })
	}
	degree := func(name string, to bool) *Native {
		return two(name, func(r *Run, v, n value.Value) value.Value {
			return value.Of(int64(of(r, v).neighbours(n, to).(*value.Set).Len()))
		})
	}
	ofAny := func(name string, to bool) *Native {
		return two(name, func(r *Run, v, s value.Value) value.Value {
			g, from := of(r, v), value.Enumerate(s).Elems()
			return g.where(func(j int) bool {
				return slices.ContainsFunc(from, func(n value.Value) bool { return g.hasEdge(n, j, to) })
			})
		})
	}
	without := func(name string, to bool) *Native {
		return one(name, func(r *Run, v value.Value) value.Value {
			g := of(r, v)
			return g.where(func(i int) bool { return g.neighbours(g.nodes.At(i), to).(*value.Set).Len() == 0 })
		})
	}
	reachable := func(name string, to bool) *Native {
		return two(name, func(r *Run, v, n value.Value) value.Value {
			g := of(r, v)
			paths := g.paths(false)
			return g.where(func(i int) bool {
				if to {
					return paths[g.place(n)][i]
				}
				return paths[i][g.place(n)]
			})
		})
	}
	acyclic := func(g *graph) bool {
		paths := g.paths(false)
		for i := range paths {
			if paths[i][i] {
				return false
			}
		}
		return true
	}
	isDirected := func(r *Run, v value.Value) bool { return isGraph(r, v, directed) }
	lib.register("Graphs", []string{"Naturals", "Sequences", "FiniteSets", "SequencesExt", "Relation"}, append(aboutGraphs(directed, false, func(a, b value.Value) value.Value { return list(a, b) }),
		one("IsDirectedGraph", func(r *Run, v value.Value) value.Value { return value.Truth(isDirected(r, v)) }),
		one("DirectedSubgraph", func(r *Run, v value.Value) value.Value {
			return subgraphs(r, v, func(h value.Value) bool { return isDirected(r, h) })
		}),
		one("IsUndirectedGraph", func(r *Run, v value.Value) value.Value {
			return value.Truth(isDirected(r, v) && symmetricEdges(r, v))
		}),
		one("UndirectedSubgraph", func(r *Run, v value.Value) value.Value {
			return subgraphs(r, v, func(h value.Value) bool { return isDirected(r, h) && symmetricEdges(r, h) })
		}),
		one("Transpose", func(r *Run, v value.Value) value.Value {
			var edges []value.Value
			for _, e := range value.Enumerate(field(r, v, "edge")).Each() {
				edges = append(edges, list(value.Apply(e, value.Of(2)), value.Apply(e, value.Of(1))))
			}
			return r.Record(map[string]value.Value{"edge": value.NewSet(edges), "node": field(r, v, "node")})
		}),
		one("IsStronglyConnected", func(r *Run, v value.Value) value.Value {
			for _, row := range of(r, v).paths(true) {
				if slices.Contains(row, false) {
					return value.False
				}
			}
			return value.True
		}),
		one("ConnectionsIn", func(r *Run, v value.Value) value.Value {
			g := of(r, v)
			return g.paths(true).function(g.nodes)
		}),
		two("IsTreeWithRoot", func(r *Run, v, root value.Value) value.Value {
			if !isDirected(r, v) || !value.Contains(field(r, v, "node"), root) {
				return value.False
			}
			g := of(r, v)
			paths, at := g.paths(true), g.place(root)
			for i, row := range g.adj {
				parents := 0
				for _, edge := range row {
					if edge {
						parents++
					}
				}
				if parents > 1 || parents > 0 && i == at || !paths[i][at] {
					return value.False
				}
			}
			return value.True
		}),
		two("GraphUnion", func(r *Run, v, w value.Value) value.Value {
			union := func(name string) value.Value { return value.Combine(value.Union, field(r, v, name), field(r, w, name)) }
			return r.Record(map[string]value.Value{"node": union("node"), "edge": union("edge")})
		}),
		some("IsBipartiteWithPartitions", []int{0, 0, 0}, func(r *Run, args []any) value.Value {
			v, a, b := r.Arg(args[0]), r.Arg(args[1]), r.Arg(args[2])
			if value.Enumerate(value.Combine(value.Intersection, a, b)).Len() > 0 || !value.IsSubset(field(r, v, "node"), value.Combine(value.Union, a, b)) {
				return value.False
			}
			for _, e := range value.Enumerate(field(r, v, "edge")).Each() {
				x, y := value.Apply(e, value.Of(1)), value.Apply(e, value.Of(2))
				if !(value.Contains(a, x) && value.Contains(b, y)) && !(value.Contains(a, y) && value.Contains(b, x)) {
					return value.False
				}
			}
			return value.True
		}),
		one("HasCycle", func(r *Run, v value.Value) value.Value { return value.Truth(!acyclic(of(r, v))) }),
		one("IsDag", func(r *Run, v value.Value) value.Value { return value.Truth(isDirected(r, v) && acyclic(of(r, v))) }),
		neighbours("Successors", true), neighbours("Predecessors", false),
		ofAny("AllSuccessors", true), ofAny("AllPredecessors", false),
		reachable("Descendants", true), reachable("Ancestors", false),
		degree("OutDegree", true), degree("InDegree", false),
		without("Leaves", true), without("Roots", false),
		&Native{Name: "EmptyGraph", F0: func(r *Run) value.Value {
			return r.Record(map[string]value.Value{"node": value.NoElements, "edge": value.NoElements})
		}},
		one("Graphs", func(r *Run, s value.Value) value.Value {
			return r.graphs(only(s), &value.Subset{Of: &value.Product{Sets: []value.Value{s, s}}})
		}))...)
	between := func(a, b value.Value) value.Value { return value.NewSet([]value.Value{a, b}) }
	components := func(r *Run, v value.Value) value.Value {
		g := graphOf(r, v, undirected, true)
		paths := g.paths(true)
		var out []value.Value
		for i := range paths {
			out = append(out, g.where(func(j int) bool { return paths[i][j] }))
		}
		return value.NewSet(out)
	}
	lib.register("UndirectedGraphs", nil, append(aboutGraphs(undirected, true, between),
		one("IsUndirectedGraph", func(r *Run, v value.Value) value.Value { return value.Truth(isGraph(r, v, undirected)) }),
		one("IsLoopFreeUndirectedGraph", func(r *Run, v value.Value) value.Value {
			return value.Truth(isGraph(r, v, func(e value.Value) (a, b value.Value, ok bool) {
				a, b, ok = undirected(e)
				return a, b, ok && !value.Equal(a, b)
			}))
		}),
		one("UndirectedSubgraph", func(r *Run, v value.Value) value.Value {
			return subgraphs(r, v, func(h value.Value) bool { return isGraph(r, h, undirected) })
		}),
		one("ConnectedComponents", components),
		one("IsStronglyConnected", func(r *Run, v value.Value) value.Value {
			return value.Truth(value.Equal(components(r, v), only(field(r, v, "node"))))
		}),
		one("UndirectedGraphs", func(r *Run, s value.Value) value.Value {
			var edges []value.Value
			nodes := value.Enumerate(s)
			for _, a := range nodes.Each() {
				for _, b := range nodes.Each() {
					edges = append(edges, between(a, b))
				}
			}
			return r.graphs(only(nodes), &value.Subset{Of: value.NewSet(edges)})
		}))...)
	lib.register("Quorum", nil, one("QuorumSystem", func(_ *Run, s value.Value) value.Value {
		sets := &value.Subset{Of: s}
		return &value.Filter{Of: &value.Subset{Of: sets}, Test: func(v value.Value) bool {
			system := value.Enumerate(v).Elems()
			meet := pairs(func(_ relation, p, q value.Value) bool {
				return value.Enumerate(value.Combine(value.Intersection, p, q)).Len() > 0
			})
			return len(system) > 0 && meet(nil, system) && value.Each(sets, func(q value.Value) bool {
				return value.Contains(v, q) || !slices.ContainsFunc(system, func(p value.Value) bool { return value.IsSubset(p, q) })
			})
		}}
	}))
}
