package eval

import (
	"fmt"
	"maps"
	"strconv"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// offset is an expression that indexes a log: a variable and what is added to it.
type offset struct {
	variable int // by place; -1: the level
	shift    int64
}

type indexed struct {
	offset
	name string
	log  []value.Value
}

// meaningOf is what a name means that a definition, a LET or a quantifier binds around an
// expression.
type meaningOf struct {
	index *offset
	of    scoped   // another expression; nil: not known
	does  *applied // nil: it is no operator with parameters
}

type scoped struct {
	scope *scope
	syn   syntax.Expr
	names map[string]meaningOf
}

// read is an element of a sequence that a text reads.
type read struct {
	of scoped
	at syntax.Expr
}

type applied struct {
	scoped
	params []syntax.Param
}

// finder goes through a text, from the next-state relation into what it calls.
type finder struct {
	s      *Spec
	r      *Run
	seen   map[string]bool // definitions, with what their parameters mean
	found  []indexed
	others []read   // elements whose index is neither a variable nor the level
	firsts []scoped // of what it takes the first element, or drops it
	depth  int
}

// deepest bounds how far calls are followed.
const deepest = 50

// index is what the expression indexes a log by, nil where it is nothing of the kind. A
// primed variable is one more.
func (f *finder) index(s *scope, n syntax.Expr, names map[string]meaningOf) *offset {
	op, ok := unparen(n).(*syntax.Op)
	if !ok || len(op.Prefix) > 0 || f.depth > deepest {
		return nil
	}
	f.depth++
	defer func() { f.depth-- }()
	switch len(op.Args) {
	case 0:
		if a, ok := names[op.Name.Name]; ok {
			return a.index
		}
		switch sym := f.s.aliased(s.lookup(op.Name.Name)).(type) {
		case *variable:
			return &offset{variable: sym.n}
		case *definition:
			if n := sym.meant(); n != nil {
				return f.index(sym.scope, n, nil)
			}
		}
	case 1:
		level, ok := op.Args[0].(*syntax.String)
		switch {
		case op.Name.Name == "TLCGet" && ok && level.Value == "level":
			return &offset{variable: -1}
		case op.Name.Name == "'":
			if at := f.index(s, op.Args[0], names); at != nil {
				return &offset{at.variable, at.shift + 1}
			}
		}
	case 2:
		sign := int64(1)
		switch op.Name.Name {
		case "-":
			sign = -1
		case "+":
			if n, ok := number(op.Args[0]); ok {
				if at := f.index(s, op.Args[1], names); at != nil {
					return &offset{at.variable, at.shift + n}
				}
			}
		default:
			return nil
		}
		if n, ok := number(op.Args[1]); ok {
			if at := f.index(s, op.Args[0], names); at != nil {
				return &offset{at.variable, at.shift + sign*n}
			}
		}
	}
	return nil
}

func number(n syntax.Expr) (int64, bool) {
	lit, ok := unparen(n).(*syntax.Number)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseInt(lit.Text, 10, 32)
	return v, err == nil
}

// sequence is the value of an expression of constants, where it is a sequence.
func (f *finder) sequence(s *scope, n syntax.Expr, names map[string]meaningOf) (name string, log []value.Value) {
	for range deepest {
		n = unparen(n)
		op, ok := n.(*syntax.Op)
		if !ok || len(op.Prefix) > 0 || len(op.Args) > 0 {
			break
		}
		a, ok := names[op.Name.Name]
		if !ok {
			break
		}
		s, n, names = a.of.scope, a.of.syn, a.of.names
		if n == nil {
			return "", nil
		}
	}
	_ = f.s.apart(func() {
		x := f.s.compileIn(s, n)
		if x.level != constant {
			return
		}
		_ = f.r.Fork().protect(func() {
			if t, isTuple := x.code(f.r, x.frame(nil)).(*value.Tuple); isTuple {
				log = t.Elems
			}
		})
		name = f.s.text(x.expr)
	})
	return name, log
}

func with(names map[string]meaningOf, name string, a meaningOf) map[string]meaningOf {
	all := maps.Clone(names)
	if all == nil {
		all = map[string]meaningOf{}
	}
	all[name] = a
	return all
}

// meaning is what an expression means where it is an argument.
func (f *finder) meaning(s *scope, n syntax.Expr, names map[string]meaningOf) meaningOf {
	a := meaningOf{index: f.index(s, n, names), of: scoped{s, n, names}}
	switch n := unparen(n).(type) {
	case *syntax.Lambda:
		a.does = &applied{scoped{s, n.Body, names}, n.Params}
	case *syntax.Op:
		if len(n.Args) > 0 {
			break
		}
		if b, ok := names[n.Name.Name]; ok {
			return b
		}
		if d := f.definition(s, n); d != nil && len(d.params) > 0 {
			a.does = &applied{scoped{d.scope, d.expr, nil}, d.params}
		}
	}
	return a
}

// definition is what the name means, nil of other names.
func (f *finder) definition(s *scope, n *syntax.Op) *definition {
	for i := range n.Prefix {
		in, ok := s.find(n.Prefix[i].Name, i == 0).(*named)
		if !ok {
			return nil // a piece of a definition
		}
		s = in.scope
	}
	d, ok := f.s.aliased(s.find(n.Name.Name, len(n.Prefix) == 0)).(*definition)
	if !ok || d.expr == nil && d.fcn == nil {
		return nil
	}
	return d
}

// enter goes through the body of a definition.
func (f *finder) enter(d *definition, args []meaningOf) {
	key := fmt.Sprintf("%p", d)
	var names map[string]meaningOf
	for i := range min(len(d.params), len(args)) {
		a := args[i]
		names = with(names, d.params[i].Name, a)
		if a.index != nil {
			key += fmt.Sprintf(" %d%+d", a.index.variable, a.index.shift)
		} else {
			key += fmt.Sprintf(" %p %p", a.of.scope, a.of.syn)
		}
	}
	if f.seen[key] || f.depth > deepest {
		return
	}
	f.seen[key] = true
	f.depth++
	defer func() { f.depth-- }()
	if d.fcn != nil {
		f.walk(d.scope, d.fcn.Body, names)
		return
	}
	f.walk(d.scope, d.expr, names)
}

func (f *finder) walk(s *scope, n syntax.Node, names map[string]meaningOf) {
	switch n := n.(type) {
	case *syntax.FcnApply:
		if len(n.Args) == 1 {
			f.find(s, n.Fcn, n.Args[0], names)
		}
	case *syntax.Let:
		for _, u := range n.Defs {
			d, ok := u.(*syntax.OpDef)
			switch {
			case !ok:
				f.walk(s, u, names)
				continue
			case len(d.Params) > 0:
				names = with(names, d.Name.Name, meaningOf{does: &applied{scoped{s, d.Body, names}, d.Params}})
			default:
				names = with(names, d.Name.Name, f.meaning(s, d.Body, names))
			}
			f.walk(s, d.Body, names)
		}
		f.walk(s, n.Body, names)
		return
	case *syntax.Quant:
		for _, b := range n.Bounds {
			if len(b.Names) == 1 && !b.Tuple {
				if e := single(b, n.Body); e != nil {
					names = with(names, b.Names[0].Name, f.meaning(s, e, names))
				}
			}
		}
	case *syntax.Op:
		switch {
		case (n.Name.Name == "Head" || n.Name.Name == "Tail") && len(n.Args) == 1:
			f.firsts = append(f.firsts, scoped{s, n.Args[0], names})
		case n.Name.Name == "SubSeq" && len(n.Args) == 3:
			f.find(s, n.Args[0], n.Args[1], names)
			if from, ok := number(n.Args[1]); ok && from == 2 {
				f.firsts = append(f.firsts, scoped{s, n.Args[0], names})
			}
		}
		var args []meaningOf
		for _, arg := range n.Args {
			args = append(args, f.meaning(s, arg, names))
		}
		if a, ok := names[n.Name.Name]; ok && len(n.Prefix) == 0 {
			f.apply(a.does, args)
		} else if d := f.definition(s, n); d != nil {
			f.enter(d, args)
		}
	}
	syntax.Children(n, func(c syntax.Node) { f.walk(s, c, names) })
}

// find notes that the text reads that element of a sequence.
func (f *finder) find(s *scope, of, at syntax.Expr, names map[string]meaningOf) {
	in := f.index(s, at, names)
	if in == nil {
		f.others = append(f.others, read{scoped{s, of, names}, at})
	} else if name, log := f.sequence(s, of, names); log != nil {
		f.found = append(f.found, indexed{*in, name, log})
	}
}

// other is the cursor where neither a variable nor the level indexes a log; nil: there is none.
func (f *finder) other() (best *Cursor) {
	for _, x := range f.others {
		at := f.ofState(x.of.scope, x.at)
		if at == nil {
			continue
		}
		if name, log := f.sequence(x.of.scope, x.of.syn, x.of.names); log != nil && (best == nil || len(log) > len(best.Log)) {
			best = &Cursor{Name: name, Variable: -1, Log: log, at: at}
		}
	}
	if best != nil {
		return best
	}
	best = &Cursor{Variable: -1}
	for _, x := range f.firsts {
		a := f.meaning(x.scope, x.syn, x.names).of
		if of := f.ofState(a.scope, a.syn); of != nil {
			best.rests = append(best.rests, unread{f.s.text(of.x.expr), of})
		}
	}
	if len(best.rests) == 0 {
		return nil
	}
	return best
}

// ofState is an expression that reads variables, and no name bound around it; nil of others.
func (f *finder) ofState(s *scope, n syntax.Expr) (x *Formula) {
	if err := f.s.apart(func() { x = &Formula{x: f.s.compileIn(s, n)} }); err != nil || x.x.level != state {
		return nil
	}
	return x
}

// apply goes through the body of an operator that a name means.
func (f *finder) apply(o *applied, args []meaningOf) {
	if o == nil || f.depth > deepest {
		return
	}
	names := o.names
	for i := range min(len(o.params), len(args)) {
		names = with(names, o.params[i].Name, args[i])
	}
	f.depth++
	f.walk(o.scope, o.syn, names)
	f.depth--
}

// single is the one value that the name of \E x \in S : P can have: e of {e}, or of x = e.
func single(b syntax.Bound, body syntax.Expr) syntax.Expr {
	if set, ok := unparen(b.Set).(*syntax.SetEnum); ok && len(set.Items) == 1 {
		return set.Items[0]
	}
	is := func(n syntax.Expr) bool {
		op, ok := unparen(n).(*syntax.Op)
		return ok && len(op.Args) == 0 && len(op.Prefix) == 0 && op.Name.Name == b.Names[0].Name
	}
	for _, n := range conjunctsOf(body) {
		if op, ok := unparen(n).(*syntax.Op); ok && op.Name.Name == "=" && len(op.Args) == 2 {
			if is(op.Args[0]) {
				return op.Args[1]
			}
			if is(op.Args[1]) {
				return op.Args[0]
			}
		}
	}
	return nil
}
