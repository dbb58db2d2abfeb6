package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// printer writes a tree as text that parses to the same tree but for parentheses.
type printer struct {
	b   strings.Builder
	col int // columns written on the line
}

// printModule prints a module, without theorems: their proofs are not in the tree.
func printModule(m *Module) string {
	p := &printer{}
	p.module(m)
	return p.b.String()
}

func (p *printer) put(format string, args ...any) {
	s := format
	if len(args) > 0 {
		s = fmt.Sprintf(format, args...)
	}
	p.b.WriteString(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		p.col = utf8.RuneCountInString(s[i+1:])
	} else {
		p.col += utf8.RuneCountInString(s)
	}
}

func (p *printer) module(m *Module) {
	p.put("---- MODULE %s ----\n", m.Name)
	if len(m.Extends) > 0 {
		p.put("EXTENDS ")
		p.names(m.Extends)
		p.put("\n")
	}
	for _, u := range m.Units {
		p.unit(u)
		p.put("\n")
	}
	p.put("====\n")
}

func (p *printer) names(names []Ident) {
	for i, n := range names {
		p.sep(i)
		p.put("%s", n.Name)
	}
}

func (p *printer) sep(i int) {
	if i > 0 {
		p.put(", ")
	}
}

func (p *printer) unit(u Unit) {
	switch u := u.(type) {
	case *Module:
		p.module(u)
	case *Variables:
		p.put("VARIABLES ")
		p.names(u.Names)
	case *Constants:
		p.put("CONSTANTS ")
		p.params(u.Params)
	case *Recursive:
		p.put("RECURSIVE ")
		p.params(u.Params)
	case *OpDef:
		p.local(u.Local)
		p.opHead(u)
		p.put(" == ")
		p.expr(u.Body)
	case *FcnDef:
		p.local(u.Local)
		p.put("%s[", u.Name.Name)
		p.bounds(u.Bounds)
		p.put("] == ")
		p.expr(u.Body)
	case *Instance:
		p.instance(u)
	case *Assume:
		p.put("%s ", map[bool]string{false: "ASSUME", true: "AXIOM"}[u.Axiom])
		if u.Name != nil {
			p.put("%s == ", u.Name.Name)
		}
		p.expr(u.Expr)
	}
}

func (p *printer) local(local bool) {
	if local {
		p.put("LOCAL ")
	}
}

func (p *printer) opHead(u *OpDef) {
	op := operators[u.Name.Name]
	switch {
	case op == nil:
		p.put("%s", u.Name.Name)
		p.paramList(u.Params)
	case op.Fixity == Prefix:
		p.put("%s %s", op.Name, u.Params[0].Name)
	case op.Fixity == Postfix:
		p.put("%s %s", u.Params[0].Name, op.Name)
	default:
		p.put("%s %s %s", u.Params[0].Name, op.Name, u.Params[1].Name)
	}
}

func (p *printer) paramList(params []Param) {
	if len(params) > 0 {
		p.put("( ")
		p.params(params)
		p.put(")")
	}
}

func (p *printer) params(params []Param) {
	for i, x := range params {
		p.sep(i)
		op := operators[x.Name]
		switch {
		case x.Arity == 0:
			p.put("%s", x.Name)
		case op == nil:
			p.put("%s(_%s)", x.Name, strings.Repeat(", _", x.Arity-1))
		case op.Fixity == Prefix:
			p.put("%s _", op.Name)
		case op.Fixity == Postfix:
			p.put("_ %s", op.Name)
		default:
			p.put("_ %s _", op.Name)
		}
	}
}

func (p *printer) instance(u *Instance) {
	p.local(u.Local)
	if u.Name != nil {
		p.put("%s", u.Name.Name)
		p.paramList(u.Params)
		p.put(" == ")
	}
	p.put("INSTANCE %s", u.Module.Name)
	for i, s := range u.With {
		p.put("%s%s <- ", map[bool]string{true: " WITH ", false: ", "}[i == 0], s.Name.Name)
		p.expr(s.Expr)
	}
}

func (p *printer) bounds(bounds []Bound) {
	for i, b := range bounds {
		p.sep(i)
		p.bound(b)
	}
}

func (p *printer) bound(b Bound) {
	if b.Tuple {
		p.put("<<")
	}
	p.names(b.Names)
	if b.Tuple {
		p.put(">>")
	}
	if b.Set != nil {
		p.put(` \in `)
		p.inner(b.Set)
	}
}

func (p *printer) list(open string, items []Expr, end string) {
	p.put("%s", open)
	for i, e := range items {
		p.sep(i)
		p.expr(e)
	}
	p.put("%s", end)
}

func (p *printer) fields(sep string, fields []Field) {
	p.put("[")
	for i, f := range fields {
		p.sep(i)
		p.put("%s %s ", f.Name.Name, sep)
		p.expr(f.Expr)
	}
	p.put("]")
}

// inner prints an expression in parentheses, unless it is an operator that is an
// argument.
func (p *printer) inner(e Expr) {
	if _, ok := e.(*Paren); ok {
		p.expr(e)
		return
	}
	p.put("( ")
	p.expr(e)
	p.put(")")
}
