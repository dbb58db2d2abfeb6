package bind

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Step implements validators.Machine.
func (m *objectMachine) Step(step *trace.Step) (found []validators.Finding, judged bool, err error) {
	m.actions = nil
	if err := m.fault; err != nil {
		m.fault = nil
		return nil, false, m.at(step, err)
	}
	if bad := guarded(func() { found, err = m.steps(step) }); bad != nil {
		err = bad
	}
	if err == nil && m.fault != nil {
		err, m.fault = m.fault, nil
	}
	if err != nil {
		return nil, false, m.at(step, err)
	}
	return found, true, nil
}

func (m *objectMachine) at(step *trace.Step, err error) error {
	last := &step.Events[len(step.Events)-1]
	return &trace.Error{Pos: last.Pos, Stream: strings.Clone(last.Stream), Reason: err.Error()}
}

func (m *objectMachine) steps(step *trace.Step) ([]validators.Finding, error) {
	if err := m.ready(); err != nil {
		return nil, err
	}
	w := m.world
	last := &step.Events[len(step.Events)-1]
	w.begin()
	moved := w.moveEnvironment(step)
	if moved {
		if err := w.renew(); err != nil {
			return nil, err
		}
	}
	wrong := ""
	for i := range step.Events {
		if bad := w.take(&step.Events[i]); wrong == "" {
			wrong = bad
		}
	}
	if changed := w.renewShown(); changed || moved || !m.begun {
		if err := m.prepare(moved); err != nil {
			return nil, err
		}
	}
	if err := w.renew(); err != nil {
		return nil, err
	}
	s, err := m.meaning(w.line)
	if err != nil {
		return nil, err
	}
	var found, more []validators.Finding
	s.claims, found = m.claimed(step)
	before := m.frontier
	if wrong != "" {
		f := validators.Finding{Kind: validators.OfTransition, Rule: validators.NextRule, Pos: last.Pos, Text: m.b.file.name, Message: wrong}
		more, err = m.unexplainedStep(last, before, s, f)
	} else {
		more, err = m.judge(last, s)
	}
	if err != nil {
		return nil, err
	}
	found = append(found, more...)
	more, err = m.rejected(step, before)
	return append(found, more...), err
}

// prepare makes the states before the step for all ids that its lines have: in the module
// they may have been there before, as the constants say. Moved: objects have come or gone
// without a step.
func (m *objectMachine) prepare(moved bool) error {
	w := m.world
	line := w.line
	w.line = w.byKind(slices.Repeat([]value.Value{value.Empty}, len(w.kinds)))
	defer func() { w.line = line }()
	if !m.begun {
		if err := m.start(); err != nil || !moved {
			return err
		}
	}
	return m.overlay(false)
}

// judge looks for the step from each state of the frontier.
func (m *objectMachine) judge(ev *trace.Event, s *meaning) ([]validators.Finding, error) {
	from := m.frontier
	search := m.batched
	if m.c.Steps != validators.Batched {
		search = func(from []*node, s *meaning) ([]*node, error) { return m.atomic(ev, from, s) }
	}
	claims := s.claims
	all, err := search(from, s)
	if err == nil && len(m.frontier) == 0 && len(claims) > 0 {
		s.claims = nil
		all, err = search(from, s)
	}
	if err != nil {
		return nil, err
	}
	if len(m.frontier) == 0 {
		if m.dropped {
			return nil, fmt.Errorf("no path explains the step that was looked at, but not all were: log more, or raise --max-states")
		}
		return m.unexplainedStep(ev, all, s, m.unexplained(ev, all, s))
	}
	m.lines++
	if m.c.Steps == validators.Batched {
		err = m.checkBatched(ev.Pos, ev.Raw)
	} else {
		err = m.checkAll(m.frontier, ev.Pos, ev.Raw)
	}
	if err != nil {
		return nil, err
	}
	m.actions = m.first().way()
	m.note(ev)
	found := m.verdict(ev)
	if len(s.claims) < len(claims) {
		found = append([]validators.Finding{m.unmet(ev, claims)}, found...)
	}
	return found, nil
}

