package eval

import (
	"slices"

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

// Hints has the definitions that have made a step, by their text.
type Hints map[syntax.Node]hint

type hint struct {
	d     *definition
	args  []value.Value
	whole bool // it is TRUE of the step, and not of a part that \cdot makes
}

// Hints is what has made the current step: to be called while it is yielded.
func (r *Run) Hints() Hints {
	h := Hints{}
	whole := true
	fork := r.Fork()
	for _, m := range r.way {
		if m.d == nil { // of \cdot
			whole = false
			continue
		}
		args := make([]value.Value, len(m.d.params))
		err := fork.protect(func() {
			for i := range args {
				if m.d.params[i].Arity > 0 {
					value.Fail("an operator")
				}
				args[i] = r.get(m.f.vals[i])
			}
		})
		if err == nil {
			h[m.d.syn] = hint{m.d, args, whole}
		}
	}
	return h
}

// proves reports whether the step that is checked has been made by the definition
// itself, with these arguments: it is TRUE of the step then.
func (h Hints) proves(r *Run, d *definition, f *frame, pass []func(*Run, *frame) any) bool {
	by, ok := h[d.syn]
	if !ok || by.d != d || !by.whole || d.scope.fn != nil {
		return false
	}
	for i := range pass {
		switch arg := pass[i](r, f).(type) {
		case *thunk, *operator:
			return false
		default:
			if !value.Identical(arg, by.args[i]) {
				return false
			}
		}
	}
	return true
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
	if x.heads == nil {
		x.heads = r.heads(x.scope, x.syn)
	}
	heads := x.heads
	if len(heads) == 0 {
		return false
	}
	for syn := range r.hints {
		if heads[syn] {
			return true
		}
	}
	return false
}

// hint sets the names of \E as the hint for its body has them, or for a disjunct of
// its body; ok is false where there is none, or where its values are no elements of
// the sets.
func (r *Run) hint(body *expr, f *frame, list []binding) (ok bool) {
	return r.hintBy(body.scope, body.syn, f, list)
}

func (r *Run) hintBy(s *scope, syn syntax.Expr, f *frame, list []binding) (ok bool) {
	switch n := unparen(syn).(type) {
	case *syntax.Quant:
		return n.Kind == `\E` && r.hintBy(s, n.Body, f, list)
	case *syntax.Junction:
		return n.Op == `\/` && slices.ContainsFunc(n.Items, func(item syntax.Expr) bool { return r.hintBy(s, item, f, list) })
	case *syntax.Op:
		if n.Name.Name == `\/` && len(n.Prefix) == 0 {
			return r.hintBy(s, n.Args[0], f, list) || r.hintBy(s, n.Args[1], f, list)
		}
		return r.hintOf(s, n, f, list)
	}
	return false
}

func (r *Run) hintOf(s *scope, n *syntax.Op, f *frame, list []binding) (ok bool) {
	if len(n.Prefix) > 0 || builtins[n.Name.Name] != nil {
		return false
	}
	d, isDef := r.aliased(s.lookup(n.Name.Name)).(*definition)
	if !isDef {
		return false
	}
	by, ok := r.hints[d.syn]
	args := by.args
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
