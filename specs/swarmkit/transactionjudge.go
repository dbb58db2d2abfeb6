package swarmkit

import (
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// judgeTransaction finds for each object that the step changes the one rule
// that explains it.
func (m *machine) judgeTransaction(step *trace.Step, found []validators.Finding) []validators.Finding {
	e := explainer{m: m, w: &m.whole, ways: stateWays()}
	switch ok := e.explain(); {
	case !ok:
		return append(found, m.unexplained(step, "nothing that a Docker swarm does", e.why))
	case !m.batched && e.parts > 1:
		return append(found, m.unexplained(step, "no action by itself", trouble{subject: m.subject()}))
	}
	n := 0
	for i := range m.plan {
		p := &m.plan[i]
		n += b2i(!p.also)
		if i+1 == len(m.plan) || m.plan[i+1].action != p.action {
			m.uses.Add(p.action.Name, n)
			n = 0
		}
	}
	return append(found, m.plannedClaims(step)...)
}

// explainer divides a transaction into parts. One action or allowance explains each part.
type explainer struct {
	m     *machine
	w     *transaction
	ways  *perStatus[[Orphaned + 1]way]
	parts int // the number of explained parts
	why   trouble
	tried *[]validators.Part // lists the parts with all attempts, unless nil
}

// explain finds a rule for each part, or notes why there is none.
func (e *explainer) explain() bool {
	m := e.m
	e.w.history = m.history
	m.part.s, m.part.whole = m.s, e.w
	tasks := m.tasks
	if e.w.history.log.repeats {
		e.undo()
	}
	e.w.gather(&m.pair)
	ok := e.nodes() && e.services() && e.tasks() && e.removed()
	m.tasks = tasks
	return ok
}

// part returns the pair in which only some tasks change.
func (e *explainer) part(tasks []taskChange, slot *slotStep) *pair {
	p := &e.m.part
	p.tasks, p.services, p.nodes, p.slot = tasks, nil, nil, slot
	p.created, p.t, p.node = nil, nil, nil
	return p
}

// try reports whether one of the rules explains the part.
func (e *explainer) try(p *pair, rules relation) bool {
	if e.m.cover != nil {
		rules.Cover(p, e.m.cover)
	}
	e.w.byView, e.w.view = nil, nil
	a := e.take(p, rules)
	if a == nil {
		return false
	}
	e.owe(a, p)
	if e.w.byView != nil {
		e.explained(e.w.byView, p)
	}
	return true
}

// take returns the rule that explains the part, or nil.
func (e *explainer) take(p *pair, rules relation) *action {
	a := rules.Match(p)
	if a == nil {
		return nil
	}
	if e.tried != nil {
		e.note(p.object(), p, rules)
	}
	e.m.note(a, p)
	e.explained(a, p)
	e.parts++
	return a
}

// explained notes that the action makes all changes of the part.
func (e *explainer) explained(a *action, p *pair) {
	first := len(e.m.plan)
	add := func(kind trace.Kind, id string) {
		e.m.plan = append(e.m.plan, planned{a, objectKey{kind, id}, len(e.m.plan) > first})
	}
	for i := range p.services {
		add(kindService, p.services[i].id)
	}
	for i := range p.nodes {
		add(kindNode, p.nodes[i].id)
	}
	for i := range p.tasks {
		add(kindTask, p.tasks[i].id)
	}
}

// fail notes that no rule explains the part, and the nearest rules.
func (e *explainer) fail(what subject, p *pair, rules relation) bool {
	e.why = trouble{what, rules.Nearest(p, nearestShown)}
	if e.tried != nil {
		e.note(what, p, rules)
	}
	return false
}

// note lists the part with the attempts of the rules.
func (e *explainer) note(what subject, p *pair, rules relation) {
	*e.tried = append(*e.tried, validators.Part{What: what.what, Line: what.line, Attempts: rules.Attempts(p)})
}

// must is try, and notes a failure.
func (e *explainer) must(p *pair, rules relation) bool {
	return e.try(p, rules) || e.fail(p.object(), p, rules)
}

// object returns the object of the part: a service first.
func (p *pair) object() subject {
	if len(p.services) > 0 {
		return p.services[0].subject()
	}
	return p.subject()
}

// plannedClaims reports the first claim that no action of its object meets.
func (m *machine) plannedClaims(step *trace.Step) []validators.Finding {
	ev, by := m.unplanned(step)
	if ev == nil {
		return nil
	}
	claims := []*trace.Event{ev}
	_, unmet := model.Meet(m.says(), claims, by)
	return m.says().Refuted(claims, unmet, against(by), m.changes)
}
