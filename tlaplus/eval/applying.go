package eval

import (
	"fmt"
	"slices"

	"tracecheck/tlaplus/syntax"
)

// applying is LAMBDA x, y : Op(x, y), for an operator that is an argument and has no
// definition of its own: one of the language, one that RECURSIVE declares, before it is
// defined, or one of an instance whose parameters come before the operator's own. nil: it is
// none of them.
func (p *Program) applying(s *scope, n *syntax.Op) *syntax.Lambda {
	if len(n.Args) > 0 {
		return nil
	}
	apply := *n
	apply.Prefix = slices.Clone(n.Prefix)
	l := &syntax.Lambda{Span: n.Span, Body: &apply}
	add := func(params int) (args []syntax.Expr) {
		for range params {
			id := syntax.Ident{Span: n.Span, Name: fmt.Sprint("argument ", len(l.Params)+1)}
			l.Params = append(l.Params, syntax.Param{Ident: id})
			args = append(args, &syntax.Op{Span: n.Span, Name: id})
		}
		return args
	}
	if len(n.Prefix) == 0 {
		if builtins[n.Name.Name] != nil {
			apply.Args = add(builtinArity(n.Name.Name))
		} else if u := p.awaited(s, n.Name.Name); u != nil {
			apply.Args = add(u.arity)
		}
		return orNil(l)
	}
	at := s
	for i := range apply.Prefix {
		sel := &apply.Prefix[i]
		switch sym := at.find(sel.Name, i == 0).(type) {
		case *named:
			if len(sel.Args) == 0 {
				sel.Args = add(sym.arity)
			}
			at = sym.scope
			continue
		case *definition:
			if t, ok := p.piece(s, at, n, i); ok {
				sel.Args = slices.Concat(sel.Args, add(len(t.sym.(*definition).params)-len(t.args)))
			}
		}
		return orNil(l)
	}
	switch sym := p.aliased(at.find(n.Name.Name, false)).(type) {
	case *definition:
		apply.Args = add(len(sym.params))
	case *Native:
		apply.Args = add(sym.Arity)
	case *undefined:
		apply.Args = add(sym.arity)
	}
	return orNil(l)
}

// awaited is what RECURSIVE declares, and no text before defines; nil: it is none.
func (p *Program) awaited(s *scope, name string) *undefined {
	u, _ := s.lookup(name).(*undefined)
	if p.constants[name] {
		return nil
	}
	return u
}

// orNil is nil for a LAMBDA without parameters: what it applies is no operator.
func orNil(l *syntax.Lambda) *syntax.Lambda {
	if len(l.Params) == 0 {
		return nil
	}
	return l
}
