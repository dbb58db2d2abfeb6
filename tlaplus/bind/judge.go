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

// step takes the step that a line tells, from each state of the frontier.
func (m *machine) step(ev *trace.Event, s *saying) ([]validators.Finding, error) {
	m.made = 0
	from, err := m.advance(m.frontier, false, 0, m.lines, s, ev.Pos, ev.Raw)
	if err != nil {
		return nil, err
	}
	if reached := m.frontier; len(m.reserve) > 0 && allBroken(reached) {
		if err := m.back(s, ev); err != nil {
			return nil, err
		}
		if len(m.frontier) == 0 {
			m.frontier = reached
		}
	}
	if len(m.frontier) == 0 && m.dropped {
		return nil, fmt.Errorf("no path explains the line that was looked at, but not all were: what the log tells leaves too much open; log more, or allow more with --max-states")
	}
	m.keep(ev)
	m.lines++
	if len(m.frontier) == 0 {
		found := []validators.Finding{m.unexplained(ev, from, s)}
		m.frontier = m.overlaid(from, s)
		m.note(ev)
		m.settle()
		return found, nil
	}
	m.action = m.frontier[0].by
	m.note(ev)
	return m.verdict(ev), nil
}

// advance makes the frontier after a line, whose number is given, and judges it. closed:
// the silent steps before the line have been taken. skip is how many successors of the
// first state are left out. It returns the states that the line
// was tried in.
func (m *machine) advance(from []*node, closed bool, skip, line int, s *saying, at trace.Pos, raw string) ([]*node, error) {
	if len(m.p.silent) > 0 && !closed {
		all, err := m.before(from)
		if err == nil {
			err = m.checkAll(all, at, raw)
		}
		if err != nil {
			return nil, err
		}
		from = all
	}
	if err := m.follow(from, skip, line, s); err != nil {
		return nil, err
	}
	return from, m.checkAll(m.frontier, at, raw)
}

// before is the states with what silent steps lead to.
func (m *machine) before(from []*node) ([]*node, error) {
	clear(m.index)
	m.frontier = nil
	for _, n := range from {
		if err := m.add(n.state, nil); err != nil {
			return nil, err
		}
		last := m.frontier[len(m.frontier)-1]
		last.down, last.broke = n.down, n.broke
	}
	first := 0
	for range m.b.file.depth {
		last := len(m.frontier)
		for _, n := range m.frontier[first:last:last] {
			for _, silent := range m.p.silent {
				var full error
				err := m.p.spec.Makes(m.p.run, n.state, []eval.Said{silent}, "", nil, func(st *eval.State) bool {
					full = m.add(st, n)
					return full == nil
				})
				if err == nil {
					err = full
				}
				if err != nil {
					return nil, err
				}
			}
		}
		if len(m.frontier) == last {
			break
		}
		first = last
	}
	return m.frontier, nil
}

// follow makes the frontier after the line. States for which it is too wide are kept
// for later.
func (m *machine) follow(from []*node, skip, line int, s *saying) error {
	clear(m.index)
	m.frontier = nil
	m.p.run.Level = line + 1
	hinted := len(m.p.spec.Properties) > 0
	work := m.p.run.Work
	for i, n := range from {
		var full error
		made, stopped := 0, false
		err := m.p.spec.Makes(m.p.run, n.state, s.list, "", nil, func(st *eval.State) bool {
			if s.plan.only != "" && !m.p.run.Takes(s.plan.only) {
				return true
			}
			if made++; i == 0 && made <= skip {
				return true
			}
			if stopped = m.wide(m.p.run.Work - work); stopped {
				return false
			}
			known := len(m.frontier)
			if full = m.add(st, n); full != nil {
				return false
			}
			if len(m.frontier) > known {
				to := m.frontier[known]
				if to.by = s.plan.name; to.by == "" {
					to.by = m.p.run.Taken(m.p.names)
				}
				if hinted {
					to.hints = m.p.run.Hints()
				}
			}
			return true
		})
		if err == nil {
			err = full
		}
		if err != nil {
			return err
		}
		if stopped {
			m.put(reserve{line: line, closed: true, skip: made - 1, nodes: from[i:]})
			break
		}
	}
	return nil
}

// checkAll judges the states that steps have led to. Of several paths to a state, one
// counts that breaks nothing.
func (m *machine) checkAll(list []*node, pos trace.Pos, raw string) error {
	at := place{}
	for _, n := range list {
		for k := -1; n.from != nil && k < len(n.also); k++ {
			if k >= 0 {
				n.from, n.broke, n.down, n.hints = n.also[k], n.also[k].broke, 0, nil
			}
			if n.broke == nil {
				if at.line == 0 && (len(m.p.spec.Invariants) > 0 || len(m.p.spec.Properties) > 0) {
					at = place{strings.Clone(pos.File), pos.Line, strings.Clone(raw)}
				}
				if err := m.check(n, at); err != nil {
					return err
				}
			}
			if n.broke == nil {
				break
			}
		}
	}
	return nil
}

