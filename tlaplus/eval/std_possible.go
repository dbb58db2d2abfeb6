package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// The module _Possible: _POSSIBLE of a cfg names what has to be TRUE in a state, or of a step,
// that is found. A register has, by name, how often each of them was.

const possible = "s:_possible"

func (lib library) possible() {
	counts := func(r *Run) value.Value {
		if v := r.regs[r.Space.String(possible)]; v != nil {
			return v
		}
		return value.Empty
	}
	shown := func(r *Run) value.Value {
		r.print(counts(r))
		return value.True
	}
	lib.register("_Possible", nil,
		&Native{Name: "_Track", Arity: 2, Level: state, F2: func(r *Run, is, name value.Value) value.Value {
			n := int64(0)
			if b, ok := is.(value.Bool); !ok {
				value.Fail("%s is %s, not a boolean", value.Show(name), value.Show(is))
			} else if b {
				n = 1
			}
			one := value.NewFcn(value.NewSet([]value.Value{name}), []value.Value{value.Of(n)})
			return tlcSet(r, r.Space.String(possible), value.Zip(counts(r), one, united))
		}},
		&Native{Name: "_Counts", Level: state, F0: counts},
		&Native{Name: "_CheckName", Arity: 1, Level: state, Prints: true, F1: func(r *Run, name value.Value) value.Value {
			if all := counts(r); value.Contains(value.Domain(all), name) && integer(value.Apply(all, name)) > 0 {
				return value.True
			}
			shown(r)
			return value.False
		}},
		&Native{Name: "_PrintCounts", Level: state, Prints: true, F0: shown})
}

// possibles takes over _POSSIBLE: a constraint counts where the predicate is TRUE.
func (s *Spec) possibles(ids []syntax.Ident) {
	for _, id := range ids {
		s.note(func() {
			s.given(id)
			d, ok := s.aliased(s.scopeOf(id.Name).lookup(id.Name)).(*definition)
			if !ok || len(d.params) > 0 {
				s.refuseGiven(&id, "%s is not a definition without parameters, as _POSSIBLE needs", id.Name)
			}
			if d.body().level == temporal {
				s.refuseGiven(&id, "%s is a temporal formula: _POSSIBLE names predicates of states or steps", id.Name)
			}
			in := s.scopeOf(id.Name).inner()
			(&context{p: s.Program}).natively(in, "_Possible")
			span, name := d.syn.Place(), &syntax.String{Span: d.syn.Place(), Value: id.Name}
			named := func(op string, args ...syntax.Expr) Predicate {
				return Predicate{Name: id.Name, x: s.compileIn(in, &syntax.Op{Span: span, Name: syntax.Ident{Span: span, Name: op}, Args: args})}
			}
			track := named("_Track", &syntax.Op{Span: span, Name: syntax.Ident{Span: span, Name: id.Name}}, name)
			if d.body().level == action {
				s.ActionConstraints = append(s.ActionConstraints, track)
			} else {
				s.Constraints = append(s.Constraints, track)
			}
			s.Possible = append(s.Possible, named("_CheckName", name))
		})
	}
}
