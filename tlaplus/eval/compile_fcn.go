package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// fcn is [x \in S |-> e]; where it has a name, e may refer to it.
func (p *Program) fcn(s *scope, n *syntax.Fcn, name string) *expr {
	first := s.fn.bind(n, 0)
	in, list := p.bind(s, n.Bounds, p.expr)
	self := -1
	if name != "" {
		self = s.fn.bind(n.Body, 1)
		in.names[name] = &local{name: name, fn: s.fn, slot: self, lazy: true}
	}
	body := p.expr(in, n.Body)
	keep := p.keeperOf(p.remembering(in, n.Body, list, first), list)
	if self >= 0 {
		keep = nil
	}
	of := &definition{name: name, syn: n, scope: s, weight: weight(n.Body)}
	count := 0
	for i := range list {
		if list[i].tuple {
			count++
		} else {
			count += len(list[i].slots)
		}
	}
	return &expr{level: max(bindingLevel(list), body.level), code: func(r *Run, f *frame) value.Value {
		dom := domainOf(r, f, list, count)
		if t, ok := keep.keep(r, f, dom, newTabulated, func() value.Value { return body.code(r, f) }); ok {
			return t.result.(*tabulated).function(t)
		}
		if self < 0 && value.Few(dom) {
			elems := value.Enumerate(dom)
			vals := make([]value.Value, elems.Len())
			if r.attempt(func() {
				for i, e := range elems.Each() {
					setArgs(r, f, list, count, e)
					vals[i] = body.code(r, f)
				}
			}) {
				return value.NewFcn(elems, vals)
			}
			// Only who asks for that value is to see the error.
		}
		if r.ahead++; r.track != nil { // by what it is called later
			r.track.lost = true
		}
		// Each call has a frame of its own: the function may call itself.
		in := f.copyOf()
		type pair struct{ arg, val value.Value }
		known := map[uint64][]pair{}
		l := &value.Lambda{Dom: dom}
		cur, next := r.cur, r.next
		enter := func(arg value.Value) *frame {
			g := in.copyOf()
			if self >= 0 {
				g.vals[self] = l
			}
			setArgs(r, g, list, count, arg)
			return g
		}
		l.Text = &fcnText{body, enter, self < 0 && value.Few(dom)}
		l.Call = func(arg value.Value) value.Value {
			key := value.Hash(arg)
			for _, k := range known[key] {
				if value.Equal(k.arg, arg) {
					return k.val
				}
			}
			r.enter(of)
			wasCur, wasNext := r.cur, r.next
			r.cur, r.next = cur, next
			v := body.code(r, enter(arg))
			r.cur, r.next = wasCur, wasNext
			r.leave(of)
			known[key] = append(known[key], pair{arg, v})
			return v
		}
		if self >= 0 && body.level == constant && value.Few(dom) {
			r.attempt(func() { l.Force() })
		}
		return l
	}}
}

// attempt reports whether do ends without an evaluation error.
func (r *Run) attempt(do func()) (ok bool) {
	cur, next, initial, depth, memory, track, way := r.cur, r.next, r.initial, r.depth, r.memory, r.track, len(r.way)
	defer func() {
		if ok {
			return
		}
		if x := recover(); x != nil {
			if _, is := x.(*value.Error); !is {
				panic(x)
			}
			r.cur, r.next, r.initial, r.depth, r.memory, r.track, r.way = cur, next, initial, depth, memory, track, r.way[:way]
			r.unrepeatable()
		}
	}()
	do()
	return true
}

// fcnText is the text of a function that is not tabulated.
type fcnText struct {
	body  *expr
	enter func(arg value.Value) *frame
	fails bool // a value of it is an error
}

// evaluated is the value of a variable: TLC evaluates its function or set, and fails with it.
func (r *Run) evaluated(v value.Value) value.Value {
	switch v := v.(type) {
	case *value.Lambda:
		if t, ok := v.Text.(*fcnText); ok && t.fails {
			return v.Force()
		}
	case *value.Filter, *value.Binary:
		value.RefuseLazy(v)
		return value.Enumerate(v)
	}
	if r.filtered {
		value.RefuseLazy(v)
	}
	return v
}

// domainOf is the domain of a function of so many arguments.
func domainOf(r *Run, f *frame, list []binding, count int) value.Value {
	if count == 1 {
		return list[0].values(r, f)
	}
	var sets []value.Value
	for i := range list {
		set := list[i].values(r, f)
		for range max(1, len(list[i].slots)) {
			sets = append(sets, set)
			if list[i].tuple {
				break
			}
		}
	}
	return &value.Product{Sets: sets}
}

