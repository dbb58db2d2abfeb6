package swarmkit

import (
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Some steps are justified by what the trace shows only later. They are taken on
// credit: where the justification does not come, they are reported after all, at
// their own lines.

// credit is a step that waits for its justification.
type credit struct {
	node            *node // a line about it is to come, of the same batch; nil: a change of leader is to come
	since           moment
	first, last, at trace.Pos
	text            string
}

// electionSteps is how many transactions a new leader may commit before it marks
// the nodes unknown.
const electionSteps = 10

// mayHaveElected says that a new leader may have begun, whose nodes are not
// marked yet: after a silence, in which it was elected, or after its first entry
// in the log, which is not recorded.
func (h *history) mayHaveElected() bool {
	return h.mayFollow(h.leader.silence) || h.mayFollow(h.leader.missed)
}

// mayBeElected is mayHaveElected where the trace shows both the silence and the entry.
func (h *history) mayBeElected() bool {
	return h.mayFollow(h.leader.silence) && h.mayFollow(h.leader.missed)
}

// mayFollow says that the step is among a leader's first ones, if that began at the other.
func (h *history) mayFollow(step int64) bool { return step != 0 && h.now.step-step < electionSteps }

// owe takes the part on credit, if that is what its rule went by.
func (e *explainer) owe(a *action, p *pair) {
	var on *node
	switch {
	case a == &undoneWrite.Action:
	case a == &enforcerReject.Action && !p.isEnforced():
	case (a == &release.Action || a == &jobRelease.Action) && !p.isReleasedBySelf() && !p.leaderChanged():
	case e.w.cut && p.node != nil && !p.node.up && !e.comesUp(p.node) && slices.Contains(agentRules, a):
		on = p.node
	default:
		return
	}
	what := p.t.subject()
	why := "no change of leader came"
	if on != nil {
		why = fmt.Sprintf("no line about node %s came in the same batch", on.id)
	}
	step := e.w.step
	e.w.owed = append(e.w.owed, credit{
		node: on, since: e.w.history.now, first: step.First(), last: step.Last(), at: step.Events[what.line].Pos,
		text: fmt.Sprintf("nothing that a Docker swarm does explains this step: %s. It was taken on credit, but %s", what.what, why),
	})
}

// comesUp says that the step itself has the node's line.
func (e *explainer) comesUp(n *node) bool {
	return slices.ContainsFunc(e.m.nodes, func(c nodeChange) bool { return c.id == n.id })
}

// settle adds the credits of the step, drops those that it justifies, and reports
// those whose time is over.
func (m *machine) settle(found []validators.Finding) []validators.Finding {
	if !m.s.moby {
		return found
	}
	h := m.history
	if len(found) == 0 {
		h.credits = append(h.credits, m.whole.owed...)
	}
	if len(h.credits) == 0 {
		return found
	}
	ends := m.endsBatch()
	kept := h.credits[:0]
	for _, d := range h.credits {
		var paid, over bool
		if d.node != nil {
			paid = d.node.docker.changed.step >= d.since.step || !d.node.exists
			over = ends && h.now.step > d.since.step || h.now.step-d.since.step > fewSteps
		} else {
			paid = h.leader.marked.step >= d.since.step
			over = !h.now.lately(d.since, reactFor)
		}
		switch {
		case paid:
		case !over:
			kept = append(kept, d)
		case !validators.HasRule(found, validators.NextRule):
			found = append(found, validators.Finding{
				Kind: validators.OfTransition, Rule: validators.NextRule, Pos: d.at, First: d.first, Last: d.last, Message: d.text})
		}
	}
	clear(h.credits[len(kept):])
	h.credits = kept
	return found
}

// endsBatch says that the step is the last transaction of a batch of agents'
// reports.
func (m *machine) endsBatch() bool {
	return !m.whole.cut && slices.ContainsFunc(m.plan, func(p planned) bool { return slices.Contains(agentRules, p.action) })
}

// credit writes one down, or makes it again.
func (p *persister) credit(d *credit) {
	about := d.node != nil
	if codec.Bool(p.Codec, &about); about {
		p.s.codeNode(p.Codec, &d.node)
	}
	p.moment(&d.since)
	d.first.Code(p.Codec)
	d.last.Code(p.Codec)
	d.at.Code(p.Codec)
	codec.String(p.Codec, &d.text)
}