// check judges a state by the invariants, and the step to it by the properties.
func (m *machine) check(n *node, at place) error {
	r, from := m.p.run, n.from
	breaks := func(kind validators.ViolationKind, p *eval.Predicate, name string, step bool) {
		if n.broke == nil {
			n.broke = &breach{kind: kind, rule: name, text: p.Place(), at: at}
			m.explainBreach(n, p, step)
		}
	}
	for i := range m.p.spec.Invariants {
		p := &m.p.spec.Invariants[i]
		bit := uint64(1) << i
		if from != nil && !p.Depends(r, from.state, n.state) {
			n.down |= from.down & bit
			continue
		}
		ok, err := p.HoldsAgain(r, n.state)
		if err != nil {
			return err
		}
		if !ok {
			n.down |= bit
			if from == nil || from.down&bit == 0 {
				breaks(validators.OfInvariant, p, p.Name, false)
			}
		}
	}
	for _, prop := range m.p.spec.Properties {
		list := prop.Steps
		if from == nil {
			list = prop.Initial
		}
		for i := range list {
			var ok bool
			var err error
			if from != nil {
				ok, err = list[i].Explains(r, from.state, n.state, n.hints)
			} else {
				ok, err = list[i].Holds(r, n.state, nil)
			}
			if err != nil {
				return err
			}
			if !ok {
				breaks(validators.OfProperty, &list[i], prop.Name, from != nil)
			}
		}
	}
	return nil
}

// explainBreach says which clause of the rule is FALSE.
func (m *machine) explainBreach(n *node, p *eval.Predicate, step bool) {
	why := &eval.Why{}
	var err error
	if step {
		err = p.Refuses(m.p.run, n.from.state, n.state, why)
	} else {
		err = p.Fails(m.p.run, n.state, why)
	}
	list := why.Attempts()
	text := failing(list, ": not ")
	if err != nil {
		text += "; the explanation ends with an error: " + err.Error()
	}
	var before *eval.State
	if n.from != nil {
		before = n.from.state
	}
	n.broke.why = reason{tracespec.Near(list, n.broke.at.raw), m.bindings(before, n.state.Vals, list), m.history(list), text}
}

// verdict is what all paths break, once there is none that breaks nothing: of the path
// that broke nothing for longest.
func (m *machine) verdict(ev *trace.Event) []validators.Finding {
	if !allBroken(m.frontier) {
		m.settle()
		return nil
	}
	b := m.frontier[0].broke
	for _, n := range m.frontier {
		if n.broke.at.line > b.at.line {
			b = n.broke
		}
	}
	f := validators.Finding{Kind: b.kind, Rule: b.rule, Pos: ev.Pos, Text: b.text, State: b.why.State, Nearest: b.why.Nearest, History: b.why.History}
	what := "the step of this line breaks"
	if b.at.line == 0 {
		what = "the initial state breaks"
	} else if b.at.file != ev.Pos.File || b.at.line != ev.Pos.Line {
		f.Pos = trace.Pos{File: b.at.file, Line: b.at.line}
		f.First, f.Last = f.Pos, f.Pos
	}
	f.Message = fmt.Sprintf("%s %s of %s%s", what, b.rule, m.p.spec.Root, b.why.Text)
	for _, n := range m.frontier {
		n.broke = nil
	}
	m.settle()
	return []validators.Finding{f}
}

// settle lets go of what only the line at hand needs.
func (m *machine) settle() {
	for _, n := range m.frontier {
		n.from, n.also, n.hints = nil, nil, nil
	}
}

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
func (m *machine) unexplained(ev *trace.Event, from []*node, s *saying) validators.Finding {
	f := validators.Finding{Kind: validators.OfTransition, Rule: validators.NextRule, Pos: ev.Pos}
	list, best, bad := m.attempts(from, s, false)
	f.Nearest = tracespec.Near(list, "")
	told := "the line"
	if s.plan.name != "" {
		told = s.plan.name + ", which the line tells"
	}
	f.Message = fmt.Sprintf("no step of %s explains %s", m.p.spec.Root, told)
	if len(from) > 1 {
		f.Message += fmt.Sprintf(", in any of the %d states that the lines before it lead to", len(from))
	}
	if len(list) > 0 {
		f.Text = list[0].Failed.Place
		f.Message += ". Nearest is " + list[0].Action + failing(list, ", but not: ")
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

// attempts are how far the action that a line tells comes, then others; best is the
// state in which the nearest was tried.
func (m *machine) attempts(from []*node, s *saying, full bool) (list []*eval.Attempt, best *node, bad error) {
	m.p.run.Work = 0
	try := func(from []*node, said []eval.Said, name string) []*eval.Attempt {
		why := &eval.Why{Full: full}
		says, held := -1, -1
		for _, n := range from {
			if err := m.p.spec.Makes(m.p.run, n.state, said, name, why, func(*eval.State) bool { return true }); err != nil {
				bad = err
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
		told, nearest := bad, best
		for _, a := range try([]*node{best}, s.with(m.p.any, nil), "") {
			if a.Action != s.plan.name && a.Action != validators.NextRule {
				list = append(list, a)
			}
		}
		bad, best = told, nearest
	}
	return list, best, bad
}

// overlaid is what the frontier is after a line that no step explains: what the line
// gives, and else what it was.
func (m *machine) overlaid(from []*node, s *saying) []*node {
	clear(m.index)
	m.frontier, m.made = nil, 0
	for _, n := range from[:min(len(from), mostExplained)] {
		st, err := m.p.spec.Overlaid(m.p.run, n.state, s.gives)
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

// note notes which variables the line has changed, on the first path.
func (m *machine) note(ev *trace.Event) {
	if len(m.frontier) == 0 || m.frontier[0].from == nil {
		return
	}
	n, at := m.frontier[0], place{}
	for i, v := range n.state.Vals {
		if value.Same(v, n.from.state.Vals[i]) {
			continue
		}
		if at.line == 0 {
			at = placeOf(ev)
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
		s, err := m.said(e)
		if err != nil {
			continue
		}
		list, _, _ := m.attempts(m.frontier, s, true)
		parts = append(parts, validators.Part{What: strings.TrimSpace(s.plan.name), Line: i, Whole: true, Attempts: tracespec.Attempts(list)})
	}
	return parts
}