// setArgs sets the slots for an argument of the function: a tuple where it has
// several.
func setArgs(r *Run, f *frame, list []binding, count int, arg value.Value) {
	if count == 1 {
		list[0].assign(r, f, arg)
		return
	}
	elems := tuple(arg).Elems
	for i := range list {
		b := &list[i]
		if b.tuple {
			b.assign(r, f, elems[0])
			elems = elems[1:]
			continue
		}
		for _, slot := range b.slots {
			f.vals[slot] = elems[0]
			elems = elems[1:]
		}
	}
}

func (p *Program) apply(s *scope, n *syntax.FcnApply) *expr {
	fcn := p.expr(s, n.Fcn)
	args := p.exprs(s, n.Args)
	at := s.place(n)
	l := max(fcn.level, top(args...))
	arg := args[0].code
	if len(args) > 1 {
		arg = func(r *Run, f *frame) value.Value { return value.NewTuple(all(r, f, args)...) }
	}
	return fcn.reads.on(fcn, arg, at, &expr{level: l, code: func(r *Run, f *frame) value.Value {
		fv := fcn.code(r, f)
		a := arg(r, f)
		r.at = at
		return value.Apply(fv, a)
	}})
}

func (p *Program) dot(s *scope, n *syntax.Dot) *expr {
	rec := p.expr(s, n.Rec)
	name := value.Value(p.Space.String(n.Field.Name))
	at := s.place(n)
	var dom *value.Set // of the last record, and where it has the field
	var i int
	part := func(v, _ value.Value) value.Value {
		rec, ok := v.(*value.Fcn)
		if ok && rec.Dom == dom {
			return rec.Val(i)
		}
		part := value.Apply(v, name)
		if ok {
			dom, i = rec.Dom, rec.Dom.Index(name)
		}
		return part
	}
	field := func(r *Run, v value.Value) value.Value {
		if rec, ok := v.(*value.Fcn); !ok || rec.Dom != dom {
			r.at = at
		}
		return part(v, nil)
	}
	plain := &expr{level: rec.level, code: func(r *Run, f *frame) value.Value { return field(r, rec.code(r, f)) }}
	far := rec.reads.by(plain, func(r *Run, _ *frame, v value.Value) (value.Value, value.Value) { return field(r, v), name })
	return partOf(far, rec, toValue, func(*Run, *frame) value.Value { return name }, at, part)
}

// except applies the updates in turn.
func (p *Program) except(s *scope, n *syntax.Except) *expr {
	fcn := p.expr(s, n.Fcn)
	type update struct {
		path []*expr
		val  *expr
		at   int // the slot of @
	}
	l := fcn.level
	ups := make([]update, len(n.Updates))
	for i := range n.Updates {
		u := &n.Updates[i]
		for _, step := range u.Path {
			var x *expr
			switch {
			case step.Index == nil:
				name := value.Value(p.Space.String(step.Field.Name))
				x = &expr{code: func(*Run, *frame) value.Value { return name }}
			case len(step.Index) == 1:
				x = p.expr(s, step.Index[0])
			default:
				x = p.expr(s, &syntax.Tuple{Span: step.Span, Items: step.Index})
			}
			ups[i].path = append(ups[i].path, x)
			l = max(l, x.level)
		}
		ups[i].at = s.fn.bind(u, 1)
		in := s.inner()
		in.names["@"] = &local{name: "@", fn: s.fn, slot: ups[i].at}
		ups[i].val = p.expr(in, u.Value)
		l = max(l, ups[i].val.level)
	}
	at := s.place(n)
	return &expr{level: l, code: func(r *Run, f *frame) value.Value {
		v := fcn.code(r, f)
		for i := range ups {
			u := &ups[i]
			path := all(r, f, u.path)
			r.at = at
			for range exceptWork {
				r.spend()
			}
			v = change(v, path, func(old value.Value) value.Value {
				f.vals[u.at] = old
				return u.val.code(r, f)
			})
		}
		return v
	}}
}

func change(v value.Value, path []value.Value, to func(value.Value) value.Value) value.Value {
	if len(path) == 0 {
		return to(v)
	}
	return value.With(v, path[0], func(old value.Value) value.Value { return change(old, path[1:], to) })
}
