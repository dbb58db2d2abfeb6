package syntax

import "fmt"

// expr reads an expression.
func (p *parser) expr() Expr {
	e, _ := p.operand(nil)
	return e
}

// operand reads an expression that is the right operand of left, and ends where left
// binds stronger than what follows; without left it ends where the expression does.
// top is the operator that the expression applies, if it is written with one.
func (p *parser) operand(left *Operator) (e Expr, top *Operator) {
	from, outer := p.from(), p.below
	p.enter()
	p.below = 0
	e, top = p.prefixed()
	e, top = p.rest(from, e, top, left)
	p.leave()
	p.below = max(outer, p.below+1)
	return e, top
}

// rest reads the operators that follow e, the beginning of an operand.
func (p *parser) rest(from Pos, e Expr, top, left *Operator) (Expr, *Operator) {
	if top == nil {
		e, top = p.postfix(from, e, left)
	}
	if p.is("::") {
		return p.label(from, e, left), nil
	}
	for {
		t := p.tok()
		if t.kind != kindOp || t.op.Fixity != Infix || left != nil && !p.shifts(left, t) {
			return e, top
		}
		p.takeOperator(t.op)
		right, _ := p.operand(t.op)
		e, top = p.apply(p.to(from), t, e, right), t.op
		p.grow()
	}
}

// takeOperator consumes the next token, which is op.
func (p *parser) takeOperator(op *Operator) {
	p.take()
	p.last = op
}

// grow counts a level that the tree of an operand grows to the left.
func (p *parser) grow() {
	p.below++
	p.checkDepth()
}

// shifts reports whether the operator t, which follows the right operand of left, takes
// that operand rather than what left makes of it.
func (p *parser) shifts(left *Operator, t *token) bool {
	switch {
	case left.above(t.op), left == t.op && left.Left:
		return false
	case t.op.above(left):
		return true
	}
	p.conflict(left, t)
	return false
}

// conflict reports that left and t may not be neighbours.
func (p *parser) conflict(left *Operator, t *token) {
	msg := fmt.Sprintf("found %s after %s: neither binds stronger, expected parentheses", p.describe(t), quoted(sign(left)))
	if left == t.op {
		msg = fmt.Sprintf("found %s after %s: it is not associative, expected parentheses", p.describe(t), quoted(sign(left)))
	}
	if t.text == "=" {
		msg += ` or "=="`
	}
	p.failAt(t.span, msg)
}

// sign is how an operator is written in an expression.
func sign(op *Operator) string {
	if op == minus {
		return "-"
	}
	return op.Name
}

// apply makes the expression of an infix operator.
func (p *parser) apply(at Span, t *token, a, b Expr) Expr {
	if t.text != `\X` {
		return &Op{Span: at, Name: Ident{t.span, t.text}, Args: []Expr{a, b}}
	}
	if times, ok := a.(*Times); ok {
		return &Times{at, append(times.Sets, b)}
	}
	return &Times{at, []Expr{a, b}}
}

// prefixed reads a prefix operator with its operand, or an operand without operators;
// top is then nil.
func (p *parser) prefixed() (e Expr, top *Operator) {
	t := p.tok()
	switch {
	case t.kind != kindOp:
	case t.text == "-":
		return p.negative()
	case t.op.Fixity == Prefix && t.op != minus:
		p.takeOperator(t.op)
		arg, _ := p.operand(t.op)
		return &Op{Span: p.to(t.span.From), Name: Ident{t.span, t.text}, Args: []Expr{arg}}, t.op
	}
	return p.primary(), nil
}

// negative reads -x, or -(x, y), which is the operator with two arguments.
func (p *parser) negative() (e Expr, top *Operator) {
	t := p.raw()
	p.takeOperator(minus)
	if !p.is("(") {
		arg, _ := p.operand(minus)
		return p.minus(t, arg), minus
	}
	from := p.from()
	args, end := p.parens()
	if len(args) == 1 {
		paren := &Paren{Span{from, end}, args[0]}
		arg, _ := p.rest(from, paren, nil, minus)
		return p.minus(t, arg), minus
	}
	if len(args) != 2 {
		p.failAt(Span{from, end}, fmt.Sprintf(`found %d arguments of "-", expected 1 or 2`, len(args)))
	}
	return &Op{Span: p.to(t.span.From), Name: Ident{t.span, "-"}, Args: args}, nil
}

func (p *parser) minus(t *token, arg Expr) Expr {
	return &Op{Span: p.to(t.span.From), Name: Ident{t.span, minus.Name}, Args: []Expr{arg}}
}

// postfix reads what follows an operand: x', f[a], r.b.
func (p *parser) postfix(from Pos, e Expr, left *Operator) (_ Expr, top *Operator) {
	for {
		switch t := p.tok(); {
		case t.kind == kindOp && t.op.Fixity == Postfix:
			if left != nil && !p.shifts(left, t) {
				return e, top
			}
			p.takeOperator(t.op)
			e, top = &Op{Span: p.to(from), Name: Ident{t.span, t.text}, Args: []Expr{e}}, t.op
		case t.is("["):
			p.take()
			f := &FcnApply{Fcn: e}
			p.list(func() { f.Args = append(f.Args, p.expr()) })
			p.expect("]")
			p.last = application
			f.Span = p.to(from)
			e, top = f, nil
		case t.is("."):
			p.take()
			e, top = &Dot{Rec: e, Field: p.word("the name of a field")}, nil
			e.(*Dot).Span = p.to(from)
		default:
			return e, top
		}
		p.grow()
	}
}

// application is f[x], which binds stronger than all operators.
var application = &Operator{Name: "[", Fixity: Postfix, Low: 16, High: 16}

// label reads the rest of lab(x) :: e.
func (p *parser) label(from Pos, e Expr, left *Operator) Expr {
	op, ok := e.(*Op)
	var params []Ident
	if ok {
		for _, a := range op.Args {
			if x, isName := a.(*Op); isName && len(x.Args)+len(x.Prefix) == 0 {
				params = append(params, x.Name)
			}
		}
	}
	if !ok || len(op.Prefix) > 0 || len(params) != len(op.Args) || operators[op.Name.Name] != nil {
		p.fail(`a label before "::", a name that may have names as arguments`)
	}
	p.expect("::")
	body, top := p.operand(nil)
	// As SANY, which asks the operator that was read last.
	if left != nil && top != nil && top.Fixity != Prefix && !p.last.above(left) {
		p.failAt(op.Span, fmt.Sprintf("found the label %s, without which the operand of %s would be another: expected parentheses", quoted(op.Name.Name), quoted(sign(left))))
	}
	return &Label{p.to(from), op.Name, params, body}
}

// junction reads a bulleted list.
func (p *parser) junction() Expr {
	outer := p.bullet
	defer func() { p.bullet = outer }()
	first := p.tok()
	j := &Junction{Op: first.text}
	col := first.span.From.Col
	for t := first; t.bullet && t.text == first.text && t.span.From.Col == col; t = p.raw() {
		p.bullet = first
		p.take()
		j.Items = append(j.Items, p.expr())
	}
	j.Span = p.to(first.span.From)
	return j
}
