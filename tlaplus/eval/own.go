package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// A variable of a module that is an instance is replaced by an expression. ENABLED of an
// action asks for values of the module's own primed variables (Lamport, "Specifying Systems",
// chapter 17): in INSTANCE M WITH x <- z, y <- z the formula ENABLED (x' = 0 /\ y' = 1) of M
// is TRUE.

// own is a variable of the module of an instance.
type own struct {
	*variable
	of *context // the instance
}

// ownVariable is the variable of the instance's module that an expression is; nil: it is none,
// or the same as the variable that replaces it. As in TLC, variables with one name are one.
func (p *Program) ownVariable(s *scope, n syntax.Node) *own {
	switch x := n.(type) {
	case *syntax.Paren:
		return p.ownVariable(s, x.Expr)
	case *syntax.Op:
		if len(x.Args) > 0 || len(x.Prefix) > 0 {
			return nil
		}
		name := x.Name.Name
		for at := s; at != nil; at = at.up {
			sym, ok := at.names[name]
			if !ok {
				continue
			}
			if !at.owns[name] || p.vars[name] != nil && sym == p.vars[name] {
				return nil
			}
			return &own{p.ownNamed(name), at.of}
		}
	}
	return nil
}

func (p *Program) ownNamed(name string) *variable {
	if v := p.vars[name]; v != nil {
		return v
	}
	v := p.own[name]
	if v == nil {
		v = &variable{name, len(p.Variables) + len(p.own)}
		p.own[name] = v
	}
	return v
}

// orOwn is the module's own variable where ENABLED in the same instance has given it a value in
// a state, else x.
func orOwn(x *expr, own *own, in func(*Run) *State) *expr {
	if own == nil {
		return x
	}
	y := *x
	y.code = func(r *Run, f *frame) value.Value {
		if r.enabling == own.of {
			if s := in(r); s != nil && own.n < len(s.Vals) && s.Vals[own.n] != nil {
				return s.Vals[own.n]
			}
		}
		return x.code(r, f)
	}
	return &y
}
