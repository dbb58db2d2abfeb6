package swarmkit

import (
	"fmt"
	"slices"
	"time"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Only a later step justifies some steps. They are accepted provisionally. If the
// justification does not come, they are reported at their own lines.

// credit is a step that was accepted provisionally.
type credit struct {
	node            *node    // a line about it must follow in the same batch
	service         *service // it must get its slots again; neither: a change of leader must follow
	since           moment
	within          time.Duration // so long after
	first, last, at trace.Pos
	text            string
}

// electionSteps is how many transactions a new leader may commit before it marks the
// nodes unknown.
const electionSteps = 10

// mayHaveElected reports whether a new leader may have begun and not marked the nodes yet.
// An election is a silence. The leader's first log entry is not recorded.
func (h *history) mayHaveElected() bool {
	return h.mayFollow(h.leader.silence) || h.mayFollow(h.leader.missed)
}

// mayBeElected reports whether the trace shows both the silence and the missing entry.
func (h *history) mayBeElected() bool {
	return h.mayFollow(h.leader.silence) && h.mayFollow(h.leader.missed)
}

// mayFollow reports whether this step is among the first of a leader that began at the given one.
func (h *history) mayFollow(step int64) bool { return step != 0 && h.now.step-step < electionSteps }

// owe notes the part as provisional, if its rule relied on a later step.
func (e *explainer) owe(a *action, p *pair) {
	var on *node
	var of *service
	within := reactFor
	why := "no change of leader followed"
	switch {
	case a == &undoneWrite.Action:
	case a == &enforcerReject.Action && !p.isEnforced():
	case (a == &release.Action || a == &jobRelease.Action) && !p.isReleasedBySelf() && !p.leaderChanged():
	case e.w.cut && p.node != nil && !p.node.up && !e.comesUp(p.node) && slices.Contains(agentRules, a):
		on = p.node
		why = fmt.Sprintf("no line about node %s followed in the same batch", on.id)
	case slices.Contains(taskRules[marksRemove].slot, a) && p.mayBeRefilled():
		of = p.sid
		switch v := e.w.view; {
		case v == nil || int64(p.service().after.updatable()) < v.value.replicas:
			within = staleFor // no line shows the version
		case !e.w.history.now.lately(v.until, staleFor):
			within = lateBy // it comes to the version in force as late
		}
		why = fmt.Sprintf("service %s did not get its slots again", of.id)
	default:
		return
	}
	what, step := p.subject(), e.w.step
	e.w.owed = append(e.w.owed, credit{
		node: on, service: of, within: within, since: e.w.history.now, first: step.First(), last: step.Last(), at: step.Events[what.line].Pos,
		text: fmt.Sprintf("nothing that a Docker swarm does explains this step: %s. It was accepted provisionally, but %s", what.what, why),
	})
}

// mayBeRefilled reports whether the removal is only legal by an older version of the service. The
// orchestrator then comes to the version in force, and creates as many slots again.
func (p *pair) mayBeRefilled() bool {
	return p.removes() && p.sid.exists && p.sid.docker.mode == replicatedMode && !p.unseen() && int64(p.service().after.updatable()) < p.sid.replicas
}

// comesUp reports whether the step has the node's line.
func (e *explainer) comesUp(n *node) bool {
	return slices.ContainsFunc(e.m.nodes, func(c nodeChange) bool { return c.id == n.id })
}

// settle adds the credits of the step. It drops those that the step justifies, and reports
// those that are too old.
func (m *machine) settle(found []validators.Finding) []validators.Finding {
	h := m.history
	if len(found) == 0 {
		h.credits = append(h.credits, m.whole.owed...)
	}
	if len(h.credits) == 0 {
		return found
	}
	ends := m.endsBatch()
	h.credits = slices.DeleteFunc(h.credits, func(d credit) bool {
		paid, over := h.leader.marked.step >= d.since.step, !h.now.lately(d.since, d.within)
		if d.node != nil {
			paid = d.node.docker.changed.step >= d.since.step || !d.node.exists
			over = ends && h.now.step > d.since.step || h.now.step-d.since.step > fewSteps
		}
		if sv := d.service; sv != nil {
			paid = paid || !sv.exists || sv.replicas <= int64(sv.dockerSlots.updatable())
			over = over && !h.mayHaveElected()
		}
		if over && !paid && !validators.HasRule(found, validators.NextRule) {
			found = append(found, validators.Finding{
				Kind: validators.OfTransition, Rule: validators.NextRule, Pos: d.at, First: d.first, Last: d.last, Message: d.text})
		}
		return paid || over
	})
	return found
}

// endsBatch reports whether the step is the last transaction of a batch of agents' reports.
func (m *machine) endsBatch() bool {
	return !m.whole.cut && slices.ContainsFunc(m.plan, func(p planned) bool { return slices.Contains(agentRules, p.action) })
}

// credit saves a credit, or restores it.
func (p *persister) credit(d *credit) {
	about := d.node != nil
	if codec.Bool(p.Codec, &about); about {
		p.s.codeNode(p.Codec, &d.node)
	}
	of := d.service != nil
	if codec.Bool(p.Codec, &of); of {
		p.serviceOf(&d.service)
	}
	p.moment(&d.since)
	codec.Int(p.Codec, &d.within)
	d.first.Code(p.Codec)
	d.last.Code(p.Codec)
	d.at.Code(p.Codec)
	codec.String(p.Codec, &d.text)
}
