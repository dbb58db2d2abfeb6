package eval

import (
	"sync"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Native is an operator that is not written in TLA+. One of F0 to FN is set. FN
// gets its arguments as they are passed: by Arg, or as operators by Call.
type Native struct {
	Name      string
	Arity     int
	Ops       []int // the arity of each argument that is an operator; nil: all are values
	F0        func(r *Run) value.Value
	F1        func(r *Run, a value.Value) value.Value
	F2        func(r *Run, a, b value.Value) value.Value
	F3        func(r *Run, a, b, c value.Value) value.Value
	FN        func(r *Run, args []any) value.Value
	Level     level       // of its own: state where its value may change
	Versioned bool        // it has no argument, and its value changes only with Extension.Version
	Prints    bool        // evaluating it is seen
	Not       bool        // not supported: refused wherever the text uses it
	given     value.Value // by a cfg: its only value
}

// OfState is the level of a native whose value may change.
const OfState = state

// Arg is the value of an argument.
func (r *Run) Arg(a any) value.Value {
	at := r.at
	v := r.get(a)
	r.at = at
	return v
}

// Call applies an argument that is an operator.
func (r *Run) Call(a any, args ...value.Value) value.Value {
	op, ok := a.(*operator)
	if !ok {
		value.Fail("an operator is expected")
	}
	list := make([]any, len(args))
	for i, v := range args {
		list[i] = v
	}
	at := r.at
	v := op.call(r, list...)
	r.at = at
	return v
}

// call applies the native to what is passed.
func (n *Native) call(r *Run, args []any) value.Value {
	if n.Level > constant {
		r.unrepeatable()
	}
	switch {
	case n.F0 != nil:
		return n.F0(r)
	case n.F1 != nil:
		return n.F1(r, r.get(args[0]))
	case n.F2 != nil:
		a := r.get(args[0])
		return n.F2(r, a, r.get(args[1]))
	case n.F3 != nil:
		a, b := r.get(args[0]), r.get(args[1])
		return n.F3(r, a, b, r.get(args[2]))
	}
	return n.FN(r, args)
}

// native compiles the application of a native.
func (p *Program) native(s *scope, n *syntax.Op, nat *Native, args []syntax.Expr) *expr {
	p.arity(s, n, nat.Arity, len(args))
	x := p.applyNative(s, n, nat, args)
	if nat.Versioned {
		x.from = source{nat: nat}
		x.trace = func(r *Run, f *frame) (value.Value, track, bool) {
			r.ahead++
			return nat.F0(r), track{from: x.from}, true
		}
	}
	if code := x.code; nat.Level > constant {
		x.code = func(r *Run, f *frame) value.Value {
			r.unrepeatable()
			return code(r, f)
		}
		if nat.Versioned {
			x.code = noting(x.code, x.trace)
		}
	}
	return x
}

func (p *Program) applyNative(s *scope, n *syntax.Op, nat *Native, args []syntax.Expr) *expr {
	if nat.Not {
		s.refuse(n, "%s is not supported: there are no real numbers", nat.Name)
	}
	at := s.place(n)
	lv := nat.Level
	if nat == subSequence {
		return p.part(s, n, args)
	}
	if nat.FN != nil {
		pass := make([]func(*Run, *frame) any, len(args))
		for i, a := range args {
			arity := 0
			if nat.Ops != nil {
				arity = nat.Ops[i]
			}
			pass[i] = p.passed(s, a, arity)
			lv = max(lv, p.levelOf(s, a))
		}
		return &expr{level: lv, code: func(r *Run, f *frame) value.Value {
			list := make([]any, len(pass))
			for i := range pass {
				list[i] = pass[i](r, f)
			}
			r.at = at
			return nat.FN(r, list)
		}}
	}
	xs := p.exprs(s, args)
	lv = max(lv, top(xs...))
	switch {
	case nat.F0 != nil:
		return &expr{level: lv, code: func(r *Run, f *frame) value.Value {
			r.at = at
			return nat.F0(r)
		}}
	case nat.F1 != nil:
		a := xs[0]
		return &expr{level: lv, code: func(r *Run, f *frame) value.Value {
			v := a.code(r, f)
			r.at = at
			return nat.F1(r, v)
		}}
	}
	a, b := xs[0], xs[1]
	if nat.F3 != nil {
		c := xs[2]
		return &expr{level: lv, code: func(r *Run, f *frame) value.Value {
			v := a.code(r, f)
			w := b.code(r, f)
			x := c.code(r, f)
			r.at = at
			return nat.F3(r, v, w, x)
		}}
	}
	return &expr{level: lv, code: func(r *Run, f *frame) value.Value {
		v := a.code(r, f)
		w := b.code(r, f)
		r.at = at
		return nat.F2(r, v, w)
	}}
}

// nativeModule is a module that is not written in TLA+.
type nativeModule struct {
	extends []string
	ops     []*Native
}

// library has the native modules, by name.
type library map[string]*nativeModule

// standard is not the result of sync.OnceValue: natives that evaluate modules would make an
// initialization cycle.
var standard struct {
	sync.Once
	natives library
}

// natives are made when the first module is read.
func natives() library {
	standard.Do(func() {
		standard.natives = library{}
		for _, add := range []func(library){
			library.basic, library.bags, library.csv, library.functions, library.graphs, library.inputOutput,
			library.json, library.numbers, library.possible, library.proofs, library.relation, library.sequences, library.tlc,
		} {
			add(standard.natives)
		}
	})
	return standard.natives
}

// register adds a native module.
func (lib library) register(name string, extends []string, ops ...*Native) {
	lib[name] = &nativeModule{extends, ops}
}

// exported are all operators that a native module gives who extends it.
func exported(module string) []*Native {
	m := natives()[module]
	if m == nil {
		return nil
	}
	list := append([]*Native(nil), m.ops...)
	for _, e := range m.extends {
		list = append(list, exported(e)...)
	}
	return list
}

func integer(v value.Value) int64 {
	i, ok := v.(value.Int)
	if !ok {
		value.Fail("%s is not an integer", value.Show(v))
	}
	return int64(i)
}

// sequence is a value as a sequence.
func tuple(v value.Value) *value.Tuple {
	if l, ok := v.(*value.Lambda); ok {
		v = l.Force()
	}
	t, ok := v.(*value.Tuple)
	if !ok {
		value.Fail("%s is not a sequence", value.Show(v))
	}
	return t
}
