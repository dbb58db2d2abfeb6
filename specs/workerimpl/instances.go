package workerimpl

import (
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// `node`, the module's constant, is each node that container lines name, a worker: each is an
// instance, which must explain every step. Most steps touch few workers; to all the others
// they are the same, and the one named elsewhere represents these.
//
// An instance is judged from the stream's beginning, though its first container
// line comes later: its containers are none until then. So the first step that
// a node which is no worker yet could not explain is kept, as its blame, and
// reported where it is named. As long as no node is named, some node must be
// able to be the worker: a step is explained if it is for one of the candidates,
// the nodes without blame.

// hiring is that a container line names a node that was no worker yet.
type hiring struct {
	*node
	line int // the event, an index into the step
}

// late is the findings of earlier steps: those that nodes could not explain
// which this step makes workers.
func (m *machine) late(step *trace.Step) []validators.Finding {
	var found []validators.Finding
	for _, n := range m.hired {
		b := m.blameOf(n.node)
		if b == nil || slices.ContainsFunc(found, func(f validators.Finding) bool { return f.Rule == b.Rule && f.First == b.First }) {
			continue
		}
		f := *b
		f.Message = fmt.Sprintf("%s is a worker, as the container of %s shows, and could not explain this step: %s", n.id, step.Events[n.line].Pos, f.Message)
		found = append(found, f)
	}
	return found
}

// listViews lists the instances that judge the step: the workers that it touches
// and, if there are others, elsewhere. As long as there is no worker, the
// candidates are, of which one suffices. Where no node is shown at all, one will be.
func (m *machine) listViews() (views []*node, oneSuffices bool) {
	views, oneSuffices = m.views[:0], m.s.workers() == 0
	of := worker
	if oneSuffices {
		of = candidate
	}
	for _, n := range m.touched {
		if m.s.role(n) == of {
			views = append(views, n)
		}
	}
	others := m.s.totals[of].nodes > len(views)
	switch {
	case oneSuffices:
		others = others || m.s.shown == 0 || m.s.attach
	case others:
		others = !m.at(m.s.elsewhere).same(tasks | nodes | containers)
	}
	if others {
		views = append(views, m.s.elsewhere)
	}
	m.views = views
	return views, oneSuffices
}

// lay lays the blame for an explained step on the nodes that could not be the
// worker if that is what happened.
func (m *machine) lay(step *trace.Step) {
	if m.s.attach {
		return
	}
	var willing *node
	for _, n := range m.touched {
		if n.isWorker || !n.shown || m.blameOf(n) != nil {
			continue
		}
		if n.blame = m.blameFor(step, n); n.blame == nil {
			willing = n
			continue
		}
		m.s.refresh(n)
	}
	// Where several tasks change at once, no other worker explains it; one
	// task's change is OtherComponent's.
	if len(m.tasks) < 2 {
		return
	}
	if m.s.crowded == nil {
		if b := m.blameFor(step, m.s.elsewhere); b != nil {
			m.s.crowd(b, willing)
		}
	} else if only := m.s.only; only != nil && only.mark != m.number && only.blame == nil {
		only.blame = m.blameFor(step, only)
		m.s.refresh(only)
	}
}

// blameFor is what of the step the instance of the node cannot explain, or how the step
// breaks WSSpec for it; nil if it explains the step.
func (m *machine) blameFor(step *trace.Step, n *node) *validators.Finding {
	a, refines := m.at(n).explained()
	explains := a != nil && refines && !(m.batched && m.remakes())
	if m.batched && !explains {
		b := m.searched()
		b.claims = false
		p, out := b.explain(n)
		explains = p != nil || out == model.Exhausted
	}
	if explains {
		return nil
	}
	var f validators.Finding
	if p := m.at(n); refines || m.batched {
		line, what := p.subject()
		f = validators.Unexplained(step, line, what, near.Nearest(p, nearestShown), m.changes())
	} else {
		f = m.unrefined(step, p)
	}
	f.First, f.Last = step.First(), step.Last()
	return &f
}

// blameOf is the first blame of a node that is no worker, nil if it has none.
func (m *machine) blameOf(n *node) *validators.Finding {
	if n.blame == nil && m.s.only != n {
		return m.s.crowded
	}
	return n.blame
}

// isVeiled says that the step changes something on which what the stream has
// not shown may bear: so that it is explained or, where it is, as it claims.
func (m *machine) isVeiled(explained bool) bool {
	if !m.s.attach {
		return false
	}
	veiled := func(u *unit) bool {
		return m.s.isVeiled(u) || explained && (!u.hasCont || !u.hasTask) ||
			u.hasCont && u.cont.node != nil && !u.cont.node.shown || u.hasTask && u.task.node != nil && !u.task.node.shown
	}
	return slices.ContainsFunc(m.tasks, func(c taskChange) bool { return veiled(c.unit) }) ||
		slices.ContainsFunc(m.conts, func(c containerChange) bool { return veiled(c.unit) })
}
