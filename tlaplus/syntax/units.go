package syntax

// module reads a module from its "---- MODULE" to its "====".
func (p *parser) module() *Module {
	p.enter()
	defer p.leave()
	m := &Module{File: p.file}
	from := p.from()
	if !p.at(kindModule) {
		p.fail(`a module: "---- MODULE Name ----"`)
	}
	p.take()
	m.Name = p.word("the module's name").Name
	if !p.at(kindRule) {
		p.fail(`"----"`)
	}
	p.take()
	if p.accept("EXTENDS") {
		p.list(func() { m.Extends = append(m.Extends, p.word("the name of a module")) })
	}
	for !p.at(kindClose) && p.raw().kind != kindEnd {
		p.unit(m)
	}
	if !p.at(kindClose) {
		p.fail(`"====", the end of module ` + m.Name)
	}
	p.take()
	m.Span = p.to(from)
	return m
}

// list calls item for each item of a list with commas.
func (p *parser) list(item func()) {
	item()
	for p.accept(",") {
		item()
	}
}

// unitWords are the words that begin a unit.
var unitWords = set("VARIABLE", "VARIABLES", "CONSTANT", "CONSTANTS", "RECURSIVE", "ASSUME", "ASSUMPTION", "AXIOM",
	"THEOREM", "LEMMA", "PROPOSITION", "COROLLARY", "INSTANCE", "LOCAL", "USE", "HIDE")

// unit reads a unit of a module's body. After an error it continues with the next.
func (p *parser) unit(m *Module) {
	start := p.i
	p.try(func() {
		if u := p.oneUnit(); u != nil {
			m.Units = append(m.Units, u)
		}
	}, func() { p.skipUnit(start) })
}

// skipUnit moves from an error to the next unit: to what can begin one and is not
// right of the unit that began at token start.
func (p *parser) skipUnit(start int) {
	if len(p.errs) >= maxErrors {
		p.i = len(p.toks) - 1
		return
	}
	if p.i == start {
		p.take()
	}
	for ; p.raw().kind != kindEnd; p.i++ {
		t := p.raw()
		if t.kind == kindClose || t.kind == kindModule {
			return
		}
		if t.span.From.Col <= p.toks[start].span.From.Col && (t.def || t.kind == kindRule || t.isAny(unitWords)) {
			return
		}
	}
}

// oneUnit reads a unit, nil where it has no meaning.
func (p *parser) oneUnit() Unit {
	t := p.raw()
	if t.def {
		return p.definition(false)
	}
	switch {
	case t.kind == kindRule:
		p.take()
		return nil
	case t.kind == kindModule:
		return p.module()
	case t.kind == kindIdent && (p.peek(1).is("(") || p.peek(1).is("[") || p.peek(1).is("=")):
		return p.definition(false) // one without its "=="
	case t.kind == kindSymbol:
		switch t.text {
		case "VARIABLE", "VARIABLES":
			return p.variables()
		case "CONSTANT", "CONSTANTS":
			return p.constants()
		case "RECURSIVE":
			return p.recursive()
		case "ASSUME", "ASSUMPTION", "AXIOM":
			return p.assume()
		case "THEOREM", "LEMMA", "PROPOSITION", "COROLLARY":
			return p.theorem()
		case "INSTANCE":
			return p.instance(t.span.From, false)
		case "LOCAL":
			return p.local()
		case "USE", "HIDE":
			p.useOrBy()
			return nil
		}
	}
	p.fail(`a definition, a declaration, ASSUME, THEOREM, INSTANCE, a module or "===="`)
	return nil
}

func (p *parser) local() Unit {
	from := p.take().span.From
	switch t := p.raw(); {
	case t.def:
		u := p.definition(true)
		switch u := u.(type) {
		case *OpDef:
			u.From = from
		case *FcnDef:
			u.From = from
		case *Instance:
			u.From = from
		}
		return u
	case t.is("INSTANCE"):
		return p.instance(from, true)
	}
	p.fail("a definition or INSTANCE after LOCAL")
	return nil
}

func (p *parser) variables() Unit {
	u := &Variables{}
	from := p.take().span.From
	p.list(func() { u.Names = append(u.Names, p.ident("the name of a variable")) })
	u.Span = p.to(from)
	return u
}

func (p *parser) constants() Unit {
	u := &Constants{}
	from := p.take().span.From
	p.list(func() { u.Params = append(u.Params, p.param()) })
	u.Span = p.to(from)
	return u
}

func (p *parser) recursive() Unit {
	u := &Recursive{}
	from := p.take().span.From
	p.list(func() { u.Params = append(u.Params, p.param()) })
	u.Span = p.to(from)
	return u
}

// param reads the declaration of a value or an operator: x, f(_, _), _+_, -._ or _^+.
func (p *parser) param() Param {
	from := p.from()
	if p.accept("_") {
		t := p.operator(false)
		op := Param{Ident{t.span, t.text}, 1}
		if t.op.Fixity == Infix {
			p.expect("_")
			op.Arity = 2
		}
		op.Span = p.to(from)
		return op
	}
	if t := p.tok(); t.kind == kindOp && t.op.Fixity == Prefix {
		p.take()
		p.expect("_")
		return Param{Ident{p.to(from), t.text}, 1}
	}
	op := Param{Ident: p.ident("a name, or an operator like _+_")}
	if p.is("(") && p.peek(1).is("_") {
		p.take()
		p.list(func() {
			p.expect("_")
			op.Arity++
		})
		p.expect(")")
	}
	return op
}

// operator consumes an operator that is infix or postfix, or also prefix.
func (p *parser) operator(prefix bool) *token {
	t := p.tok()
	if t.kind != kindOp || t.op.Fixity == Prefix && !prefix {
		p.fail("an operator")
	}
	return p.take()
}

func (p *parser) assume() Unit {
	u := &Assume{Axiom: p.is("AXIOM")}
	from := p.take().span.From
	u.Name = p.unitName()
	u.Expr = p.expr()
	u.Span = p.to(from)
	return u
}

// unitName reads the name of an assumption or a theorem with its "==", if it has one.
func (p *parser) unitName() *Ident {
	if t := p.raw(); t.kind == kindIdent && p.peek(1).is("==") {
		p.i += 2
		return &Ident{t.span, t.text}
	}
	return nil
}

func (p *parser) theorem() Unit {
	u := &Theorem{}
	from := p.take().span.From
	u.Name = p.unitName()
	if p.is("ASSUME") {
		p.assumeProve()
	} else {
		u.Expr = p.expr()
	}
	u.Span = p.to(from)
	if p.beginsProof() {
		p.proof()
	}
	return u
}
