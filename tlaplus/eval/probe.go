package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// \E x \in S : A(x), where A has a conjunct "x = e" among its first ones, needs no
// loop: the conjuncts before it are evaluated in the text's order, as far as they do
// not read x, and then e.

// probe is such a plan.
type probe struct {
	body   *definition
	pass   []func(*Run, *frame) any
	up     func(*Run, *frame) *frame
	steps  []probeStep
	others []int // slots that it does not solve
}

type probeStep struct {
	x    *expr // a test; or, where slot is not negative, the value of the name
	at   *place
	slot int
	of   int // the binding that the slot is of
}

// applied is the definition that a quantifier's body applies, with what a plan needs;
// nil where the body is something else.
func (p *Program) applied(in *scope, body *expr, list []binding) *resolver {
	n, ok := body.syn.(*syntax.Op)
	if !ok || len(n.Prefix) == 0 && builtins[n.Name.Name] != nil {
		return nil
	}
	t := p.resolve(in, n)
	d, ok := t.sym.(*definition)
	if !ok || d.fcn != nil || len(d.params) != len(t.args) {
		return nil
	}
	unknown := map[int]int{} // the binding of each slot that has no value yet
	for i := range list {
		if list[i].tuple {
			return nil
		}
		for _, slot := range list[i].slots {
			unknown[slot] = i
		}
	}
	for _, a := range t.args {
		if p.levelOf(in, a) >= action {
			return nil
		}
	}
	d.body()
	s := d.scope.inner()
	s.fn = d.x.fn
	args := map[string]syntax.Expr{}
	r := &resolver{p: p, in: in, s: s, args: args, unknown: unknown, def: d, up: p.under(in, d.scope.fn, t.under)}
	for i, prm := range d.params {
		s.names[prm.Name] = &local{name: prm.Name, fn: s.fn, slot: i, arity: prm.Arity, lazy: true}
		args[prm.Name] = t.args[i]
		r.pass = append(r.pass, p.passed(in, t.args[i], prm.Arity))
	}
	return r
}

// probe makes the plan for a quantifier, nil where there is none.
func (p *Program) probe(r *resolver) *probe {
	if r == nil {
		return nil
	}
	unknown, s := r.unknown, r.s
	pr := &probe{body: r.def, up: r.up, pass: r.pass}
	for _, item := range conjunctsOf(r.def.expr) {
		if slot, of := r.equation(item); slot >= 0 {
			x := p.expr(s, of)
			if x.level >= action { // an assignment
				break
			}
			pr.steps = append(pr.steps, probeStep{x: x, slot: slot, of: unknown[slot]})
			delete(unknown, slot)
			continue
		}
		if len(unknown) == 0 || r.reads(item) {
			break
		}
		x := p.expr(s, item)
		if x.level >= action {
			break
		}
		pr.steps = append(pr.steps, probeStep{x: x, at: s.place(item), slot: -1})
	}
	for len(pr.steps) > 0 && pr.steps[len(pr.steps)-1].slot < 0 {
		pr.steps = pr.steps[:len(pr.steps)-1]
	}
	if len(pr.steps) == 0 {
		return nil
	}
	for slot := range unknown {
		pr.others = append(pr.others, slot)
	}
	return pr
}

