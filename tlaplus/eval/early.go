package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// \E x \in S, y \in T : A(x, y): the first conjuncts of A that do not read y are
// tested before the loop over T. Where one is FALSE, it is so for each y.

// early is such a plan.
type early struct {
	body  *definition
	up    func(*Run, *frame) *frame
	pass  []func(*Run, *frame) any
	tests []earlyTest
}

type earlyTest struct {
	names int // that have a value: the first ones
	x     *expr
	at    *place
}

// early makes the plan for a quantifier, nil where there is none.
func (p *Program) early(r *resolver, list []binding) *early {
	if r == nil {
		return nil
	}
	var slots []int
	for i := range list {
		slots = append(slots, list[i].slots...)
	}
	e := &early{body: r.def, up: r.up, pass: r.pass}
	left := *r
	left.unknown = map[int]int{}
	for i := range list {
		for _, slot := range list[i].slots {
			left.unknown[slot] = i
		}
	}
	names := 0
	for _, item := range conjunctsOf(r.def.expr) {
		op, ok := unparen(item).(*syntax.Op)
		if !ok || len(op.Prefix) > 0 || !comparisons[op.Name.Name] {
			break
		}
		for names < len(slots) && (names == 0 || left.reads(item)) {
			delete(left.unknown, slots[names])
			names++
		}
		x := p.expr(r.s, item)
		if names == len(slots) || x.level >= action {
			break
		}
		e.tests = append(e.tests, earlyTest{names, x, r.s.place(item)})
	}
	if len(e.tests) == 0 {
		return nil
	}
	return e
}

var comparisons = map[string]bool{
	"=": true, "#": true, "/=": true, `\in`: true, `\notin`: true, `\subseteq`: true, "<": true, ">": true, "=<": true, "<=": true, ">=": true,
}

// check returns the test once the first names have a value. It holds where a
// further set is empty: TLC evaluates nothing then.
func (e *early) check(r *Run, f *frame, sets []value.Value) func(names int) bool {
	known, empty := false, false
	return func(names int) bool {
		var g *frame
		for i := range e.tests {
			t := &e.tests[i]
			if t.names != names {
				continue
			}
			if !known {
				known, empty = true, anyEmpty(sets)
			}
			if empty {
				return true
			}
			if g == nil {
				g = newFrame(e.body.body().fn.slots, e.up(r, f))
				for i := range e.pass {
					g.vals[i] = e.pass[i](r, f)
				}
			}
			if !r.truth(t.x.code(r, g), t.at) {
				return false
			}
		}
		return true
	}
}

func anyEmpty(sets []value.Value) bool {
	for _, set := range sets {
		if value.Each(set, func(value.Value) bool { return false }) {
			return true
		}
	}
	return false
}
