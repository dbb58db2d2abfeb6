package eval

import (
	"maps"
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

type code func(r *Run, f *frame) value.Value

// expr is a compiled expression.
type expr struct {
	code  code
	level level
	syn   syntax.Expr
	scope *scope
	reads *reading  // of a variable, or of what a path from it leads to; nil: of others
	next  generator // made when it is needed
	init  generator

	heads   map[syntax.Node]bool // the definitions that it leads to, made when it is needed
	lasting *lasting             // its value, of what always has the same; nil: of others

	// member tells whether a value is an element, without making the set; nil: of others
	member func(*Run, *frame, value.Value) bool

	own       *own
	unchanged bool // it is UNCHANGED syn

	trace trace  // where its value comes from; nil: that is not known
	from  source // what it plainly is

	plain   symbol // variableOf, once that is known
	plainly bool
	inside  *inside // of what is no name of a variable, once it is needed
	right   *expr   // operand of a binary operator; nil: of another expression
	shallow shallow
}

func (p *Program) compileBody(d *definition) {
	fn := &function{up: d.scope.fn}
	d.x = &body{expr: &expr{level: state, code: func(r *Run, f *frame) value.Value { return d.x.code(r, f) }}, fn: fn}
	s := d.scope.inner()
	s.fn = fn
	if d.unit > 0 {
		s.unit = d.unit
	}
	first := fn.bind(d.syn, len(d.params))
	for i, prm := range d.params {
		s.fresh(&prm.Ident, prm.Name)
		s.names[prm.Name] = &local{name: prm.Name, fn: fn, slot: first + i, arity: prm.Arity, lazy: true}
	}
	var x *expr
	if d.fcn != nil {
		x = p.fcnDef(s, d)
	} else {
		x = p.expr(s, d.expr)
	}
	*d.x.expr = *x
}

// fcnDef is f[x \in S] == e: the function f, which e may refer to.
func (p *Program) fcnDef(s *scope, d *definition) *expr {
	return p.fcn(s, &syntax.Fcn{Span: d.fcn.Span, Bounds: d.fcn.Bounds, Body: d.fcn.Body}, d.name)
}

func top(list ...*expr) level {
	l := constant
	for _, x := range list {
		l = max(l, x.level)
	}
	return l
}

// expr compiles an expression in a scope.
func (p *Program) expr(s *scope, n syntax.Expr) (x *expr) {
	defer func() {
		if bad := recover(); bad != nil {
			x = p.broken(bad)
			x.syn, x.scope = n, s
		}
	}()
	x = p.compile(s, n)
	if x.level == temporal && !mayBeTemporal(n) {
		s.refuse(n, "a temporal formula is used as a value")
	}
	x = p.settled(s, n, x)
	if x.syn == nil {
		x.syn, x.scope = n, s
	}
	return x
}

// mayBeTemporal reports whether an expression may have a part that is a temporal formula.
func mayBeTemporal(n syntax.Expr) bool {
	switch n := n.(type) {
	case *syntax.Paren, *syntax.Label, *syntax.Junction, *syntax.If, *syntax.Case, *syntax.Let, *syntax.Quant, *syntax.Fair:
		return true
	case *syntax.Op:
		switch n.Name.Name {
		case `/\`, `\/`, "=>", "<=>", `\equiv`, "~", "[]", "<>", "~>", "-+->", "-+>":
			return true
		}
		return builtins[n.Name.Name] == nil
	}
	return false
}

func (p *Program) exprs(s *scope, list []syntax.Expr) []*expr {
	out := make([]*expr, len(list))
	for i, n := range list {
		out[i] = p.expr(s, n)
	}
	return out
}

func (p *Program) compile(s *scope, n syntax.Expr) *expr {
	switch n := n.(type) {
	case *syntax.Paren:
		return p.expr(s, n.Expr)
	case *syntax.Label:
		for i := range n.Params {
			if l, ok := s.lookup(n.Params[i].Name).(*local); (!ok || l.lazy) && !s.repeats {
				s.refuse(&n.Params[i], "the label %s names %s, which is not bound here", n.Name.Name, n.Params[i].Name)
			}
		}
		return p.expr(s, n.Expr)
	case *syntax.Number:
		v := p.number(s, n)
		return &expr{code: func(*Run, *frame) value.Value { return v }}
	case *syntax.String:
		v := value.Value(p.Space.String(n.Value))
		return &expr{code: func(*Run, *frame) value.Value { return v }}
	case *syntax.Op:
		return p.op(s, n)
	case *syntax.Junction:
		return p.junction(s, n)
	case *syntax.If:
		return p.ifThen(s, n)
	case *syntax.Case:
		return p.cases(s, n)
	case *syntax.Let:
		return p.let(s, n)
	case *syntax.Quant:
		return p.quant(s, n)
	case *syntax.Choose:
		return p.choose(s, n)
	case *syntax.SetEnum:
		items := p.exprs(s, n.Items)
		at := s.place(n)
		return &expr{level: top(items...), code: func(r *Run, f *frame) value.Value {
			elems := all(r, f, items)
			r.at = at
			return value.NewSet(elems)
		}}
	case *syntax.Tuple:
		items := p.exprs(s, n.Items)
		return &expr{level: top(items...), code: func(r *Run, f *frame) value.Value { return value.NewTuple(all(r, f, items)...) }}
	case *syntax.Times:
		sets := p.exprs(s, n.Sets)
		return &expr{level: top(sets...), code: func(r *Run, f *frame) value.Value { return &value.Product{Sets: all(r, f, sets)} }}
	case *syntax.SetFilter:
		return p.filter(s, n)
	case *syntax.SetMap:
		return p.setMap(s, n)
	case *syntax.Fcn:
		return p.fcn(s, n, "")
	case *syntax.FcnSet:
		from, to := p.expr(s, n.From), p.expr(s, n.To)
		return &expr{level: top(from, to), code: func(r *Run, f *frame) value.Value {
			dom := from.code(r, f)
			return &value.FcnSet{Dom: dom, Range: to.code(r, f)}
		}}
	case *syntax.Record:
		return p.record(s, n)
	case *syntax.RecordSet:
		return p.recordSet(s, n)
	case *syntax.Except:
		return p.except(s, n)
	case *syntax.At:
		l, ok := s.lookup("@").(*local)
		if !ok {
			s.refuse(n, "@ is outside an EXCEPT")
		}
		return p.ref(s, n, l)
	case *syntax.FcnApply:
		return p.apply(s, n)
	case *syntax.Dot:
		return p.dot(s, n)
	case *syntax.Lambda:
		s.refuse(n, "a LAMBDA is used where a value is expected")
	case *syntax.Action:
		return p.actionOf(s, n)
	case *syntax.Fair:
		notAbove(state, s, n.Sub, "the subscript", p.expr(s, n.Sub))
		notAbove(action, s, n.Act, "WF_v or SF_v", p.expr(s, n.Act))
		return p.temporal(s, n)
	}
	s.refuse(n, "this expression is not supported")
	return nil
}

func all(r *Run, f *frame, list []*expr) []value.Value {
	vals := make([]value.Value, len(list))
	for i, x := range list {
		vals[i] = x.code(r, f)
	}
	return vals
}

// truth is the value as a boolean; what is evaluated is named where it is none.
func (r *Run) truth(v value.Value, at *place) bool {
	b, ok := v.(value.Bool)
	if !ok {
		r.at = at
		value.Fail("%s is not a boolean", value.Show(v))
	}
	return bool(b)
}

func (p *Program) junction(s *scope, n *syntax.Junction) *expr {
	items := p.exprs(s, n.Items)
	notMixed(s, n, n.Op, items...)
	places := make([]*place, len(items))
	for i := range items {
		places[i] = s.place(n.Items[i])
	}
	until := n.Op == `\/` // the value of an item that decides
	return &expr{level: top(items...), code: func(r *Run, f *frame) value.Value {
		for i, x := range items {
			if r.truth(x.code(r, f), places[i]) == until {
				return value.Truth(until)
			}
		}
		return value.Truth(!until)
	}}
}

func (p *Program) ifThen(s *scope, n *syntax.If) *expr {
	cond, then, other := p.expr(s, n.Cond), p.expr(s, n.Then), p.expr(s, n.Else)
	at := s.place(n.Cond)
	return &expr{level: top(cond, then, other), code: func(r *Run, f *frame) value.Value {
		if r.truth(cond.code(r, f), at) {
			return then.code(r, f)
		}
		return other.code(r, f)
	}}
}

func (p *Program) cases(s *scope, n *syntax.Case) *expr {
	conds, then := make([]*expr, len(n.Arms)), make([]*expr, len(n.Arms))
	places := make([]*place, len(n.Arms))
	for i, arm := range n.Arms {
		conds[i], then[i], places[i] = p.expr(s, arm.Cond), p.expr(s, arm.Expr), s.place(arm.Cond)
	}
	l := max(top(conds...), top(then...))
	var other *expr
	if n.Other != nil {
		other = p.expr(s, n.Other)
		l = max(l, other.level)
	}
	at := s.place(n)
	return &expr{level: l, code: func(r *Run, f *frame) value.Value {
		for i, c := range conds {
			if r.truth(c.code(r, f), places[i]) {
				return then[i].code(r, f)
			}
		}
		if other == nil {
			r.at = at
			value.Fail("no condition of the CASE is TRUE, and it has no OTHER")
		}
		return other.code(r, f)
	}}
}

// let makes the definitions' scope, and sets the slots of those that have no
// parameters when it is entered.
func (p *Program) let(s *scope, n *syntax.Let) *expr {
	in, enter := p.letScope(s, n)
	body := p.expr(in, n.Body)
	return &expr{level: body.level, code: func(r *Run, f *frame) value.Value {
		enter(f)
		return body.code(r, f)
	}}
}

func (p *Program) letScope(s *scope, n *syntax.Let) (*scope, func(f *frame)) {
	in := s.inner()
	type lazy struct {
		slot int
		x    *expr
	}
	var defs []*lazy
	var pending []func()
	declares := slices.ContainsFunc(n.Defs, func(u syntax.Unit) bool {
		_, recursive := u.(*syntax.Recursive)
		return recursive
	})
	for _, u := range n.Defs {
		switch u := u.(type) {
		case *syntax.OpDef:
			in.fresh(u, u.Name.Name)
			in.asDeclared(u)
			if len(u.Params) > 0 {
				d := &definition{p: p, name: u.Name.Name, syn: u, params: u.Params, expr: u.Body, scope: in}
				if !declares { // it sees what is defined before it
					before := *in
					before.names = maps.Clone(in.names)
					d.scope = &before
				}
				in.names[d.name] = d
				if p.checking {
					pending = append(pending, func() { d.body() })
				}
				continue
			}
			l := &lazy{slot: s.fn.bind(u, 1)}
			defs = append(defs, l)
			in = in.inner() // it does not see itself
			outer := in.up
			of := &local{name: u.Name.Name, fn: s.fn, slot: l.slot, lazy: true}
			in.names[of.name] = of
			if _, recursive := outer.names[of.name].(*undefined); recursive {
				outer = in
			}
			body := u.Body
			pending = append(pending, func() {
				l.x = p.expr(outer, body)
				of.level = l.x.level
			})
		case *syntax.FcnDef:
			in.fresh(u, u.Name.Name)
			l := &lazy{slot: s.fn.bind(u, 1)}
			defs = append(defs, l)
			of := &local{name: u.Name.Name, fn: s.fn, slot: l.slot, lazy: true}
			in.names[of.name] = of
			at := in
			pending = append(pending, func() {
				l.x = p.fcn(at, &syntax.Fcn{Span: u.Span, Bounds: u.Bounds, Body: u.Body}, of.name)
				l.x.syn, l.x.scope = &syntax.Op{Span: u.Name.Span, Name: u.Name}, at
				of.level = l.x.level
			})
		case *syntax.Recursive:
			for _, prm := range u.Params {
				in.names[prm.Name] = &undefined{prm.Name, prm.Span, prm.Arity}
			}
		case *syntax.Instance:
			p.instance(in, u, false)
		default:
			s.refuse(u, "this cannot be defined in a LET")
		}
	}
	for _, u := range n.Defs {
		if r, ok := u.(*syntax.Recursive); ok {
			in.defined(r)
		}
	}
	for _, f := range pending {
		f()
	}
	return in, func(f *frame) {
		for _, d := range defs {
			f.vals[d.slot] = &thunk{x: d.x, f: f}
		}
	}
}

// ref is the value of a parameter or bound name.
func (p *Program) ref(s *scope, n syntax.Node, l *local) *expr {
	if l.arity > 0 {
		s.refuse(n, "the operator %s needs %d arguments", l.name, l.arity)
	}
	h, slot := s.fn.hops(l.fn), l.slot
	return &expr{level: l.level, trace: traceLocal(h, slot), code: func(r *Run, f *frame) value.Value {
		for range h {
			f = f.up
		}
		if r.track != nil {
			return r.trackedSlot(f, slot)
		}
		return r.get(f.vals[slot])
	}}
}
