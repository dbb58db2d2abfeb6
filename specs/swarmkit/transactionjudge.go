package swarmkit

import (
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
)

// judgeTransaction finds for each object that the step changes the one rule
// that explains it.
func (m *machine) judgeTransaction(step *trace.Step, found []validators.Finding) []validators.Finding {
	e := explainer{m: m, w: &m.whole}
	switch ok := e.explain(); {
	case !ok:
		return append(found, m.unexplained(step, "nothing that a Docker swarm does", e.why))
	case !m.batched && e.parts > 1:
		return append(found, m.unexplained(step, "no action by itself", trouble{subject: m.subject()}))
	}
	for i := range m.plan {
		if p := &m.plan[i]; !p.also {
			m.uses.Add(p.action.Name, 1)
		}
	}
	return append(found, m.plannedClaims(step)...)
}

// explainer takes a transaction apart: each part is a pair of its own, and takes
// one action.
type explainer struct {
	m     *machine
	w     *transaction
	parts int // explained so far
	why   trouble
	told  *[]validators.Part // where all that was tried is noted; nil: nowhere
}

// explain finds a rule for each part, or notes why there is none.
func (e *explainer) explain() bool {
	m := e.m
	e.w.history, e.w.attach = m.chronicle, m.attach
	e.w.reset()
	m.part.s, m.part.whole = m.s, e.w
	tasks := m.tasks
	if e.w.history.again {
		e.undo()
	}
	e.w.gather(&m.pair)
	ok := e.nodes() && e.services() && e.tasks() && e.removed()
	m.tasks = tasks
	return ok
}

// tell notes how the rules fare with the part at hand.
func (e *explainer) tell(what subject, rules relation) {
	*e.told = append(*e.told, validators.Part{What: what.what, Line: what.line, Attempts: rules.Attempts(&e.m.part)})
}

// try explains the tasks, if some rule does.
func (e *explainer) try(tasks []taskChange, slot *slotStep, rules relation) bool {
	if e.m.cover != nil {
		e.cover(rules, e.part(tasks, slot))
	}
	p := e.part(tasks, slot)
	e.w.byView = nil
	a := rules.Match(p)
	if a == nil {
		return false
	}
	if e.told != nil {
		e.tell(tasks[0].subject(), rules)
	}
	e.m.note(a, p)
	e.owe(a, p)
	for i := range tasks {
		e.m.plan = append(e.m.plan, planned{a, tasks[i].id, i > 0})
	}
	if e.w.byView != nil {
		for i := range tasks {
			e.m.plan = append(e.m.plan, planned{e.w.byView, tasks[i].id, i > 0})
		}
	}
	e.parts++
	return true
}

// part is the pair of which some tasks are all that changes.
func (e *explainer) part(tasks []taskChange, slot *slotStep) *pair {
	p := &e.m.part
	p.tasks, p.services, p.nodes, p.slot = tasks, nil, nil, slot
	p.created, p.t, p.node = nil, nil, nil
	return p
}

// fail notes what no rule explains.
func (e *explainer) fail(tasks []taskChange, slot *slotStep, rules relation) bool {
	e.why = trouble{tasks[0].subject(), rules.Nearest(e.part(tasks, slot), nearestShown)}
	if e.told != nil {
		e.tell(tasks[0].subject(), rules)
	}
	return false
}

func (e *explainer) explained(a *action, id string) {
	e.beside(a, id)
	e.parts++
}

// beside is as explained, of what the environment does beside any action.
func (e *explainer) beside(a *action, id string) {
	e.m.plan = append(e.m.plan, planned{action: a, id: id})
}

// plannedClaims reports the first claim that no action of its object meets.
func (m *machine) plannedClaims(step *trace.Step) []validators.Finding {
	var by map[string][]*action
	for i := range step.Events {
		ev := &step.Events[i]
		if !claimed(ev) || m.hasUnknownName(ev) {
			continue
		}
		if by == nil {
			by = m.actionsByID()
		}
		if !slices.ContainsFunc(by[ev.ID], func(a *action) bool { return meets(a, ev) }) {
			return m.unmet([]*trace.Event{ev}, by[ev.ID])
		}
	}
	return nil
}

// actionsByID are the plan's, by the objects that they change.
func (m *machine) actionsByID() map[string][]*action {
	by := map[string][]*action{}
	for i := range m.plan {
		p := &m.plan[i]
		by[p.id] = append(by[p.id], p.action)
	}
	return by
}