// unexplainedStep returns the finding of a step that no action explains, and those of the
// rules that the state of the objects breaks after it.
func (m *objectMachine) unexplainedStep(ev *trace.Event, from []*node, s *meaning, f validators.Finding) ([]validators.Finding, error) {
	m.lines++
	m.frontier = m.overlaid(from, s)
	for i, n := range m.frontier {
		n.down = from[min(i, len(from)-1)].down
	}
	m.note(ev)
	if m.c.Steps != validators.Batched {
		for _, n := range m.frontier {
			if m.checkStep(n, ev.Pos, ev.Raw) != nil {
				n.broke = nil // the properties cannot be evaluated in the state
			}
		}
	}
	found := append([]validators.Finding{f}, m.verdict(ev)...)
	found = append(found, m.broken(ev.Pos)...)
	if len(m.p.spec.Invariants) > 0 && m.fault != nil { // the invariants cannot be evaluated in the state
		m.fault = nil
	}
	return found, nil
}

// atomic makes the frontier after a step that is one action, or that changes nothing. It
// returns the states in which the step was tried.
func (m *objectMachine) atomic(ev *trace.Event, from []*node, s *meaning) ([]*node, error) {
	m.made = 0
	from, err := m.silently(ev, from, s)
	if err != nil {
		return nil, err
	}
	list := s.list
	if len(s.claims) > 0 && len(m.p.silent) == 0 {
		list = s.with(nil, m.p.leading(s.claims[0].action), nil)
	}
	clear(m.index)
	m.frontier = nil
	for _, n := range from {
		if len(s.claims) == 0 {
			same, err := m.holds(n.state, s)
			if err != nil {
				return nil, err
			}
			if same {
				if err := m.add(n.state, n); err != nil {
					return nil, err
				}
			}
		}
		if err := m.successors(n, list, s.claims, func(st *eval.State) error { return m.add(st, n) }); err != nil {
			return nil, err
		}
	}
	return from, nil
}

// leading is the part of the next-state relation that leads to the action.
func (p *program) leading(action string) *plan {
	pl := p.through[action]
	if pl == nil {
		if len(p.through) > mostLeading { // names that no action has
			clear(p.through)
		}
		pl = &plan{conditions: p.spec.Through(action)}
		p.through[action] = pl
	}
	return pl
}

const mostLeading = 1000

// silently is the states with what silent steps lead to, nearest first.
func (m *objectMachine) silently(ev *trace.Event, from []*node, s *meaning) ([]*node, error) {
	if len(m.p.silent) == 0 {
		return from, nil
	}
	if err := m.restart(from); err != nil {
		return nil, err
	}
	clear(m.index) // a state that was there is another one where a silent step leads to it: the step may be claimed
	layer := m.frontier
	for range m.b.file.depth {
		known := len(m.frontier)
		for _, n := range layer {
			for _, silent := range m.p.silent {
				if len(silent.Args) > 0 { // an action by its name reads no line
					silent.Args = []value.Value{s.e}
				}
				if err := m.successors(n, []eval.Condition{silent}, nil, func(st *eval.State) error { return m.add(st, n) }); err != nil {
					return nil, err
				}
			}
		}
		var err error
		if layer, err = m.judged(known, ev.Pos, ev.Raw); err != nil {
			return nil, err
		}
	}
	return m.frontier, nil
}

// met reports whether the step that is being made from the state meets a claim, or a
// silent one before it.
func (m *objectMachine) met(name string, n *node) bool {
	for ; n != nil; n = n.from {
		if n.from != nil && n.by == name {
			return true
		}
	}
	return m.p.run.Takes(name)
}

// successors adds the states that a step leads to from one, of which all formulas are
// TRUE, and that take what the lines claim.
func (m *objectMachine) successors(n *node, list []eval.Condition, claims []claim, add func(*eval.State) error) error {
	var full error
	err := m.p.spec.Makes(m.p.run, n.state, list, "", nil, func(st *eval.State) bool {
		if slices.ContainsFunc(claims, func(c claim) bool { return !m.met(c.action, n) }) {
			return true
		}
		known := len(m.frontier)
		if full = add(st); full == nil && len(m.frontier) > known {
			to := m.frontier[known]
			to.by = m.p.run.Taken(m.p.names)
			if len(m.p.spec.Properties) > 0 {
				to.hints = m.p.run.Hints()
			}
		}
		return full == nil
	})
	if err == nil {
		err = full
	}
	return err
}

// way is the actions on the way to the state, in their order.
func (n *node) way() (list []string) {
	if n.acts != nil {
		return n.acts
	}
	for ; n.from != nil; n = n.from {
		if n.by != "" {
			list = append(list, n.by)
		}
	}
	slices.Reverse(list)
	return list
}
