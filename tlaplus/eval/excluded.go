package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// v' = (v \ {t}) \union {[t EXCEPT !.state = "new"]}: what v has got has this state. A step
// with another one needs no test.

// fixedPart is a part of an element that has this value.
type fixedPart struct {
	path []partStep
	is   value.Value
}

// literal notes that a part of the element equals a literal, where it does.
func (w *narrower) literal(c *meant, path []partStep, to *want) {
	switch n := c.n.(type) {
	case *syntax.String:
		to.fixed = append(to.fixed, fixedPart{path, w.p.Space.String(n.Value)})
	case *syntax.Number:
		to.fixed = append(to.fixed, fixedPart{path, w.p.number(c.s, n)})
	case *syntax.Op:
		if len(n.Args)+len(n.Prefix) == 0 && c.names[n.Name.Name] == nil {
			if sym, ok := w.p.aliased(c.s.lookup(n.Name.Name)).(*Native); ok && sym.given != nil {
				to.fixed = append(to.fixed, fixedPart{path, sym.given})
			}
		}
	}
}

// fields is the path with the steps of an EXCEPT; ok is false where some are no fields.
func (w *narrower) fields(steps []syntax.Step, path []partStep) (to []partStep, ok bool) {
	to = path[:len(path):len(path)]
	for i := range steps {
		if steps[i].Index != nil {
			return nil, false
		}
		to = append(to, partStep{field: w.p.Space.String(steps[i].Field.Name)})
	}
	return to, true
}

// excluded reports whether a part of some element has another value for certain.
func (w *want) excluded(r *Run, elems []value.Value) bool {
	return slices.ContainsFunc(elems, func(e value.Value) bool {
		return differs(r, e, w.fixed) || slices.ContainsFunc(w.oneOf, func(alternatives [][]fixedPart) bool {
			return !slices.ContainsFunc(alternatives, func(fixed []fixedPart) bool { return !differs(r, e, fixed) })
		})
	})
}

// differs reports whether one of the parts of an element has another value for certain.
func differs(r *Run, e value.Value, fixed []fixedPart) bool {
	for i := range fixed {
		fx, part := &fixed[i], value.Value(nil)
		if r.attempt(func() { part = partAt(r, e, fx.path) }) && apart(part, fx.is) {
			return true
		}
	}
	return false
}

// apart reports whether two values are different, and a = b is no error.
func apart(a, b value.Value) bool { return value.Comparable(a, b) && !value.Identical(a, b) }

// partAt is the part of an element that a path leads to.
func partAt(r *Run, e value.Value, path []partStep) value.Value {
	for _, step := range path {
		if step.by != nil {
			e = step.by.keyOf(r, e)
		} else {
			e = value.Apply(e, step.field)
		}
	}
	return e
}
