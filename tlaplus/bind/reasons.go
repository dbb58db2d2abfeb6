package bind

import (
	"fmt"
	"strings"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/tracespec"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
	"tracecheck/validators"
)

// failing is the clause of the nearest action that does not hold.
func failing(list []*eval.Attempt, before string) string {
	if len(list) == 0 {
		return ""
	}
	text := before + list[0].Failed.Text
	if list[0].Failed.Values != "" {
		text += " (" + list[0].Failed.Values + ")"
	}
	return text
}

// mostExplained bounds the states that an explanation looks at.
const mostExplained = 50

// unexplained is the finding of a line that no step explains.
func (m *machine) unexplained(ev *trace.Event, from []*node, s *meaning) validators.Finding {
	f := validators.Finding{Kind: validators.OfTransition, Rule: validators.NextRule, Pos: ev.Pos}
	list, best, bad := m.attempts(from, s, false)
	f.Nearest = tracespec.Near(list, "")
	subject := "the line"
	if s.plan.name != "" {
		subject = s.plan.name + ", the action of the line"
	}
	f.Message = fmt.Sprintf("no step of %s explains %s", m.p.spec.Root, subject)
	if len(from) > 1 {
		f.Message += fmt.Sprintf(", in any of the %d states that the lines before it lead to", len(from))
	}
	if len(list) > 0 {
		f.Text = list[0].Failed.Place
		f.Message += ". Nearest is " + list[0].Action + failing(list, ", but not: ") + tracespec.AsNear(list)
		f.State = m.bindings(best.state, nil, list)
	} else {
		f.State = m.bindings(from[0].state, nil, nil)
	}
	if bad != nil {
		f.Message += "; the explanation ends with an error: " + bad.Error()
	}
	f.History = m.history(list)
	return f
}

// attempts returns how far the line's action comes, then the other actions. best is the
// state in which the nearest one was tried.
func (m *machine) attempts(from []*node, s *meaning, full bool) (list []*eval.Attempt, best *node, bad error) {
	m.p.run.Work = 0
	try := func(from []*node, conditions []eval.Condition, name string) []*eval.Attempt {
		why := &eval.Why{Full: full}
		says, held := -1, -1
		for _, n := range from {
			if err := m.p.spec.Makes(m.p.run, n.state, conditions, name, why, func(*eval.State) bool { return true }); err != nil {
				if bad = err; best == nil {
					best = n
				}
				break
			}
			if a := why.Attempts(); best == nil || len(a) > 0 && (a[0].Says > says || a[0].Says == says && len(a[0].Held) > held) {
				if len(a) > 0 {
					says, held = a[0].Says, len(a[0].Held)
				}
				best = n
			}
		}
		return why.Attempts()
	}
	from = from[:min(len(from), mostExplained)]
	list = try(from, s.list, s.plan.name)
	if s.plan != m.p.any && best != nil {
		subject, nearest := bad, best
		for _, a := range try([]*node{best}, s.with(nil, m.p.any, nil), "") {
			if a.Action != s.plan.name && a.Action != validators.NextRule {
				list = append(list, a)
			}
		}
		bad, best = subject, nearest
	}
	return list, best, bad
}

// overlaid returns the frontier after a line that no step explains: the values that the
// line gives, and otherwise those before it.
func (m *machine) overlaid(from []*node, s *meaning) []*node {
	clear(m.index)
	m.frontier, m.made = nil, 0
	for _, n := range from[:min(len(from), mostExplained)] {
		st, err := m.p.spec.Overlaid(m.p.run, n.state, s.assignments)
		if err != nil || st == nil {
			st = &eval.State{Vals: append([]value.Value(nil), n.state.Vals...)}
		}
		if m.add(st, n) != nil {
			break
		}
	}
	for _, n := range m.frontier {
		for i := range m.p.spec.Invariants { // what is FALSE now, it is by the line
			if ok, err := m.p.spec.Invariants[i].HoldsAgain(m.p.run, n.state); err == nil && !ok {
				n.down |= 1 << i
			}
		}
		n.broke = nil
	}
	return m.frontier
}

// note notes which variables the line has changed, on the path that is shown.
func (m *machine) note(ev *trace.Event) {
	if len(m.frontier) == 0 || m.first().from == nil {
		return
	}
	n, at := m.first(), place{}
	for i, v := range n.state.Vals {
		if value.Same(v, n.from.state.Vals[i]) {
			continue
		}
		if at.line == 0 {
			if m.file != ev.Pos.File {
				m.file = strings.Clone(ev.Pos.File)
			}
			at = place{m.file, ev.Pos.Line, strings.Clone(ev.Raw)}
		}
		if list := m.wrote[i]; len(list) < mostWritings {
			m.wrote[i] = append(list, writing{at})
		} else {
			copy(list, list[1:])
			list[len(list)-1] = writing{at}
		}
	}
}

// history are the lines that changed the variables that the nearest action's clauses
// name.
func (m *machine) history(list []*eval.Attempt) []validators.Event {
	names := tracespec.Named(list, 1)
	var all []place
	for i, name := range m.p.spec.Variables {
		if names[name] {
			for _, w := range m.wrote[i] {
				all = append(all, w.at)
			}
		}
	}
	return eventsOf(all)
}

// bindings are the variables that the clauses name, or all.
func (m *machine) bindings(before *eval.State, after []value.Value, list []*eval.Attempt) []validators.Binding {
	names := tracespec.Named(list, nearestActions)
	var out []validators.Binding
	for i, name := range m.p.spec.Variables {
		if !names[name] && !m.b.opts.Full && len(list) > 0 {
			continue
		}
		b := validators.Binding{Name: name}
		if before != nil {
			b.Value = value.Show(before.Vals[i])
		}
		if i < len(after) && after[i] != nil {
			b.After = value.Show(after[i])
		}
		out = append(out, b)
	}
	return out
}

const nearestActions = 4

// Probe implements validators.Prober.
func (m *machine) Probe(step *trace.Step) (parts []validators.Part) {
	if m.p != nil && m.begun {
		_ = guarded(func() { parts = m.probe(step) }) // what cannot be evaluated has no parts
	}
	return parts
}

func (m *machine) probe(step *trace.Step) (parts []validators.Part) {
	for i := range step.Events {
		e, bad := m.p.json.text(step.Events[i].Raw, m.b.shapes.field(lineName))
		if bad != "" {
			continue
		}
		if is, err := m.isEvent(e); err != nil || !is {
			continue
		}
		s, err := m.meaning(e)
		if err != nil {
			continue
		}
		list, _, _ := m.attempts(m.frontier, s, true)
		parts = append(parts, partOf(s, i, list))
	}
	return parts
}

// partOf returns the part of a line, with the actions that were tried.
func partOf(s *meaning, line int, list []*eval.Attempt) validators.Part {
	return validators.Part{What: strings.TrimSpace(s.plan.name), Line: line, Whole: true, Attempts: tracespec.Attempts(list)}
}
