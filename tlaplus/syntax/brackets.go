package syntax

// brace reads {a, b}, {x \in S : P} or {e : x \in S}.
func (p *parser) brace() Expr {
	from := p.take().span.From
	if p.accept("}") {
		return &SetEnum{p.to(from), nil}
	}
	var first Expr
	if p.atBound() && !p.namesAreList() {
		start, in := p.from(), p.inAhead()
		b := p.bound()
		if p.accept(":") {
			e := &SetFilter{Bound: b}
			e.Pred = p.expr()
			p.expect("}")
			e.Span = p.to(from)
			return e
		}
		first = p.membership(start, in, b)
	} else {
		first = p.expr()
		if p.accept(":") {
			e := &SetMap{Expr: first, Bounds: p.bounds()}
			p.expect("}")
			e.Span = p.to(from)
			return e
		}
	}
	e := &SetEnum{Items: []Expr{first}}
	for p.accept(",") {
		e.Items = append(e.Items, p.expr())
	}
	if !p.is("}") {
		p.fail(`"," or "}"`)
	}
	p.take()
	e.Span = p.to(from)
	return e
}

// namesAreList reports whether the next tokens are x, y: the items of a set.
func (p *parser) namesAreList() bool { return p.namesAhead(0) > 1 }

// inAhead returns the index of the \in of the bound that follows.
func (p *parser) inAhead() int {
	if p.is("<<") {
		return p.i + p.namesAhead(1) + 2
	}
	return p.i + p.namesAhead(0)
}

// membership makes an expression of what was read as a bound with one name or tuple,
// whose \in is token i.
func (p *parser) membership(from Pos, i int, b Bound) Expr {
	var names []Expr
	for _, n := range b.Names {
		names = append(names, &Op{Span: n.Span, Name: n})
	}
	left := names[0]
	if b.Tuple {
		left = &Tuple{Span{from, p.toks[i-1].span.To}, names}
	}
	return &Op{Span: p.to(from), Name: Ident{p.toks[i].span, `\in`}, Args: []Expr{left, b.Set}}
}

// bracket reads what begins with "[" and is no application.
func (p *parser) bracket() Expr {
	from := p.take().span.From
	switch next := p.peek(1); {
	case p.atBound():
		return p.fcn(from)
	case next.is("|->"):
		e := &Record{Fields: p.fields("|->")}
		e.Span = p.to(from)
		return e
	case p.at(kindIdent) && next.is(":"):
		e := &RecordSet{Fields: p.fields(":")}
		e.Span = p.to(from)
		return e
	}
	return p.bracketed(from, p.expr())
}

// bracketed reads the rest of [e -> T], [e EXCEPT …] or [e]_v.
func (p *parser) bracketed(from Pos, e Expr) Expr {
	switch {
	case p.accept("->"):
		to := p.expr()
		p.expect("]")
		return &FcnSet{p.to(from), e, to}
	case p.accept("EXCEPT"):
		x := &Except{Fcn: e}
		p.list(func() { x.Updates = append(x.Updates, p.update()) })
		p.expect("]")
		x.Span = p.to(from)
		return x
	case p.accept("]_"):
		sub := p.subscript()
		return &Action{p.to(from), true, e, sub}
	}
	p.fail(`"->", EXCEPT or "]_" after the expression`)
	return nil
}

// fcn reads the rest of [x \in S |-> e].
func (p *parser) fcn(from Pos) Expr {
	start, in := p.from(), p.inAhead()
	bounds := p.bounds()
	if len(bounds) == 1 && !p.is("|->") && (bounds[0].Tuple || len(bounds[0].Names) == 1) {
		return p.bracketed(from, p.membership(start, in, bounds[0])) // [x \in S]_v
	}
	if !p.is("|->") {
		p.fail(`"|->" or ","`)
	}
	p.take()
	e := &Fcn{Bounds: bounds}
	e.Body = p.expr()
	p.expect("]")
	e.Span = p.to(from)
	return e
}

// fields reads a |-> 1, b |-> 2] or the same with ":".
func (p *parser) fields(sep string) []Field {
	var fields []Field
	p.list(func() {
		var f Field
		f.Name = p.word("the name of a field")
		p.expect(sep)
		f.Expr = p.expr()
		fields = append(fields, f)
	})
	if !p.is("]") {
		p.fail(`"," or "]"`)
	}
	p.take()
	return fields
}

// update reads !.a[b] = e.
func (p *parser) update() Update {
	var u Update
	from := p.expect("!").span.From
	for {
		start := p.from()
		switch {
		case p.accept("."):
			name := p.word("the name of a field")
			u.Path = append(u.Path, Step{Span: p.to(start), Field: name})
			continue
		case p.accept("["):
			var s Step
			p.list(func() { s.Index = append(s.Index, p.expr()) })
			p.expect("]")
			s.Span = p.to(start)
			u.Path = append(u.Path, s)
			continue
		}
		break
	}
	if len(u.Path) == 0 || !p.is("=") {
		p.fail(`"[", "." or "=" in the path of EXCEPT`)
	}
	p.take()
	u.Value = p.expr()
	u.Span = p.to(from)
	return u
}

// tuple reads <<a, b>> or <<A>>_v.
func (p *parser) tuple() Expr {
	from := p.take().span.From
	var items []Expr
	if !p.is(">>") {
		p.list(func() { items = append(items, p.expr()) })
	}
	switch {
	case p.accept(">>"):
		return &Tuple{p.to(from), items}
	case len(items) == 1 && p.accept(">>_"):
		sub := p.subscript()
		return &Action{p.to(from), false, items[0], sub}
	}
	p.fail(`"," or ">>"`)
	return nil
}

// subscript reads the v of [A]_v: a name, or what has brackets around it.
func (p *parser) subscript() Expr {
	switch t := p.tok(); {
	case t.kind == kindIdent:
		return p.name()
	case t.is("("), t.is("["), t.is("{"), t.is("<<"):
		return p.primary()
	}
	p.fail("a name, or an expression in brackets, as the subscript")
	return nil
}

// fair reads WF_v(A). Where v is a name, what follows in parentheses is A, unless more
// follows.
func (p *parser) fair() Expr {
	t := p.take()
	e := &Fair{Strong: t.text == "SF_"}
	e.Sub = p.subscript()
	if op, ok := e.Sub.(*Op); ok && !p.is("(") {
		if len(op.Args) != 1 || op.Name.Name == "" { // in WF_A!(x), (x) is an instance of A
			p.fail(`"(" with the action after the subscript`)
		}
		e.Act, op.Args = op.Args[0], nil
		op.To = op.Name.To
		if isOperator(e.Act) {
			p.failAt(e.Act.Place(), "found an operator, expected an action")
		}
	} else {
		p.expect("(")
		e.Act = p.expr()
		p.expect(")")
	}
	e.Span = p.to(t.span.From)
	return e
}

// isOperator reports whether an argument is an operator rather than an expression.
func isOperator(argument Expr) bool {
	switch e := argument.(type) {
	case *Lambda:
		return true
	case *Op:
		return len(e.Args)+len(e.Prefix) == 0 && operators[e.Name.Name] != nil
	}
	return false
}
