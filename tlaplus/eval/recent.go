package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// \E m \in DOMAIN messages : IsEvent("Receive") /\ … : what does not depend on m is
// needed by each element of the loop. Each call in the text has its last value, for
// the same arguments in the same state.

// recent is the last value of a call.
type recent struct {
	d       *definition
	pass    []func(*Run, *frame) any
	in      *State
	version int
	args    []value.Value
	val     value.Value // nil: none
}

// recentOf is where the last value of a call is kept: nil where the arguments are more
// than literals and names, which cost nothing to compare.
func (p *Program) recentOf(s *scope, d *definition, t target, pass []func(*Run, *frame) any) *recent {
	if d.scope.fn != nil || t.under != nil {
		return nil
	}
	for i, a := range t.args {
		if d.params[i].Arity > 0 || !plain(s, a) {
			return nil
		}
	}
	return &recent{d: d, pass: pass, args: make([]value.Value, len(pass))}
}

// of is the value of the call, by code or as it is known.
func (last *recent) of(r *Run, f *frame, code code) value.Value {
	if last == nil || !last.counts(r) {
		return code(r, f)
	}
	if last.known(r, f) {
		return last.val
	}
	before := r.ahead
	v := code(r, f)
	if last.val = nil; r.ahead == before {
		last.put(r, f, v)
	}
	return v
}

// generate continues with the rest for each way to make the call TRUE. Where there was no
// way, it is FALSE.
func (last *recent) generate(r *Run, f *frame, k *rest, generate generator) bool {
	if last == nil || !last.counts(r) {
		return generate(r, f, k)
	}
	if last.known(r, f) {
		return true
	}
	found := false
	before := r.ahead
	on := generate(r, f, &rest{done: func() bool {
		found = true
		return k.run(r)
	}})
	if last.val = nil; !found && r.ahead == before {
		last.put(r, f, value.False)
	}
	return on
}

// counts reports whether the last value counts: nothing of the evaluation is noted, and
// it makes no step.
func (last *recent) counts(r *Run) bool {
	return r.memory == nil && r.track == nil && r.why == nil && r.cur != nil && last.d.x.level <= state
}

// plain reports whether an argument is a literal, or a parameter or bound name.
func plain(s *scope, n syntax.Expr) bool {
	switch n := n.(type) {
	case *syntax.Number, *syntax.String:
		return true
	case *syntax.Op:
		if len(n.Args) > 0 || len(n.Prefix) > 0 || builtins[n.Name.Name] != nil {
			return false
		}
		_, ok := s.lookup(n.Name.Name).(*local)
		return ok
	}
	return false
}

// known reports whether the value is that of a call now.
func (last *recent) known(r *Run, f *frame) bool {
	if last.val == nil || last.in != r.cur || last.version != r.cur.version {
		return false
	}
	for i := range last.pass {
		v, ok := r.has(last.pass[i](r, f))
		if !ok || !value.Same(v, last.args[i]) {
			return false
		}
	}
	return true
}

func (last *recent) put(r *Run, f *frame, v value.Value) {
	for i := range last.pass {
		arg, ok := r.has(last.pass[i](r, f))
		if !ok {
			return
		}
		last.args[i] = arg
	}
	last.in, last.version, last.val = r.cur, r.cur.version, v
}

// has is the value in a slot, where that is known.
func (r *Run) has(slot any) (v value.Value, ok bool) {
	switch x := slot.(type) {
	case *thunk:
		if !x.known(r) {
			return nil, false
		}
		return x.force(r), true
	case *operator, nil:
		return nil, false
	}
	return slot, true
}
