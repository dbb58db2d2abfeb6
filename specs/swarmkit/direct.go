package swarmkit

import "tracecheck/trace"

// Most batched steps are plain: each task goes its way by itself, whatever the
// others do. So the tasks are first taken one after the other, in the order of
// their lines, each by the actions that lead straight to what the step makes of
// it. Where that comes to an end it explains the step, at the price of as many
// atomic steps; where it does not, nothing is known, and the search decides.

// direct tries that. It leaves the state as the step makes it, or untouched.
func (m *machine) direct(ts *trace.Step) bool {
	if len(m.services)+len(m.nodes) > 0 || !m.isPlain() {
		return false
	}
	left := m.budget
	for i := range m.tasks {
		if !m.lead(&m.tasks[i], &left) {
			m.retrace(i)
			return false
		}
	}
	if ev, _ := m.unplanned(ts); ev != nil {
		m.retrace(len(m.tasks) - 1)
		return false
	}
	return true
}

// isPlain says that every value is within its type, and nothing is recreated.
func (m *machine) isPlain() bool {
	for i := range m.tasks {
		if c := &m.tasks[i]; c.remade || c.old.bad|c.old.unseen|c.new.bad|c.new.unseen != 0 {
			return false
		}
	}
	return true
}

// lead takes the actions that lead the task to what the step makes of it.
func (m *machine) lead(c *taskChange, left *int) bool {
	p := &m.way
	p.s = m.s
	now, here := c.old, c.was
	for {
		p.tasks = append(p.tasks[:0], taskChange{id: c.id, record: c.record, old: now, new: c.new, span: span{was: here, is: c.is, line: c.line}})
		next, is := c.new, c.is
		a := m.permittedStep(p, left)
		if a == nil {
			if next, is = onward(now, here, c), true; here && next == now || !c.is {
				return false
			}
			p.tasks[0].new, p.tasks[0].is = next, is
			if a = m.permittedStep(p, left); a == nil {
				return false
			}
		}
		switch {
		case !is:
			m.s.dropTask(c.id)
		case c.record != nil:
			m.s.setTask(c.record, &next)
		default:
			m.s.putTask(c.id, next)
		}
		m.plan = append(m.plan, planned{action: a, objectKey: objectKey{kindTask, c.id}})
		if is == c.is && next == c.new {
			return true
		}
		now, here = next, is
	}
}

// permittedStep is the action that explains the pair and by which
// StepTransitionsOK holds; nil if there is none, or nothing left to try.
func (m *machine) permittedStep(p *pair, left *int) *action {
	if *left--; *left < 0 {
		return nil
	}
	a := p.match()
	if a != nil && m.notPermitted(p, a) != nil {
		return nil
	}
	return a
}

// onward is the next value on the way to that of the step: along the agent's
// chain and what comes before it, one state at a time.
func onward(now taskValue, here bool, c *taskChange) taskValue {
	if !here {
		return newTask(c.new.service, c.new.vslot(), c.new.desired)
	}
	for _, w := range ways()[now.state][now.desired] {
		if w.state.Runnable() && w.state != now.state {
			return w.of(now, c.new.node)
		}
	}
	return now
}

// retrace makes the tasks up to the given one what they were.
func (m *machine) retrace(last int) {
	for i := last; i >= 0; i-- {
		c := &m.tasks[i]
		if m.s.tasks.Get(c.id) != nil {
			m.s.dropTask(c.id)
		}
		if c.was {
			m.s.putTask(c.id, c.old)
		}
	}
	m.plan = m.plan[:0]
}
