package syntax

// atDefinition reports whether a definition begins with the next token, which is right
// of the innermost bullet.
func (p *parser) atDefinition() bool {
	t := p.raw()
	return t.def && (p.bullet == nil || t.span.From.Col > p.bullet.span.From.Col)
}

// definition reads a definition, which the next token begins, maybe without its "==".
func (p *parser) definition(local bool) Unit {
	t := p.raw()
	whole := t.def
	t.def = false // seen from now on
	from := t.span.From
	if t.kind == kindOp {
		return p.prefixDef(from, local)
	}
	name := p.ident("the name of a definition")
	switch {
	case p.is("["):
		return p.fcnDef(from, name, local)
	case p.at(kindOp) && (whole || !p.is("=")):
		return p.symbolDef(from, name, local)
	}
	var params []Param
	if p.accept("(") {
		p.list(func() { params = append(params, p.param()) })
		p.expect(")")
	}
	p.expect("==")
	if p.is("INSTANCE") {
		u := p.instance(from, local)
		u.Name, u.Params = &name, params
		return u
	}
	return p.opDef(from, local, name, params)
}

// opDef reads the body of an operator.
func (p *parser) opDef(from Pos, local bool, name Ident, params []Param) *OpDef {
	body := p.expr()
	return &OpDef{p.to(from), local, name, params, body}
}

// prefixDef reads -. x == e.
func (p *parser) prefixDef(from Pos, local bool) Unit {
	t := p.operator(true)
	x := p.ident("the operator's parameter")
	p.expect("==")
	return p.opDef(from, local, Ident{t.span, t.text}, []Param{{Ident: x}})
}

// symbolDef reads the rest of x + y == e or x^+ == e.
func (p *parser) symbolDef(from Pos, x Ident, local bool) Unit {
	t := p.operator(false)
	params := []Param{{Ident: x}}
	if t.op.Fixity == Infix {
		params = append(params, Param{Ident: p.ident("the operator's second parameter")})
	}
	p.expect("==")
	return p.opDef(from, local, Ident{t.span, t.text}, params)
}

// fcnDef reads the rest of f[x \in S] == e.
func (p *parser) fcnDef(from Pos, name Ident, local bool) Unit {
	u := &FcnDef{Local: local, Name: name}
	p.expect("[")
	u.Bounds = p.bounds()
	p.expect("]")
	p.expect("==")
	u.Body = p.expr()
	u.Span = p.to(from)
	return u
}

// instance reads INSTANCE M WITH a <- e.
func (p *parser) instance(from Pos, local bool) *Instance {
	u := &Instance{Local: local}
	p.expect("INSTANCE")
	u.Module = p.word("the name of a module")
	if p.accept("WITH") {
		p.list(func() { u.With = append(u.With, p.substitution()) })
	}
	u.Span = p.to(from)
	return u
}

func (p *parser) substitution() Subst {
	var s Subst
	if t := p.tok(); t.kind == kindOp {
		p.take()
		s.Name = Ident{t.span, t.text}
	} else {
		s.Name = p.ident("the name of a constant or a variable of the module")
	}
	p.expect("<-")
	s.Expr = p.argument()
	return s
}

// letDefs reads the definitions of a LET.
func (p *parser) letDefs() []Unit {
	var defs []Unit
	for {
		switch {
		case p.atDefinition():
			defs = append(defs, p.definition(false))
		case p.is("RECURSIVE"):
			defs = append(defs, p.recursive())
		case len(defs) == 0 || !p.is("IN"):
			p.fail("a definition, RECURSIVE or IN")
		default:
			return defs
		}
	}
}

// bounds reads x, y \in S, <<a, b>> \in T.
func (p *parser) bounds() []Bound {
	var all []Bound
	p.list(func() { all = append(all, p.bound()) })
	return all
}

func (p *parser) bound() Bound {
	var b Bound
	if p.is("<<") {
		b.Names, b.Tuple = p.tupleNames(), true
	} else {
		p.list(func() { b.Names = append(b.Names, p.ident("the name of a bound variable")) })
	}
	p.expect(`\in`)
	b.Set = p.expr()
	return b
}

// tupleNames reads <<a, b>>.
func (p *parser) tupleNames() []Ident {
	var names []Ident
	p.expect("<<")
	p.list(func() { names = append(names, p.ident("the name of a bound variable")) })
	p.expect(">>")
	return names
}

// atBound reports whether the next tokens are x, y \in or <<x, y>> \in.
func (p *parser) atBound() bool {
	n := 0
	if p.is("<<") {
		n = p.namesAhead(1)
		return n > 0 && p.peek(1+n).is(">>") && p.peek(2+n).is(`\in`)
	}
	n = p.namesAhead(0)
	return n > 0 && p.peek(n).is(`\in`)
}

// namesAhead returns how many tokens of the list x, y, z follow the next n.
func (p *parser) namesAhead(n int) int {
	if p.peek(n).kind != kindIdent {
		return 0
	}
	k := 1
	for p.peek(n+k).is(",") && p.peek(n+k+1).kind == kindIdent {
		k += 2
	}
	return k
}
