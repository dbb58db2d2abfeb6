package bind

import (
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
)

// part is what of a variable is about an object: all of it, or at an argument.
type part struct {
	variable int
	at       value.Value // nil: all
}

// differs reports whether it differs between two states.
func (p part) differs(a, b []value.Value) bool {
	x, y := a[p.variable], b[p.variable]
	if p.at == nil {
		return !value.Identical(x, y)
	}
	if set, ok := x.(*value.Set); ok {
		other, isSet := y.(*value.Set)
		return !isSet || set.Index(p.at) >= 0 != (other.Index(p.at) >= 0)
	}
	v, w := valueAt(x, p.at), valueAt(y, p.at)
	return (v == nil) != (w == nil) || v != nil && !value.Identical(v, w)
}

// valueAt is the value of a function there, nil where it has none.
func valueAt(f, at value.Value) value.Value {
	if dom, ok := domainOf(f); ok && dom.Index(at) >= 0 {
		return value.Apply(f, at)
	}
	return nil
}

// ofID is where a value may have what is about an id: an element of a set, or an argument
// of a function; nil: anywhere.
func ofID(v value.Value, id *value.Str) value.Value {
	dom, ok := v.(*value.Set)
	if f, isFcn := v.(*value.Fcn); isFcn {
		dom, ok = f.Dom, true
	}
	if ok && !slices.ContainsFunc(dom.Elems, func(x value.Value) bool { _, isText := x.(*value.Str); return !isText }) {
		return id
	}
	return nil
}

// objects finds what is about the object of each claim: what would be another value, had
// the step left the object as it was. Of a variable that observe does not give, it is
// what has the object's id.
func (b *batch) objects(n *node, goal *eval.State) error {
	m := b.m
	told := make([]bool, len(goal.Vals))
	for i := range told {
		told[i] = m.gives(i)
	}
	for _, c := range b.s.claims {
		var parts []part
		err := m.world.without(c.kind, c.id, func() error {
			said, err := m.said(m.world.line)
			if err != nil {
				return err
			}
			other, err := m.p.spec.Overlaid(m.p.run, n.state, said.gives)
			if err != nil || other == nil {
				return err
			}
			for i, v := range goal.Vals {
				dom, isFcn := domainOf(v)
				switch w := other.Vals[i]; {
				case !told[i]:
					parts = append(parts, part{i, ofID(v, m.p.json.space.String(c.id))})
				case value.Identical(v, w):
				case m.p.whole[i] || !isFcn:
					parts = append(parts, part{i, nil})
				default:
					for _, k := range dom.Elems {
						if x := valueAt(w, k); x == nil || !value.Identical(x, value.Apply(v, k)) {
							parts = append(parts, part{i, k})
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		b.parts = append(b.parts, parts)
	}
	return nil
}
