package bind

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// isVariable reports whether an expression is a variable of the module.
func (p *program) isVariable(n syntax.Expr) bool {
	op, ok := n.(*syntax.Op)
	return ok && len(op.Args) == 0 && len(op.Prefix) == 0 && slices.Contains(p.spec.Variables, op.Name.Name)
}

// compiler compiles the expressions of a bind file.
type compiler struct {
	p   *program
	b   *Bind
	bad *syntax.Errors
}

func (c *compiler) note(err error) {
	var list syntax.Errors
	if errors.As(err, &list) {
		*c.bad = append(*c.bad, list...)
	}
}

// formula compiles an expression over the line.
func (c *compiler) formula(n syntax.Expr) *eval.Formula {
	f, err := c.p.spec.Formula(c.b.file.name, "", n, lineName)
	c.note(err)
	return f
}

func (c *compiler) clause(x *expr) *clause {
	if x == nil {
		return nil
	}
	f := c.formula(x.syn)
	if f == nil {
		return nil
	}
	cl := &clause{f: f}
	cl.paths, cl.guarded = pathsOf(x.syn)
	return cl
}

// ofLine is a clause that only reads the line.
func (c *compiler) ofLine(x *expr) *clause {
	cl := c.clause(x)
	if cl != nil && cl.f.OfState() {
		c.refuse(x, "this is about the line: it cannot read a variable of the module")
	}
	return cl
}

// ofState refuses a formula that is about a step.
func (c *compiler) ofState(f *eval.Formula, x *expr) {
	if f != nil && f.OfStep() {
		c.refuse(x, "this is about one state: it cannot have a prime")
	}
}

func (c *compiler) refuse(x *expr, why string) {
	*c.bad = append(*c.bad, &syntax.Error{File: c.b.file.name, Span: x.syn.Place(), Msg: why})
}

// equation is of = is, in the state after the step or in the one before.
func (c *compiler) equation(o pair, after bool) clause { return c.relation(o, "=", after) }

// relation is of = is, or of \in is.
func (c *compiler) relation(o pair, op string, after bool) clause {
	if o.of == nil || o.is == nil {
		return clause{}
	}
	of, is := o.of.syn, o.is.syn
	at := syntax.Span{From: of.Place().From, To: is.Place().To}
	left := of
	if after {
		left = primed(of, c.p.texts, o.of.text)
	}
	c.p.texts[at] = c.p.spec.Text(c.b.file.name, left.Place()) + " " + op + " " + strings.Join(strings.Fields(o.is.text), " ")
	x := &expr{syn: &syntax.Op{Span: at, Name: syntax.Ident{Span: at, Name: op}, Args: []syntax.Expr{left, is}}}
	if cl := c.clause(x); cl != nil {
		cl.name = o.of.text
		return *cl
	}
	return clause{}
}

// primed is an expression in the state after. Its span is one column longer, so that it
// is shown with its prime.
func primed(n syntax.Expr, says map[syntax.Span]string, text string) syntax.Expr {
	at := n.Place()
	at.To.Col++
	says[at] = text + "'"
	if op, ok := n.(*syntax.Op); ok && len(op.Args) > 1 {
		says[at] = "(" + text + ")'"
	}
	return &syntax.Op{Span: at, Name: syntax.Ident{Span: at, Name: "'"}, Args: []syntax.Expr{n}}
}

// action is what an event of the bind file represents: \E with : where /\ do.
func (c *compiler) action(a *action) *plan {
	if a == nil || a.do == nil {
		return &plan{}
	}
	n := a.do.syn
	pl := &plan{name: a.event, argument: theLine}
	if op, ok := n.(*syntax.Op); ok {
		if _, ok := c.p.spec.Defines(op.Name.Name); ok {
			pl.name = op.Name.Name
		}
	}
	if a.where != nil {
		n = &syntax.Junction{Span: n.Place(), Op: `/\`, Items: []syntax.Expr{a.where.syn, n}}
	}
	for i := len(a.with) - 1; i >= 0; i-- {
		w := a.with[i]
		if w.x == nil {
			continue
		}
		at := syntax.Span{From: w.x.syn.Place().From, To: n.Place().To}
		c.p.texts[at] = `\E ` + w.name + ` \in ` + w.x.text
		n = &syntax.Quant{Span: at, Kind: `\E`, Body: n,
			Bounds: []syntax.Bound{{Names: []syntax.Ident{{Span: at, Name: w.name}}, Set: w.x.syn}}}
	}
	if f := c.formula(n); f != nil {
		pl.conditions = []eval.Condition{{Formula: f}}
	}
	return pl
}

// silent is a step that no line records: an action by its name, or an expression.
func (c *compiler) silent(x *expr) []eval.Condition {
	if x == nil {
		return nil
	}
	if op, ok := x.syn.(*syntax.Op); ok && len(op.Args) == 0 && len(op.Prefix) == 0 {
		if n, _ := c.p.spec.Defines(op.Name.Name); n > 0 && c.p.spec.IsAction(op.Name.Name) {
			return c.p.spec.Through(op.Name.Name)
		}
	}
	if c.b.Objects() {
		return []eval.Condition{{Formula: c.formula(x.syn), Args: []value.Value{value.False}}}
	}
	f, err := c.p.spec.Formula(c.b.file.name, "", x.syn)
	if err != nil {
		others := len(*c.bad)
		if c.formula(x.syn); len(*c.bad) == others {
			c.refuse(x, "no line records a silent step: it cannot read the line")
		}
	}
	return []eval.Condition{{Formula: f}}
}

// planOf is what an event represents that the line has so many arguments of; nil
// where it is unknown.
func (p *program) planOf(event string, args int) *plan {
	pl := p.actions[event]
	if pl == nil {
		if pl = p.byName(event); pl == nil {
			return nil
		}
		p.actions[event] = pl
	}
	if pl.args == nil || args == 0 {
		return pl
	}
	with := pl.args[args]
	if with == nil {
		with = p.applied(event, args)
		pl.args[args] = with
	}
	return with
}

// byName is the action of the event's name, with any arguments.
func (p *program) byName(event string) *plan {
	n, _ := p.spec.Defines(event)
	switch {
	case !p.spec.IsAction(event): // a predicate such as Init would allow any step
		return nil
	case n == 0:
		pl := p.written(event, event)
		if pl != nil {
			pl.args = map[int]*plan{} // with arguments, it is no action
		}
		return pl
	}
	return &plan{name: event, conditions: p.spec.Through(event), through: event, args: map[int]*plan{}}
}

// applied is the action of the event's name with the line's arguments.
func (p *program) applied(event string, args int) *plan {
	list := make([]string, args)
	for i := range list {
		list[i] = fmt.Sprintf("args[%d]", i+1)
	}
	return p.written(event, event+"("+strings.Join(list, ", ")+")", list...)
}

// written is an action whose text is made here, over the line's arguments. These are
// parameters with their texts as names: no name of the module is such a text.
func (p *program) written(event, text string, args ...string) *plan {
	pl := &plan{name: event}
	const file = "the event's action"
	n, err := syntax.ParseExpr(file, []byte(text))
	if err != nil {
		return nil
	}
	if call, ok := n.(*syntax.Op); ok {
		for i, arg := range args {
			at := call.Args[i].Place()
			call.Args[i] = &syntax.Op{Span: at, Name: syntax.Ident{Span: at, Name: arg}}
		}
	}
	f, err := p.spec.Formula(file, text, n, args...)
	if err != nil {
		return nil
	}
	if pl.conditions = []eval.Condition{{Formula: f}}; len(args) > 0 {
		pl.argument = theArgs
	}
	return pl
}
