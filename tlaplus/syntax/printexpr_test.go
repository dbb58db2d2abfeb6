package syntax

import (
	"slices"
	"strings"
)

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *Op:
		p.op(e)
	case *Number:
		p.put("%s", e.Text)
	case *String:
		p.put("%s", quote(e.Value))
	case *At:
		p.put("@")
	case *Paren:
		p.inner(e.Expr)
	case *Junction:
		col := p.col
		for i, item := range e.Items {
			if i > 0 {
				p.put("%s", "\n"+strings.Repeat(" ", col))
			}
			p.put("%s ", e.Op)
			p.expr(item)
		}
	case *If:
		p.put("IF ")
		p.expr(e.Cond)
		p.put(" THEN ")
		p.expr(e.Then)
		p.put(" ELSE ")
		p.expr(e.Else)
	case *Case:
		p.caseOf(e)
	case *Let:
		p.put("LET ")
		for _, u := range e.Defs {
			p.unit(u)
			p.put(" ")
		}
		p.put("IN ")
		p.expr(e.Body)
	case *Quant:
		p.put("%s ", e.Kind)
		p.bounds(e.Bounds)
		p.names(e.Names)
		p.put(" : ")
		p.expr(e.Body)
	case *Choose:
		p.put("CHOOSE ")
		p.bound(e.Bound)
		p.put(" : ")
		p.expr(e.Body)
	case *Lambda:
		p.put("LAMBDA ")
		p.params(e.Params)
		p.put(" : ")
		p.expr(e.Body)
	case *Action:
		p.action(e)
	case *Fair:
		p.put("%s", map[bool]string{true: "SF_", false: "WF_"}[e.Strong])
		p.inner(e.Sub)
		p.inner(e.Act)
	case *Label:
		p.put("%s", e.Name.Name)
		if len(e.Params) > 0 {
			p.put("( ")
			p.names(e.Params)
			p.put(")")
		}
		p.put(" :: ")
		p.expr(e.Expr)
	default:
		p.collection(e)
	}
}

func (p *printer) collection(e Expr) {
	switch e := e.(type) {
	case *SetEnum:
		p.list("{", e.Items, "}")
	case *SetFilter:
		p.put("{")
		p.bound(e.Bound)
		p.put(" : ")
		p.expr(e.Pred)
		p.put("}")
	case *SetMap:
		p.put("{")
		p.inner(e.Expr)
		p.put(" : ")
		p.bounds(e.Bounds)
		p.put("}")
	case *Fcn:
		p.put("[")
		p.bounds(e.Bounds)
		p.put(" |-> ")
		p.expr(e.Body)
		p.put("]")
	case *FcnSet:
		p.put("[")
		p.inner(e.From)
		p.put(" -> ")
		p.expr(e.To)
		p.put("]")
	case *Record:
		p.fields("|->", e.Fields)
	case *RecordSet:
		p.fields(":", e.Fields)
	case *Except:
		p.except(e)
	case *FcnApply:
		p.inner(e.Fcn)
		p.list("[", e.Args, "]")
	case *Dot:
		p.inner(e.Rec)
		p.put(".%s", e.Field.Name)
	case *Tuple:
		p.list("<<", e.Items, ">>")
	case *Times:
		for i, s := range e.Sets {
			if i > 0 {
				p.put(` \X `)
			}
			p.inner(s)
		}
	}
}

func (p *printer) action(e *Action) {
	open, end := "<<", ">>_"
	if e.Square {
		open, end = "[", "]_"
	}
	p.put("%s", open)
	p.inner(e.Act)
	p.put("%s", end)
	p.inner(e.Sub)
}

func (p *printer) caseOf(e *Case) {
	for i, a := range e.Arms {
		p.put("%s", map[bool]string{true: "CASE ", false: " [] "}[i == 0])
		p.expr(a.Cond)
		p.put(" -> ")
		p.inner(a.Expr)
	}
	if e.Other != nil {
		p.put(" [] OTHER -> ")
		p.inner(e.Other)
	}
}

func (p *printer) except(e *Except) {
	p.put("[")
	p.inner(e.Fcn)
	p.put(" EXCEPT ")
	for i, u := range e.Updates {
		p.sep(i)
		p.put("!")
		for _, s := range u.Path {
			if s.Index == nil {
				p.put(".%s", s.Field.Name)
			} else {
				p.list("[", s.Index, "]")
			}
		}
		p.put(" = ")
		p.expr(u.Value)
	}
	p.put("]")
}

// op prints operators before their arguments where the tree has them so, and else as
// their fixity is.
func (p *printer) op(e *Op) {
	for _, s := range e.Prefix {
		p.selector(s.Name, s.Args)
		p.put(" ! ")
	}
	op := operators[e.Name.Name]
	if len(e.Prefix) > 0 || op == nil || len(e.Args) == 0 || slices.ContainsFunc(e.Args, isBare) {
		p.selector(e.Name.Name, e.Args)
		return
	}
	switch op.Fixity {
	case Prefix:
		p.put("%s ", sign(op))
		p.inner(e.Args[0])
	case Postfix:
		p.inner(e.Args[0])
		p.put("%s", op.Name)
	default:
		p.inner(e.Args[0])
		p.put(" %s ", op.Name)
		p.inner(e.Args[1])
	}
}

// isBare says that the expression is an operator's symbol, an argument.
func isBare(e Expr) bool {
	op, ok := e.(*Op)
	return ok && len(op.Prefix) == 0 && len(op.Args) == 0 && operators[op.Name.Name] != nil
}

func (p *printer) selector(name string, args []Expr) {
	p.put("%s", name)
	if len(args) > 0 {
		p.list("( ", args, ")")
	}
}

// quote writes a string as TLA+ does.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\f", `\f`).Replace(s) + `"`
}
