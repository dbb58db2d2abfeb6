package bind

import (
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// objects compiles what the bind file has about logs in the trace format.
func (c *compiler) objects() {
	f, p := c.b.file, c.p
	if f.objects == nil {
		return
	}
	for _, k := range f.objects {
		var list []*eval.Formula
		for _, d := range k.fields {
			if d.x == nil {
				continue // its fault has been noted
			}
			list = append(list, c.formula(d.x.syn))
		}
		p.defaults = append(p.defaults, list)
	}
	c.refusals()
	for _, o := range f.open {
		if o.of == nil || o.is == nil {
			continue
		}
		if !p.isVariable(o.of.syn) {
			c.refuse(o.of, "open has variables, each with the set of its possible values")
			continue
		}
		p.open = append(p.open, variable{slices.Index(p.spec.Variables, o.of.syn.(*syntax.Op).Name.Name), c.relation(o, `\in`, true)})
	}
	for _, x := range f.throughout {
		if x == nil {
			continue
		}
		if of := c.formula(x.syn); of != nil {
			p.throughout = append(p.throughout, of)
		}
	}
	p.whole = make([]bool, len(p.spec.Variables))
	for _, x := range f.whole {
		switch {
		case x == nil: // its fault has been noted
		case p.isVariable(x.syn):
			p.whole[slices.Index(p.spec.Variables, x.syn.(*syntax.Op).Name.Name)] = true
		default:
			c.refuse(x, "whole has variables of the module")
		}
	}
	p.lines = make([]bool, len(p.spec.Variables))
	for _, i := range p.first {
		if o := &p.observe[i]; len(o.paths) > 0 && !o.guarded {
			p.lines[slices.Index(p.spec.Variables, o.name)] = true
		}
	}
	const file = "what does not change"
	for _, name := range p.spec.Variables {
		text := "UNCHANGED " + name
		n, err := syntax.ParseExpr(file, []byte(text))
		if err == nil {
			var x *eval.Formula
			if x, err = p.spec.Formula(file, text, n, lineName); err == nil {
				p.unchanged = append(p.unchanged, eval.Condition{Formula: x, Args: []value.Value{value.False}})
			}
		}
		c.note(err)
	}
}
