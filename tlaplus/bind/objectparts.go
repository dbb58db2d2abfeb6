package bind

import (
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
)

// part is what of a variable is about an object: all of it, or at an argument.
type part struct {
	variable int         // anything: each action is about it
	at       value.Value // nil: all
}

const anything = -1

// differs reports whether it differs between two states.
func (p part) differs(a, b []value.Value) bool {
	if p.variable == anything {
		return true
	}
	x, y := a[p.variable], b[p.variable]
	if p.at == nil {
		return !value.Identical(x, y)
	}
	if set, ok := x.(*value.Set); ok {
		other, isSet := y.(*value.Set)
		return !isSet || hasText(set, p.at) != hasText(other, p.at)
	}
	v, w := valueAt(x, p.at), valueAt(y, p.at)
	return (v == nil) != (w == nil) || v != nil && !value.Identical(v, w)
}

// hasText reports whether an element is in a set, also of a set of others than texts.
func hasText(set *value.Set, x value.Value) bool {
	_, isText := x.(*value.Str)
	return (!isText || ofTexts(set)) && set.Index(x) >= 0
}

// valueAt is the value of a function there, nil where it has none.
func valueAt(f, at value.Value) value.Value {
	if dom, ok := domainOf(f); ok && hasText(dom, at) {
		return value.Apply(f, at)
	}
	return nil
}

// ofID is where a value may have what is about an id: an element of a set, an argument of a
// function; nil: anywhere. ok is false where it has others than texts, and so nothing.
func ofID(v value.Value, id *value.Str) (at value.Value, ok bool) {
	switch v := v.(type) {
	case *value.Set:
		return id, ofTexts(v)
	case *value.Fcn:
		return id, ofTexts(v.Dom)
	}
	return nil, true
}

func ofTexts(set *value.Set) bool {
	return !slices.ContainsFunc(set.Elems(), func(x value.Value) bool { _, isText := x.(*value.Str); return !isText })
}

// objects finds what is about the object of each claim: what would be another value, had
// the step left the object as it was. Of a variable that observe does not give, it is
// what has the object's id.
func (b *batch) objects(n *node, goal *eval.State) error {
	m := b.m
	given := make([]bool, len(goal.Vals))
	for i := range given {
		given[i] = m.gives(i)
	}
	for _, c := range b.s.claims {
		var parts, inferred []part
		err := m.world.without(c.kind, c.id, true, func() error {
			meaning, err := m.meaning(m.world.line)
			if err != nil {
				return err
			}
			other, err := m.p.spec.Overlaid(m.p.run, n.state, meaning.assignments)
			if err != nil || other == nil {
				return err
			}
			stays := false
			for i, v := range goal.Vals {
				switch w := other.Vals[i]; {
				case !given[i]:
					if at, ok := ofID(v, m.p.json.space.String(c.id)); ok {
						inferred = append(inferred, part{i, at})
					}
				case m.p.lines[i]:
					switch same := value.Identical(v, n.state.Vals[i]); {
					case m.gives(i): // by another line
					case same: // actions may have changed it on the way, and back
						stays = true
					default:
						parts = append(parts, part{i, nil})
					}
				case !value.Identical(v, w):
					parts = append(parts, m.apart(i, v, w)...)
				}
			}
			if stays && len(parts) == 0 {
				parts = append(parts, part{anything, nil})
			}
			return nil
		})
		if err != nil {
			return err
		}
		b.parts = append(b.parts, append(parts, inferred...))
	}
	return nil
}

// apart is where two values of a variable differ.
func (m *objectMachine) apart(variable int, v, w value.Value) (parts []part) {
	dom, isFcn := domainOf(v)
	other, also := domainOf(w)
	if m.p.whole[variable] || !isFcn || !also {
		return []part{{variable, nil}}
	}
	for _, k := range dom.Each() {
		if x := valueAt(w, k); x == nil || !value.Identical(x, value.Apply(v, k)) {
			parts = append(parts, part{variable, k})
		}
	}
	for _, k := range other.Each() {
		if valueAt(v, k) == nil {
			parts = append(parts, part{variable, k})
		}
	}
	return parts
}
