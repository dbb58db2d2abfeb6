package config

import (
	"fmt"
	"strconv"

	"tracecheck/tlaplus/syntax"
)

// constants reads a section of CONSTANTS: any number of x = value and x <- y.
func (p *parser) constants(syntax.Token) bool {
	for p.i < len(p.toks) && !p.atKeyword() {
		if !p.constant() {
			return false
		}
	}
	return true
}

func (p *parser) constant() bool {
	name, ok := p.constantName()
	if !ok {
		return false
	}
	if p.accept("<-") {
		s := Substitution{Name: name}
		if s.Module, ok = p.module(); !ok {
			return false
		}
		if s.By, ok = p.operator(`the name of a definition after "<-"`); !ok {
			return false
		}
		p.cfg.Substitutions = append(p.cfg.Substitutions, s)
		return true
	}
	c := Constant{Name: name}
	if p.accept("(") {
		if c.Args, ok = p.values(")"); !ok {
			return false
		}
	}
	if !p.accept("=") {
		return p.fail(`"=" or "<-"`)
	}
	if c.Module, ok = p.module(); !ok {
		return false
	}
	if c.Value, ok = p.value(0); !ok {
		return false
	}
	p.cfg.Constants = append(p.cfg.Constants, c)
	return true
}

// constantName reads x, M!x or an operator.
func (p *parser) constantName() (syntax.Ident, bool) {
	name, ok := p.operator("the name of a constant, or a keyword")
	for ok && p.accept("!") {
		var part syntax.Ident
		part, ok = p.name(`a name after "!"`)
		name.Name += "!" + part.Name
		name.To = part.To
	}
	return name, ok
}

// operator reads a name, or an operator that is a symbol.
func (p *parser) operator(what string) (syntax.Ident, bool) {
	if p.i < len(p.toks) && p.toks[p.i].Kind == syntax.SymbolToken {
		if op := syntax.LookupOperator(p.toks[p.i].Text); op != nil {
			p.i++
			return syntax.Ident{Span: p.toks[p.i-1].Span, Name: op.Name}, true
		}
	}
	return p.name(what)
}

// module reads [M] if it follows.
func (p *parser) module() (*syntax.Ident, bool) {
	if !p.accept("[") {
		return nil, true
	}
	name, ok := p.name("the name of a module")
	return &name, ok && p.expect("]")
}

// values reads a, b and what closes the list.
func (p *parser) values(end string) ([]Value, bool) { return p.valuesAt(end, 0) }

func (p *parser) valuesAt(end string, depth int) ([]Value, bool) {
	var all []Value
	for {
		v, ok := p.value(depth)
		if !ok {
			return nil, false
		}
		all = append(all, v)
		if p.accept(",") {
			continue
		}
		if !p.accept(end) {
			return nil, p.fail(`"," or "` + end + `"`)
		}
		return all, true
	}
}

// value reads a value.
func (p *parser) value(depth int) (Value, bool) {
	if p.i >= len(p.toks) || p.atKeyword() {
		return nil, p.fail("a value")
	}
	t := p.toks[p.i]
	switch {
	case t.Kind == syntax.NumberToken:
		n, err := strconv.ParseInt(t.Text, 10, 32)
		if err != nil {
			return nil, p.fail("a decimal number of at most 2147483647")
		}
		p.i++
		return &Int{t.Span, int32(n)}, true
	case t.Kind == syntax.StringToken:
		p.i++
		return &String{t.Span, t.Text}, true
	case t.Text == "TRUE", t.Text == "FALSE":
		p.i++
		return &Bool{t.Span, t.Text == "TRUE"}, true
	case t.Kind == syntax.WordToken:
		p.i++
		return &Model{t.Span, t.Text}, true
	case p.is("{") && depth < maxDepth:
		return p.set(depth)
	case p.is("{"):
		return nil, p.fail(fmt.Sprintf("sets that are nested at most %d deep", maxDepth))
	case t.Text == "-", t.Text == "-.":
		return nil, p.fail(`a value: a negative number needs a definition, and "<-"`)
	}
	return nil, p.fail("a value: a number, a string, TRUE, FALSE, a model value or a set of values")
}

func (p *parser) set(depth int) (Value, bool) {
	from := p.toks[p.i].From
	p.i++
	s := &Set{}
	ok := true
	if !p.accept("}") {
		s.Items, ok = p.valuesAt("}", depth+1)
	}
	s.Span = syntax.Span{From: from, To: p.toks[p.i-1].To}
	return s, ok
}