func conjunctsOf(n syntax.Expr) []syntax.Expr {
	switch n := unparen(n).(type) {
	case *syntax.Junction:
		if n.Op == `/\` {
			return n.Items
		}
	case *syntax.Op:
		if n.Name.Name == `/\` && len(n.Prefix) == 0 && len(n.Args) == 2 {
			return append(slices.Clone(conjunctsOf(n.Args[0])), conjunctsOf(n.Args[1])...)
		}
	}
	return []syntax.Expr{n}
}

// solve evaluates the plan: it sets the slots of the names that it solves, and is
// false where no element satisfies the body.
func (pr *probe) solve(r *Run, f *frame, sets []value.Value, solved map[int]bool) bool {
	// Names without a value yet get one that no step reads.
	for i := range pr.steps {
		if slot := pr.steps[i].slot; slot >= 0 {
			f.vals[slot] = value.False
		}
	}
	for _, slot := range pr.others {
		f.vals[slot] = value.False
	}
	g := newFrame(pr.body.body().fn.slots, pr.up(r, f))
	pass := func() {
		for i := range pr.pass {
			g.vals[i] = pr.pass[i](r, f)
		}
	}
	pass()
	for i := range pr.steps {
		step := &pr.steps[i]
		if step.slot < 0 {
			if !r.truth(step.x.code(r, g), step.at) {
				return false
			}
			continue
		}
		v := step.x.code(r, g)
		if !value.Contains(sets[step.of], v) {
			return false
		}
		f.vals[step.slot] = v
		solved[step.slot] = true
		pass()
	}
	return true
}

// resolver follows the parameters of a definition to the names of a quantifier.
type resolver struct {
	p       *Program
	in, s   *scope // of the quantifier's body, and of the definition's
	args    map[string]syntax.Expr
	unknown map[int]int
	def     *definition
	up      func(*Run, *frame) *frame
	pass    []func(*Run, *frame) any
}

// slot is the slot of the name that an expression is; -1 where it is none.
func (r *resolver) slot(n syntax.Expr) int {
	n = unparen(n)
	if apply, ok := n.(*syntax.FcnApply); ok && len(apply.Args) == 1 {
		at, isNumber := unparen(apply.Args[0]).(*syntax.Number)
		op, isOp := unparen(apply.Fcn).(*syntax.Op)
		if !isNumber || !isOp || len(op.Args) > 0 || r.args[op.Name.Name] == nil {
			return -1
		}
		t, isTuple := unparen(r.args[op.Name.Name]).(*syntax.Tuple)
		if i := int(at.Text[0] - '1'); isTuple && len(at.Text) == 1 && i >= 0 && i < len(t.Items) {
			return r.name(t.Items[i])
		}
		return -1
	}
	if op, ok := n.(*syntax.Op); ok && len(op.Args) == 0 && r.args[op.Name.Name] != nil {
		return r.name(r.args[op.Name.Name])
	}
	return -1
}

// name is the slot of a name of the quantifier.
func (r *resolver) name(n syntax.Expr) int {
	op, ok := unparen(n).(*syntax.Op)
	if !ok || len(op.Args) > 0 || len(op.Prefix) > 0 {
		return -1
	}
	if l, ok := r.in.lookup(op.Name.Name).(*local); ok && l.fn == r.in.fn && !l.lazy {
		return l.slot
	}
	return -1
}

// equation is the name that a conjunct gives a value, with the value; -1: none.
func (r *resolver) equation(n syntax.Expr) (int, syntax.Expr) {
	op, ok := unparen(n).(*syntax.Op)
	if !ok || op.Name.Name != "=" || len(op.Prefix) > 0 {
		return -1, nil
	}
	for i, side := range op.Args {
		slot := r.slot(side)
		if _, unknown := r.unknown[slot]; slot >= 0 && unknown && !r.reads(op.Args[1-i]) {
			return slot, op.Args[1-i]
		}
	}
	return -1, nil
}

// reads reports whether the expression may read a name that has no value yet.
func (r *resolver) reads(n syntax.Node) bool {
	if x, ok := n.(syntax.Expr); ok {
		if slot := r.slot(x); slot >= 0 {
			_, unknown := r.unknown[slot]
			return unknown
		}
	}
	if op, ok := n.(*syntax.Op); ok {
		if len(op.Prefix) > 0 {
			return true
		}
		if arg := r.args[op.Name.Name]; arg != nil && len(op.Args) == 0 {
			return r.argReads(arg)
		}
		if d, ok := r.p.aliased(r.s.lookup(op.Name.Name)).(*definition); ok && d.scope.fn != nil {
			return true
		}
	}
	found := false
	syntax.Children(n, func(c syntax.Node) { found = found || r.reads(c) })
	return found
}

// argReads is reads for an argument, in the quantifier's scope.
func (r *resolver) argReads(n syntax.Node) bool {
	if op, ok := n.(*syntax.Op); ok && len(op.Args) == 0 {
		if slot := r.name(op); slot >= 0 {
			_, unknown := r.unknown[slot]
			return unknown
		}
	}
	found := false
	syntax.Children(n, func(c syntax.Node) { found = found || r.argReads(c) })
	return found
}
