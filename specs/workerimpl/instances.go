package workerimpl

import (
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// `node`, the module's constant, is each node that container lines name, a
// worker: each is an instance, which must explain every step. Most steps touch
// few workers; to all the others they are the same, and the one named elsewhere
// stands for these.
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
	views = m.views[:0]
	of := worker
	if oneSuffices = m.s.workers() == 0; oneSuffices {
		of = candidate
	}
	for _, n := range m.touched {
		if m.s.role(n) == of {
			views = append(views, n)
		}
	}
	others := m.s.totals[of].nodes > len(views)
	if oneSuffices && (others || m.s.shown == 0 || m.attach) || !oneSuffices && others && !m.at(m.s.elsewhere).stutters() {
		views = append(views, m.s.elsewhere)
	}
	m.views = views
	return views, oneSuffices
}

// lay lays the blame for an explained step on the nodes that could not be the
// worker if that is what happened.
func (m *machine) lay(step *trace.Step) {
	if m.attach {
		return
	}
	var willing *node
	for _, n := range m.touched {
		if n.isWorker || !n.shown || m.blameOf(n) != nil {
			continue
		}
		ok, f := m.couldBe(step, n)
		if ok {
			willing = n
			continue
		}
		n.blame = m.newBlame(step, n, f)
		m.s.refresh(n)
	}
	// Where several tasks change at once, no other worker explains it; one
	// task's change is OtherComponent's.
	if len(m.tasks) < 2 {
		return
	}
	only := m.s.only
	if m.s.crowded != nil && (only == nil || only.mark == m.number || only.blame != nil) {
		return
	}
	if ok, _ := m.couldBe(step, m.s.elsewhere); ok {
		return
	}
	if m.s.crowded == nil {
		m.s.crowd(m.newBlame(step, m.s.elsewhere, nil), willing)
	} else {
		only.blame = m.newBlame(step, only, nil)
		m.s.refresh(only)
	}
}

// couldBe says that the instance of the node explains the step, or how the step
// breaks WSSpec for it.
func (m *machine) couldBe(step *trace.Step, n *node) (bool, *validators.Finding) {
	p := m.at(n)
	a, refines := p.explained()
	switch {
	case a != nil && refines && !(m.batched && m.remakes()):
		return true, nil
	case m.batched:
		b := m.searched()
		b.claims = false
		p, out := b.explain(n)
		return p != nil || out == model.Exhausted, nil
	case !refines:
		f := m.unrefined(step, p)
		return false, &f
	}
	return false, nil
}

// newBlame is of the finding; nil: no action explains the step for the node.
func (m *machine) newBlame(step *trace.Step, n *node, f *validators.Finding) *validators.Finding {
	if f == nil {
		p := m.at(n)
		line, what := p.subject()
		unexplained := validators.Unexplained(step, line, what, near.Nearest(p, nearestShown), m.changes())
		f = &unexplained
	}
	f.First, f.Last = step.First(), step.Last()
	return f
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
	if !m.attach {
		return false
	}
	veiled := func(id string) bool {
		u := m.s.find(id)
		return m.s.isVeiled(u) || explained && (u == nil || !u.hasCont || !u.hasTask) ||
			u != nil && (u.hasCont && u.cont.node != nil && !u.cont.node.shown || u.hasTask && u.task.node != nil && !u.task.node.shown)
	}
	is := false
	each(func(c *taskChange) { is = is || veiled(c.id) }, m.tasks)
	each(func(c *containerChange) { is = is || veiled(c.id) }, m.conts)
	return is
}
