package converge

import (
	"cmp"
	"fmt"
	"slices"
)

// replicas checks a replicated service: each slot needs one running task or, for a job, one
// running or complete task.
func (p *painter) replicas(places []vslot) {
	p.picture.wanted = int(p.service.replicas)
	slots := 0
	var resting []vslot
	for _, at := range places {
		switch {
		case p.service.isJob() && p.completed(at):
			p.picture.running++
			slots++
		case p.wantedTasks(at):
			slots++
		case p.rests(at):
			resting = append(resting, at)
		}
	}
	p.short(p.picture.wanted-slots, resting, "slot")
	if n := slots - p.picture.wanted; n > 0 && !p.service.isJob() {
		p.open(Waiting{Action: "RequestRemoval", Why: fmt.Sprintf("%s more than the %d asked for", count(n, "slot"), p.picture.wanted)}, "surplus")
	}
}

// everyNode checks a global service or job: each fitting node needs one task.
func (p *painter) everyNode(places []vslot) {
	met := map[string]bool{}
	for _, at := range places {
		if p.service.isJob() && p.completed(at) {
			p.picture.running++
			p.picture.wanted++
			met[at.node] = true
			continue
		}
		if p.wantedTasks(at) {
			p.picture.wanted++
			met[at.node] = true
		}
	}
	var nodes []string
	fitting := 0
	for id, n := range p.store.nodes {
		if fitOf(p.service, id, n) != fits {
			continue
		}
		fitting++
		if !met[id] {
			nodes = append(nodes, id)
		}
	}
	slices.Sort(nodes)
	for _, id := range nodes {
		p.picture.wanted++
		var resting []vslot
		if at := (vslot{node: id}); p.rests(at) {
			resting = append(resting, at)
		}
		if len(resting) == 0 {
			p.open(Waiting{Node: id, Action: "CreateSlot", Why: "no task on this node"}, "node "+id)
		}
		p.short(len(resting), resting, "node")
	}
	if p.picture.wanted == 0 || fitting == 0 && p.picture.running == 0 {
		why := "no node is ready, active and fits the constraints: nothing runs"
		p.open(Waiting{Action: "CreateSlot", Why: why}, "no node")
		p.mayEnd(p.opened("no node"), p.grace, CauseNoNode, why)
	}
}

// completed reports whether the job's work in the slot is done.
func (p *painter) completed(at vslot) bool {
	return slices.ContainsFunc(p.slots[at], func(t *task) bool {
		return t.state == "complete" && t.desired != "remove" && !t.iteration.differs(p.service.iteration)
	})
}

// rests reports whether the slot's tasks have ended and the restart policy allows no new
// one.
func (p *painter) rests(at vslot) bool {
	shut := false
	for _, t := range p.slots[at] {
		if t.runnable() || t.wanted() || t.iteration.differs(p.service.iteration) {
			return false
		}
		shut = shut || t.desired == "shutdown"
	}
	return shut
}

// short records the slots that lack a task. Slots that were given up come first.
func (p *painter) short(missing int, resting []vslot, noun string) {
	for _, at := range resting[:min(len(resting), max(0, missing))] {
		p.givenUp(at)
		missing--
	}
	if missing > 0 {
		p.open(Waiting{Action: "CreateSlot", Why: fmt.Sprintf("%s without a task", count(missing, noun))}, "missing")
	}
}

// givenUp ends the wait, unless an update may still reach the slot.
func (p *painter) givenUp(at vslot) {
	last := slices.MaxFunc(p.slots[at], func(a, b *task) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.id, b.id))
	})
	p.openTask(last, "ReplaceTask", "the restart policy allows no new task here")
	switch {
	case p.service.isJob(): // the reconciliation of jobs may still act
		p.mayEnd(last.since, p.grace, CauseGivenUp, p.about("gave up", last))
	case !last.spec.differs(p.service.spec):
		p.mayEnd(last.since, givingUp, CauseGivenUp, p.about("gave up", last))
	case p.service.updateState != "updating":
		p.mayEnd(later(last.since, p.service.changed), p.grace, CauseGivenUp, p.about("gave up", last))
	}
}
