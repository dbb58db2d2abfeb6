package bind

import (
	"fmt"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/tracespec"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
	"tracecheck/validators"
)

// refusal is a rule of the reject lines of a kind.
type refusal struct {
	kind int // its place among the objects
	rule string
	f    *eval.Formula
}

// refusals compiles the rules of reject lines.
func (c *compiler) refusals() {
	for i, k := range c.b.file.objects {
		for _, of := range c.b.file.refused {
			for _, r := range of.fields {
				if of.name != k.name || r.x == nil {
					continue
				}
				if f := c.formula(r.x.syn); f != nil {
					c.p.refusals = append(c.p.refusals, refusal{i, r.name, f})
				}
			}
		}
	}
}

// refuse makes the line the one that is refused; nil: none is.
func (w *world) refuse(ev *trace.Event) error {
	all := make([]value.Value, len(w.kinds))
	return guarded(func() {
		for i := range w.kinds {
			s := &w.kinds[i]
			if all[i] = value.Empty; ev != nil && s.kind == ev.Kind {
				of := fieldsOf{}
				for _, f := range s.fields {
					if got := member(ev.Object(), f.name); got.Exists() {
						of[f.name] = given("", got)
					}
				}
				all[i] = w.byID([]string{ev.ID}, []value.Value{w.fields(s, of, true)})
			}
		}
		w.refused = w.byKind(all)
	})
}

// rejected judges the reject lines of a step: each has to be justified in a state before
// the step, or after it.
func (m *objectMachine) rejected(step *trace.Step, before []*node) (found []validators.Finding, err error) {
	for i := range step.Events {
		ev := &step.Events[i]
		for j := range m.p.refusals {
			r := &m.p.refusals[j]
			if ev.Op != trace.OpReject || ev.Kind != m.world.kinds[r.kind].kind {
				continue
			}
			if err := m.world.refuse(ev); err != nil {
				return nil, err
			}
			is, err := m.justified(r, before, nil)
			if err == nil && !is {
				is, err = m.justified(r, m.frontier, nil)
			}
			if err != nil {
				return nil, err
			}
			if !is {
				found = append(found, m.unjustified(ev, r, before))
			}
			if err := m.world.refuse(nil); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// justified reports whether the rule is TRUE in one of the states.
func (m *objectMachine) justified(r *refusal, in []*node, why *eval.Why) (is bool, err error) {
	list := append([]eval.Condition{{Formula: r.f, Args: []value.Value{m.world.refused}}}, m.p.unchanged...)
	for _, n := range in {
		if err := m.p.spec.Makes(m.p.run, n.state, list, r.rule, why, func(*eval.State) bool {
			is = true
			return false
		}); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

func (m *objectMachine) unjustified(ev *trace.Event, r *refusal, before []*node) validators.Finding {
	why := &eval.Why{Full: m.b.opts.Full}
	_, bad := m.justified(r, before[:1], why)
	list := why.Attempts()
	f := validators.Finding{Kind: validators.OfRejection, Rule: r.rule, Pos: ev.Pos, Nearest: tracespec.Near(list, ""),
		State: m.bindings(before[0].state, nil, list), History: m.history(list)}
	f.Message = fmt.Sprintf("%s does not justify the refusal%s", r.rule, failing(list, ": not "))
	if bad != nil {
		f.Message += "; the explanation ends with an error: " + bad.Error()
	}
	return f
}
