package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// \E s \in SUBSET S : \E f \in [s -> R] : A([t \in s |-> e]), where e reads of s and f only
// f[t], and A adds the values of its argument to a variable: what is added for t does not
// depend on the other elements of s. Where it is not in the variable for any value of f[t],
// t is not in s.

type pointwise struct {
	v       *variable
	removes bool  // A takes the arguments out of v
	only    bool  // the quantifier is the one over f
	slot    int   // of t
	choice  int   // the slot of f; -1: there is none
	from    *expr // R
	e       *expr
}

// pointwise finds such a body; nil where it is another one.
func (p *Program) pointwise(in *scope, n *syntax.Quant, list []binding) *pointwise {
	if len(list) != 1 || len(list[0].slots) != 1 {
		return nil
	}
	set := list[0].names[0]
	pw := &pointwise{choice: -1}
	body, choice := unparen(n.Body), ""
	if of, ok := unparen(n.Bounds[0].Set).(*syntax.FcnSet); ok {
		from, ok := unparen(of.From).(*syntax.Op)
		if !ok || len(from.Args) > 0 || len(from.Prefix) > 0 {
			return nil
		}
		pw.only, choice, pw.choice, set = true, set, list[0].slots[0], from.Name.Name
	} else if q, ok := body.(*syntax.Quant); ok {
		if q.Kind != `\E` || len(q.Bounds) != 1 || len(q.Bounds[0].Names) != 1 || q.Bounds[0].Tuple {
			return nil
		}
		of, ok := unparen(q.Bounds[0].Set).(*syntax.FcnSet)
		if !ok || !isName(of.From, set) || mentionsName(of.To, set) {
			return nil
		}
		pw.from = p.expr(in, of.To)
		var inner []binding
		in, inner = p.bind(in, q.Bounds, p.looped)
		choice, pw.choice = inner[0].names[0], inner[0].slots[0]
		body = unparen(q.Body)
	}
	call, ok := body.(*syntax.Op)
	if !ok || len(call.Args) != 1 || len(call.Prefix) > 0 {
		return nil
	}
	fcn, ok := unparen(call.Args[0]).(*syntax.Fcn)
	d, isDef := p.aliased(in.lookup(call.Name.Name)).(*definition)
	if !ok || !isDef || len(fcn.Bounds) != 1 || len(fcn.Bounds[0].Names) != 1 || fcn.Bounds[0].Tuple || !isName(fcn.Bounds[0].Set, set) {
		return nil
	}
	if pw.v, pw.removes = p.addsValues(d); pw.v == nil {
		return nil
	}
	inner, of := p.bind(in, fcn.Bounds, p.expr)
	if mentionsName(fcn.Body, set) || choice != "" && !onlyApplied(fcn.Body, choice, of[0].names[0]) {
		return nil
	}
	pw.slot, pw.e = of[0].slots[0], p.expr(inner, fcn.Body)
	return pw
}

// onlyApplied reports whether a function's name is read only where it is applied to the
// argument.
func onlyApplied(n syntax.Node, name, arg string) bool {
	if op, ok := n.(*syntax.Op); ok && op.Name.Name == name {
		return false
	}
	if a, ok := n.(*syntax.FcnApply); ok && isName(a.Fcn, name) && len(a.Args) == 1 && isName(a.Args[0], arg) {
		return true
	}
	all := true
	syntax.Children(n, func(c syntax.Node) { all = all && onlyApplied(c, name, arg) })
	return all
}

// addsValues is v where a definition with one parameter, a function, has a conjunct
// v' = … \union {f[i] : i \in DOMAIN f}; nil where it has none. Removes: it is
// (v \ DOMAIN f) \union …
func (p *Program) addsValues(d *definition) (v *variable, removes bool) {
	if d.fcn != nil || len(d.params) != 1 || d.scope.fn != nil {
		return nil, false
	}
	prm := d.params[0].Name
	for _, item := range conjunctsOf(d.expr) {
		eq, ok := unparen(item).(*syntax.Op)
		if !ok || eq.Name.Name != "=" || len(eq.Prefix) > 0 {
			continue
		}
		left, isOp := unparen(eq.Args[0]).(*syntax.Op)
		union, ok := unparen(eq.Args[1]).(*syntax.Op)
		if !ok || !isOp || left.Name.Name != "'" || union.Name.Name != `\union` && union.Name.Name != `\cup` {
			continue
		}
		w := narrower{p: p}
		c, m := w.plain(&meant{d.scope, union.Args[1], map[string]*meaning{prm: {name: 1}}})
		all, isMap := c.n.(*syntax.SetMap)
		if m != nil || !isMap {
			continue
		}
		dom, isOp := unparen(all.Bounds[0].Set).(*syntax.Op)
		if w.valuesOf(c, all) == nil || !isOp {
			continue
		}
		if _, m := w.plain(c.with(dom.Args[0])); m != nil && m.name == 1 {
			v, _ = p.variableOf(d.scope, left.Args[0]).(*variable)
			if less, ok := unparen(union.Args[0]).(*syntax.Op); ok && v != nil && less.Name.Name == `\` && len(less.Prefix) == 0 {
				of, _ := p.variableOf(d.scope, less.Args[0]).(*variable)
				out, isOp := unparen(less.Args[1]).(*syntax.Op)
				removes = of == v && isOp && out.Name.Name == "DOMAIN" && len(out.Prefix) == 0 && isName(out.Args[0], prm)
			}
			return v, removes
		}
	}
	return nil, false
}

// functions is those of a set of functions with which only what the set has is added; ok
// is false where that is not known.
func (pw *pointwise) functions(r *Run, f *frame, of value.Value, is *value.Set) (some value.Value, ok bool) {
	all, isSet := of.(*value.FcnSet)
	if !isSet || pw.v == nil {
		return nil, false
	}
	list := [][]value.Value{nil}
	var dom *value.Set
	ok = r.attempt(func() {
		dom = value.Enumerate(all.Dom)
		for _, t := range dom.Each() {
			f.vals[pw.slot] = t
			var can []value.Value
			at := value.NewSet([]value.Value{t})
			r.through(all.Range, nil, func(c value.Value) bool {
				f.vals[pw.choice] = value.NewFcn(at, []value.Value{c})
				if is.Index(pw.e.code(r, f)) >= 0 {
					can = append(can, c)
				}
				return true
			})
			var next [][]value.Value
			for _, some := range list {
				for _, c := range can {
					next = append(next, append(some[:len(some):len(some)], c))
				}
			}
			if list = next; len(list) > 1<<mostOptional {
				value.Fail("too many")
			}
		}
	})
	if !ok {
		return nil, false
	}
	fcns := make([]value.Value, len(list))
	for i, vals := range list {
		fcns[i] = value.NewFcn(dom, vals)
	}
	return value.NewSet(fcns), true
}

// possible is the elements for which something is added that the set has; ok is false where
// that is not known.
func (pw *pointwise) possible(r *Run, f *frame, elems, is *value.Set) (some *value.Set, ok bool) {
	var list []value.Value
	ok = r.attempt(func() {
		for _, t := range elems.Each() {
			can := false
			pw.added(r, f, t, func(e value.Value) bool {
				can = is.Index(e) >= 0
				return !can
			})
			if can {
				list = append(list, t)
			}
		}
	})
	return value.Some(elems, list), ok
}
