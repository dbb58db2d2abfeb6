package eval

import "tracecheck/tlaplus/value"

// Relation of the community modules. A relation is a function from pairs to
// booleans; the operators named …Under take an operator instead.

type relation func(x, y value.Value) bool

// properties of a relation over a set's elements, in the order of their
// definitions.
var properties = []struct {
	name string
	test func(rel relation, s []value.Value) bool
}{
	{"IsReflexive", reflexive},
	{"IsIrreflexive", irreflexive},
	{"IsSymmetric", pairs(func(rel relation, x, y value.Value) bool { return rel(x, y) == rel(y, x) })},
	{"IsAntiSymmetric", antisymmetric},
	{"IsAsymmetric", pairs(func(rel relation, x, y value.Value) bool { return !(rel(x, y) && rel(y, x)) })},
	{"IsTransitive", transitive},
	{"IsStrictlyPartiallyOrdered", strictOrder},
	{"IsPartiallyOrdered", order},
	{"IsStrictlyTotallyOrdered", func(rel relation, s []value.Value) bool {
		return strictOrder(rel, s) && pairs(func(rel relation, x, y value.Value) bool { return value.Equal(x, y) || rel(x, y) || rel(y, x) })(rel, s)
	}},
	{"IsTotallyOrdered", func(rel relation, s []value.Value) bool {
		return order(rel, s) && pairs(func(rel relation, x, y value.Value) bool { return rel(x, y) || rel(y, x) })(rel, s)
	}},
}

// pairs is what holds of all pairs of elements.
func pairs(test func(rel relation, x, y value.Value) bool) func(relation, []value.Value) bool {
	return func(rel relation, s []value.Value) bool {
		for _, x := range s {
			for _, y := range s {
				if !test(rel, x, y) {
					return false
				}
			}
		}
		return true
	}
}

var antisymmetric = pairs(func(rel relation, x, y value.Value) bool { return !(rel(x, y) && rel(y, x)) || value.Equal(x, y) })

func reflexive(rel relation, s []value.Value) bool {
	for _, x := range s {
		if !rel(x, x) {
			return false
		}
	}
	return true
}

func irreflexive(rel relation, s []value.Value) bool {
	return reflexive(func(x, y value.Value) bool { return !rel(x, y) }, s)
}

func transitive(rel relation, s []value.Value) bool {
	for _, z := range s {
		if !pairs(func(rel relation, x, y value.Value) bool { return !(rel(x, y) && rel(y, z)) || rel(x, z) })(rel, s) {
			return false
		}
	}
	return true
}

func strictOrder(rel relation, s []value.Value) bool {
	return irreflexive(rel, s) && antisymmetric(rel, s) && transitive(rel, s)
}

func order(rel relation, s []value.Value) bool {
	return reflexive(rel, s) && antisymmetric(rel, s) && transitive(rel, s)
}

// related is the relation that a function of pairs is.
func related(f value.Value) relation {
	return func(x, y value.Value) bool {
		v := value.Apply(f, list(x, y))
		b, ok := v.(value.Bool)
		if !ok {
			value.Fail("the relation of %s and %s is not a boolean: %s", value.Show(x), value.Show(y), value.Show(v))
		}
		return bool(b)
	}
}

// matrix is a relation between the places of elements.
type matrix [][]bool

func newMatrix(n int, at func(i, j int) bool) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([]bool, n)
		for j := range m[i] {
			m[i][j] = at(i, j)
		}
	}
	return m
}

// close makes it transitive (Warshall).
func (m matrix) close() matrix {
	for k := range m {
		for i := range m {
			if m[i][k] {
				for j, on := range m[k] {
					m[i][j] = m[i][j] || on
				}
			}
		}
	}
	return m
}

// function is the relation as a function of pairs.
func (m matrix) function(s *value.Set) value.Value {
	var vals []value.Value
	for i := range m {
		for j := range m[i] {
			vals = append(vals, value.Truth(m[i][j]))
		}
	}
	return value.NewFcn(value.Enumerate(&value.Product{Sets: []value.Value{s, s}}), vals)
}

// closure is the transitive closure of the relation f over the set, the reflexive
// one if asked.
func closure(f value.Value, s *value.Set, reflexive bool) matrix {
	rel := related(f)
	m := newMatrix(s.Len(), func(i, j int) bool { return rel(s.At(i), s.At(j)) }).close()
	for i := range m {
		m[i][i] = m[i][i] || reflexive
	}
	return m
}

func (lib library) relation() {
	closed := func(name string, reflexive bool) *Native {
		return two(name, func(_ *Run, f, s value.Value) value.Value {
			set := value.Enumerate(s)
			return closure(f, set, reflexive).function(set)
		})
	}
	ops := []*Native{
		closed("TransitiveClosure", false), closed("ReflexiveTransitiveClosure", true),
		two("IsConnected", func(_ *Run, f, s value.Value) value.Value {
			for _, row := range closure(f, value.Enumerate(s), true) {
				for _, on := range row {
					if !on {
						return value.False
					}
				}
			}
			return value.True
		}),
	}
	for _, p := range properties {
		ops = append(ops,
			two(p.name, func(_ *Run, f, s value.Value) value.Value {
				return value.Truth(p.test(related(f), value.Enumerate(s).Elems()))
			}),
			some(p.name+"Under", []int{2, 0}, func(r *Run, args []any) value.Value {
				s := value.Enumerate(r.Arg(args[1])).Elems()
				return value.Truth(p.test(func(x, y value.Value) bool { return r.holds(args[0], x, y) }, s))
			}))
	}
	lib.register("Relation", []string{"Naturals", "FiniteSets"}, ops...)
}
