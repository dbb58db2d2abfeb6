package bind

import (
	"maps"
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
)

// absent is an object that the lines of a batched step delete and create: what is another
// object after the step has not been there on the way.
type absent struct {
	part
	field value.Value // of a set of records: the element has the id there; nil: it is an argument
}

// leaves reports whether the object is not there in a state on the way. An element of a set
// has just left it.
func (b *batch) leaves(a *absent, from, to []value.Value) bool {
	if a.field == nil {
		return valueAt(to[a.variable], a.at) == nil
	}
	is := to[a.variable].(*value.Set)
	gone, _ := b.differ(from[a.variable].(*value.Set), is)
	return slices.ContainsFunc(gone, a.of) && !slices.ContainsFunc(is.Elems(), a.of)
}

// of reports whether the element is the object.
func (a *absent) of(element value.Value) bool {
	v := valueAt(element, a.field)
	return v != nil && value.Identical(v, a.at)
}

// goes notes the arguments of a function that the lines delete and create.
func (b *batch) goes(variable int, before, end value.Value) {
	dom, isFcn := domainOf(before)
	if !isFcn {
		return
	}
	for _, k := range dom.Each() {
		w := valueAt(end, k)
		if id, isText := k.(*value.Str); isText && w != nil && b.m.world.recreates(id.Text) && !value.Identical(w, value.Apply(before, k)) {
			b.gone = append(b.gone, absent{part{variable, k}, nil})
		}
	}
}

// elements notes the elements of sets that the lines delete and create: those that the set
// would not have without the object, and that alone have its id in a field.
func (b *batch) elements(n *node, goal *eval.State) error {
	m := b.m
	for i := range m.world.kinds {
		s := &m.world.kinds[i]
		for _, id := range slices.Sorted(maps.Keys(s.deleted)) {
			if !s.recreates(id) {
				continue
			}
			if err := m.world.without(s.kind, id, false, func() error {
				meaning, err := m.meaning(m.world.line)
				if err != nil {
					return err
				}
				other, err := m.p.spec.Overlaid(m.p.run, n.state, meaning.assignments)
				if err == nil && other != nil {
					b.lost(m.p.json.space.String(id), n.state, other, goal)
				}
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// lost notes the elements that sets have after the step, and would not have without the object.
func (b *batch) lost(id *value.Str, before, other, goal *eval.State) {
	for v := range goal.Vals {
		was, ok := before.Vals[v].(*value.Set)
		end, isSet := goal.Vals[v].(*value.Set)
		less, also := other.Vals[v].(*value.Set)
		if !ok || !isSet || !also || b.m.p.whole[v] || b.m.p.lines[v] {
			continue
		}
		for _, x := range without(end, less) {
			fields, isFcn := domainOf(x)
			if !isFcn || was.Index(x) >= 0 {
				continue
			}
			for _, k := range fields.Each() {
				if a := (absent{part{v, id}, k}); a.of(x) && !slices.ContainsFunc(end.Without(x).Elems(), a.of) {
					b.gone = append(b.gone, a)
				}
			}
		}
	}
}
