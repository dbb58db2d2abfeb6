package syntax

import "fmt"

// primary reads an operand without prefix and postfix operators.
func (p *parser) primary() Expr {
	t := p.tok()
	switch t.kind {
	case kindIdent:
		return p.name()
	case kindNumber:
		return p.number()
	case kindString:
		p.take()
		return &String{t.span, t.text}
	case kindOp:
		if t.bullet {
			return p.junction()
		}
		if next := p.peek(1); next.is("(") || next.is("!") {
			return p.applied(t)
		}
	case kindStep:
		if len(p.steps) > 0 {
			return p.name()
		}
	case kindSymbol:
		if e := p.symbolic(t); e != nil {
			return e
		}
	}
	p.fail("an expression")
	return nil
}

// symbolic reads what begins with a symbol or a keyword, or returns nil.
func (p *parser) symbolic(t *token) Expr {
	switch t.text {
	case "(":
		p.take()
		e := p.expr()
		p.expect(")")
		return &Paren{p.to(t.span.From), e}
	case "@":
		p.take()
		return &At{t.span}
	case "{":
		return p.brace()
	case "[":
		return p.bracket()
	case "<<":
		return p.tuple()
	case "WF_", "SF_":
		return p.fair()
	case ".":
		if next := p.peek(1); next.kind == kindNumber && next.from == t.to {
			return p.number()
		}
	case "IF":
		return p.ifThenElse()
	case "CASE":
		return p.caseOf()
	case "LET":
		return p.let()
	case "CHOOSE":
		return p.choose()
	case `\A`, `\E`, `\AA`, `\EE`:
		return p.quantifier()
	}
	return nil
}

// number reads 12, \hFF, 3.14 or .5.
func (p *parser) number() Expr {
	t := p.take()
	text := t.text
	if t.kind == kindNumber {
		dot := p.tok()
		if !dot.is(".") || dot.from != t.to || p.peek(1).kind != kindNumber || p.peek(1).from != dot.to {
			return &Number{t.span, text}
		}
		p.take()
		text += "."
	}
	return &Number{p.to(t.span.From), text + p.take().text}
}

// name reads f, f(x), M!f(x) and M!f!1: an operator with what selects it.
func (p *parser) name() Expr {
	from := p.from()
	t := p.take()
	s := Selector{Span: t.span, Name: t.text}
	s.Args = p.arguments(s.Args)
	s.Span = p.to(from)
	name := Ident{t.span, t.text}
	var prefix []Selector
	for p.is("!") {
		p.take()
		prefix = append(prefix, s)
		s, name = p.selector()
	}
	return &Op{p.to(from), prefix, name, s.Args}
}

// applied reads +(a, b), an operator that comes before its arguments, or with what
// selects a piece of its definition.
func (p *parser) applied(t *token) Expr {
	e := p.name().(*Op)
	want := 1
	if t.op.Fixity == Infix {
		want = 2
	}
	if len(e.Prefix) == 0 && len(e.Args) != want {
		p.failAt(t.span, fmt.Sprintf("found %s with %d arguments in parentheses, expected %d", quoted(t.text), len(e.Args), want))
	}
	return e
}

// selector reads what follows a "!".
func (p *parser) selector() (Selector, Ident) {
	from := p.from()
	t := p.tok()
	s := Selector{Name: t.text}
	switch {
	case t.kind == kindIdent, t.kind == kindOp:
		p.take()
		s.Args = p.arguments(s.Args)
	case t.is("("):
		s.Name = ""
		s.Args = p.arguments(s.Args)
	case t.kind == kindNumber, t.is("<<"), t.is(">>"), t.is("@"), t.is(":"):
		p.take()
	default:
		p.fail(`a name, an operator, (arguments), <<, >>, @, : or a number after "!"`)
	}
	s.Span = p.to(from)
	if s.Name == "" {
		return s, Ident{Span: s.Span}
	}
	return s, Ident{t.span, s.Name}
}

// arguments reads (a, +, LAMBDA x : e) if it follows.
func (p *parser) arguments(args []Expr) []Expr {
	if !p.is("(") {
		return args
	}
	args, _ = p.parens()
	return args
}

// parens reads (a, b) and returns where it ends.
func (p *parser) parens() (args []Expr, end Pos) {
	p.expect("(")
	p.list(func() { args = append(args, p.argument()) })
	return args, p.expect(")").span.To
}

// argument reads what an operator's parameter can be: an expression, an operator or a
// LAMBDA.
func (p *parser) argument() Expr {
	t := p.tok()
	switch {
	case t.kind == kindOp && p.endsArgument(p.peek(1)):
		p.take()
		return &Op{Span: t.span, Name: Ident{t.span, t.text}}
	case t.is("LAMBDA"):
		p.take()
		e := &Lambda{}
		p.list(func() { e.Params = append(e.Params, Param{Ident: p.ident("the name of a parameter")}) })
		p.expect(":")
		e.Body = p.expr()
		e.Span = p.to(t.span.From)
		return e
	}
	return p.expr()
}

// endsArgument reports whether t can follow the operator that an argument is.
func (p *parser) endsArgument(t *token) bool {
	switch t.kind {
	case kindEnd, kindClose, kindRule, kindModule:
		return true
	}
	return t.def || t.is(",") || t.is(")") || t.is("IN") || t.isAny(unitWords)
}

func (p *parser) ifThenElse() Expr {
	from := p.take().span.From
	e := &If{}
	e.Cond = p.expr()
	p.expect("THEN")
	e.Then = p.expr()
	p.expect("ELSE")
	e.Else = p.expr()
	e.Span = p.to(from)
	return e
}

func (p *parser) caseOf() Expr {
	from := p.take().span.From
	e := &Case{}
	for {
		if len(e.Arms) > 0 && p.accept("OTHER") {
			p.expect("->")
			e.Other = p.expr()
			break
		}
		var arm Arm
		arm.Cond = p.expr()
		p.expect("->")
		arm.Expr = p.expr()
		e.Arms = append(e.Arms, arm)
		if !p.accept("[]") {
			break
		}
	}
	e.Span = p.to(from)
	return e
}

func (p *parser) let() Expr {
	from := p.take().span.From
	e := &Let{}
	e.Defs = p.letDefs()
	p.expect("IN")
	e.Body = p.expr()
	e.Span = p.to(from)
	return e
}

func (p *parser) choose() Expr {
	from := p.take().span.From
	e := &Choose{}
	if p.is("<<") {
		e.Bound.Names, e.Bound.Tuple = p.tupleNames(), true
	} else {
		e.Bound.Names = []Ident{p.ident("the name of a bound variable")}
	}
	if p.accept(`\in`) {
		e.Bound.Set = p.expr()
	}
	p.expect(":")
	e.Body = p.expr()
	e.Span = p.to(from)
	return e
}

func (p *parser) quantifier() Expr {
	t := p.take()
	e := &Quant{Kind: t.text}
	if n := p.namesAhead(0); n > 0 && p.peek(n).is(":") || len(t.text) == 3 {
		p.list(func() { e.Names = append(e.Names, p.ident("the name of a bound variable")) })
	} else {
		e.Bounds = p.bounds()
	}
	if !p.is(":") {
		p.fail(`":" or ",", after the bounds of ` + quoted(t.text))
	}
	p.take()
	e.Body = p.expr()
	e.Span = p.to(t.span.From)
	return e
}
