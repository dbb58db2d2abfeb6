package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// A step that an action has made is an action's step in an instance of the module,
// too, mostly with the same arguments. Hints are the definitions that have made a
// step, with their arguments: a property's \E tries these first.

// made is a definition on the way to a step.
type made struct {
	d *definition
	f *frame
}

// Hints has the arguments of the definitions that have made a step, by their text.
type Hints map[syntax.Node][]value.Value

// Hints is what has made the step at hand: to be called while it is yielded.
func (r *Run) Hints() Hints {
	h := Hints{}
	for _, m := range r.way {
		args := make([]value.Value, len(m.d.params))
		err := r.Aside().protect(func() {
			for i := range args {
				if m.d.params[i].Arity > 0 {
					value.Fail("an operator")
				}
				args[i] = r.get(m.f.vals[i])
			}
		})
		if err == nil {
			h[m.d.syn] = args
		}
	}
	return h
}

// heads is the definitions that a disjunction leads to.
func (p *Program) heads(s *scope, n syntax.Expr) map[syntax.Node]bool {
	if known, ok := p.leads[n]; ok {
		return known
	}
	found := map[syntax.Node]bool{}
	p.leads[n] = found
	p.lead(s, n, found)
	return found
}

func (p *Program) lead(s *scope, n syntax.Expr, found map[syntax.Node]bool) {
	switch n := n.(type) {
	case *syntax.Paren:
		p.lead(s, n.Expr, found)
	case *syntax.Label:
		p.lead(s, n.Expr, found)
	case *syntax.Junction:
		if n.Op == `\/` {
			for _, item := range n.Items {
				p.lead(s, item, found)
			}
		}
	case *syntax.Quant:
		if n.Kind == `\E` {
			p.lead(s, n.Body, found)
		}
	case *syntax.Op:
		if len(n.Prefix) > 0 {
			return
		}
		if n.Name.Name == `\/` {
			p.lead(s, n.Args[0], found)
			p.lead(s, n.Args[1], found)
			return
		}
		if d, ok := p.aliased(s.lookup(n.Name.Name)).(*definition); ok && builtins[n.Name.Name] == nil && d.fcn == nil && !found[d.syn] {
			found[d.syn] = true
			if isDisjunction(d.expr) {
				p.lead(d.scope, d.expr, found)
			}
		}
	}
}

// hinted reports whether the expression leads to a definition that has made the
// step.
func (r *Run) hinted(x *expr) bool {
	heads := r.heads(x.scope, x.syn)
	for syn := range r.hints {
		if heads[syn] {
			return true
		}
	}
	return false
}

// hint sets the names of \E as the hint for its body has them; ok is false where
// there is none, or where its values are no elements of the sets.
func (r *Run) hint(body *expr, f *frame, list []binding) (ok bool) {
	syn := unparen(body.syn)
	for {
		q, isQuant := syn.(*syntax.Quant)
		if !isQuant || q.Kind != `\E` {
			break
		}
		syn = unparen(q.Body)
	}
	n, isOp := syn.(*syntax.Op)
	if !isOp || len(n.Prefix) > 0 || builtins[n.Name.Name] != nil {
		return false
	}
	d, isDef := r.aliased(body.scope.lookup(n.Name.Name)).(*definition)
	if !isDef {
		return false
	}
	args, ok := r.hints[d.syn]
	if !ok || len(args) != len(n.Args) {
		return false
	}
	names := map[string]value.Value{}
	for i, a := range n.Args {
		if !match(a, args[i], names) {
			return false
		}
	}
	for i := range list {
		b := &list[i]
		if b.tuple {
			return false
		}
		var set value.Value
		for k, slot := range b.slots {
			v := names[b.names[k]]
			if v == nil {
				return false
			}
			if set == nil {
				set = b.values(r, f)
			}
			if !value.Contains(set, v) {
				return false
			}
			f.vals[slot] = v
		}
	}
	return true
}

// match finds the values of names by an argument: a name, or a tuple of some.
func match(n syntax.Expr, v value.Value, names map[string]value.Value) bool {
	switch n := unparen(n).(type) {
	case *syntax.Op:
		if len(n.Args) == 0 {
			names[n.Name.Name] = v
		}
	case *syntax.Tuple:
		t, ok := v.(*value.Tuple)
		if !ok || len(t.Elems) != len(n.Items) {
			return false
		}
		for i, item := range n.Items {
			if !match(item, t.Elems[i], names) {
				return false
			}
		}
	}
	return true
}

func isDisjunction(n syntax.Expr) bool {
	switch n := n.(type) {
	case *syntax.Paren:
		return isDisjunction(n.Expr)
	case *syntax.Junction:
		return n.Op == `\/`
	case *syntax.Op:
		return n.Name.Name == `\/` && len(n.Prefix) == 0
	case *syntax.Quant:
		return n.Kind == `\E` && isDisjunction(n.Body)
	}
	return false
}
