package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

func (p *Program) quant(s *scope, n *syntax.Quant) *expr {
	if len(n.Names) > 0 {
		return p.unboundedQuant(s, n)
	}
	first := s.fn.bind(n, 0)
	in, list := p.bind(s, n.Bounds, p.looped)
	body := p.expr(in, n.Body)
	until := n.Kind == `\E`
	at := s.place(n.Body)
	q := p.remembering(in, n.Body, list, first)
	then := "=>"
	if until {
		then = `/\`
	}
	ix := p.index(in, list, n.Body, then, first)
	keep := p.keeperOf(q, list)
	narrows := until && max(bindingLevel(list), body.level) >= action
	if ix != nil || narrows {
		keep = nil
	}
	alone := p.keeperOf(q, list[:1]) // over the first name
	var others []value.Value         // of the other names, the last time
	var narrow *narrowing
	newDecided := func() kind { return &decided{until: until} }
	decides := func(r *Run, f *frame) func() bool {
		return func() bool { return r.truth(body.code(r, f), at) }
	}
	return &expr{level: max(bindingLevel(list), body.level), code: func(r *Run, f *frame) value.Value {
		var all, known bool
		switch remembers := r.memory != nil && q != nil; {
		case narrows && r.next != nil && r.track == nil && r.memory == nil:
			if narrow == nil {
				narrow = p.narrowing(in, n, list)
				if narrows = narrow != nil; !narrows {
					all = each(r, f, list, func() bool { return r.truth(body.code(r, f), at) != until })
					break
				}
			}
			given := allSets(r, f, list)
			left := narrow.narrowed(r, f, list, given)
			if all = left.none; all {
				break
			}
			test := left.tested(r, f, func() bool { return r.truth(body.code(r, f), at) != until })
			if left.solved == nil && &left.sets[0] == &given[0] && narrow.alone && left.whole && slices.EqualFunc(others, given[1:], value.Same) {
				if t, ok := alone.keep(r, f, given[0], newDecided, func() value.Value { return value.Truth(!eachOf(f, list[1:], given[1:], nil, nil, r, test)) }); ok {
					all = t.result.(*decided).n == 0
					break
				}
			}
			others = left.sets[1:]
			all = eachOf(f, list, left.sets, left.solved, nil, r, test)
		case ix != nil:
			if all, known = ix.tracked(r, f, until); known {
				break
			}
			sets := allSets(r, f, list)
			if all, known = ix.each(r, f, sets[0], until); known {
				break
			}
			if remembers {
				all = q.each(r, f, sets, until, decides(r, f))
			} else {
				all = eachOf(f, list, sets, nil, nil, r, func() bool { return r.truth(body.code(r, f), at) != until })
			}
		case keep != nil:
			sets := allSets(r, f, list)
			if t, ok := keep.keep(r, f, sets[0], newDecided, func() value.Value { return value.Truth(r.truth(body.code(r, f), at)) }); ok {
				all = t.result.(*decided).n == 0
			} else if remembers {
				all = q.each(r, f, sets, until, decides(r, f))
			} else {
				all = eachOf(f, list, sets, nil, nil, r, func() bool { return r.truth(body.code(r, f), at) != until })
			}
		case remembers:
			all = q.each(r, f, allSets(r, f, list), until, decides(r, f))
		default:
			all = each(r, f, list, func() bool { return r.truth(body.code(r, f), at) != until })
		}
		return value.Truth(all != until)
	}}
}

// unboundedQuant is an error where it is evaluated: theorems and their like may
// have it.
func (p *Program) unboundedQuant(s *scope, n *syntax.Quant) *expr {
	x := p.unbounded(s, n, n.Kind, n.Names, n.Body)
	if n.Kind == `\AA` || n.Kind == `\EE` {
		return p.temporal(s, n)
	}
	return x
}

// unbounded binds names that no set gives values.
func (p *Program) unbounded(s *scope, n syntax.Node, what string, names []syntax.Ident, body syntax.Expr) *expr {
	in := s.inner()
	for i := range names {
		name := &names[i]
		in.fresh(name, name.Name)
		in.names[name.Name] = &local{name: name.Name, fn: s.fn, slot: s.fn.bind(name, 1)}
	}
	x := p.expr(in, body)
	at := s.place(n)
	return &expr{level: x.level, code: func(r *Run, f *frame) value.Value {
		r.at = at
		value.Fail("%s without a set is not supported: its values cannot be enumerated", what)
		return nil
	}}
}

func (p *Program) choose(s *scope, n *syntax.Choose) *expr {
	if n.Bound.Set == nil {
		return p.unbounded(s, n, "CHOOSE", n.Bound.Names, n.Body)
	}
	in, list := p.bind(s, []syntax.Bound{n.Bound}, p.expr)
	body := p.expr(in, n.Body)
	at, of := s.place(n), s.place(n.Body)
	return &expr{level: max(bindingLevel(list), body.level), code: func(r *Run, f *frame) value.Value {
		var found value.Value
		b := &list[0]
		set := b.values(r, f)
		if !value.IsFinite(set) {
			value.Fail("CHOOSE from %s, which cannot be enumerated", value.Show(set))
		}
		r.through(set, b.at, func(e value.Value) bool {
			b.assign(r, f, e)
			if r.truth(body.code(r, f), of) {
				found = e
			}
			return found == nil
		})
		if found == nil {
			r.at = at
			value.Fail("CHOOSE finds no element of %s that satisfies its condition", value.Show(set))
		}
		return found
	}}
}
