package swarmkit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tracecheck/validators"
)

// Why something still waits under the profile moby, as far as the trace shows it.

// Reason implements validators.Reasoner.
func (m *machine) Reason(w validators.Wait, of validators.Waiter) string {
	if !m.s.moby {
		return ""
	}
	switch of := of.(type) {
	case *service:
		return of.why(w)
	case *vslot:
		return m.whySlot(of, w)
	case *task:
		return of.why()
	case nil:
		return m.s.whyUndesired()
	}
	return ""
}

// Prompt implements validators.Reasoner: what the orchestrator does within
// seconds, whatever the users ask for. It depends on no delay, on no image, no
// container and no free address.
func (m *machine) Prompt(w validators.Wait, of validators.Waiter) bool {
	if !m.s.moby {
		return false
	}
	switch w {
	case waitRequestRemoval:
		return true
	case waitReplaceTask: // one that was not released yet is replaced when its delay is over
		for t := range of.(*vslot).all {
			if t.isWanted() && t.desired != Ready {
				return true
			}
		}
		return false
	case waitCreateSlot: // a slot may have been given up, and its last task have fallen to the history limit
		return !of.(*service).forgotSlot
	case waitCleanupTerminated:
		// The reaper looks at a slot when a task is created there, and until it has
		// left at most one that runs: not when that one ends, or the limit becomes
		// lower. What it did before the snapshots, no line shows.
		vs := of.(*vslot)
		born := vs.lastBorn()
		return vs.count > 1 && born.step > max(m.history.limit.lowered, vs.service.limited) && m.history.now.longAgo(born, reapIn)
	}
	return false
}

// reapIn is more than the reaper needs for a slot in which a task was created.
const reapIn = 30 * time.Second

// lastBorn is when the newest of the vslot's tasks was created; zero: a snapshot
// showed them all.
func (vs *vslot) lastBorn() (last moment) {
	for t := range vs.all {
		if t.past.born.step > last.step {
			last = t.past.born
		}
	}
	return last
}

// why is of a service with too many tasks, or too few slots, or of one
// that is gone.
func (sv *service) why(w validators.Wait) string {
	t := &sv.trails
	switch w {
	case waitRequestRemoval:
		n, noun := sv.dockerSlots.wanted, "task"
		if n != sv.wanted {
			noun = "slot"
		}
		return fmt.Sprintf("%s too many (%d wanted, %d asked for%s)", amount(n-int(sv.replicas), noun), n, sv.replicas, at(t.asked)) +
			t.story() + sv.overtaken()
	case waitCreateSlot:
		text := fmt.Sprintf("%s missing (%d there, %d asked for%s)", amount(int(sv.replicas)-sv.slots, "slot"), sv.slots, sv.replicas, at(t.asked))
		if t.emptied.step > max(t.asked.step, t.handled.step) {
			return text + fmt.Sprintf("; a slot lost its last task%s, and no reconciliation has come since", at(t.emptied))
		}
		return text + t.story()
	case waitCondemn:
		return fmt.Sprintf("%s not marked for removal (the service was deleted%s)", amount(int(sv.notRemove), "task"), at(t.asked)) + t.story()
	}
	return ""
}

// at says where the step is, if it is known.
func at(t trail) string {
	if t.step == 0 {
		return ""
	}
	return " at " + t.at.String()
}

// story is what the orchestrator did since the service was asked for.
func (t *trails) story() string {
	switch {
	case t.handled.step > t.asked.step:
		return fmt.Sprintf("; the orchestrator last %s%s, and no reconciliation has come since", doings[t.did], at(t.handled))
	case t.asked.step > 0:
		return "; no reconciliation has come since"
	}
	return ""
}

var doings = [...]string{
	marksRemove: "marked tasks of it for removal", marksShutdown: "shut down tasks of it", releases: "released tasks of it",
	deletes: "deleted tasks of it", creates: "created tasks of it", moves: "moved tasks of it", mixes: "wrote tasks of it",
}

// overtaken names the wanted tasks that others wrote while the orchestrator was
// at it: what it had read of them was out of date by then.
func (sv *service) overtaken() string {
	var ids []string
	t := &sv.trails
	for vs := range sv.vslots.all {
		for task := range vs.all {
			if task.isWanted() && task.past.writtenBetween(t.asked.step, t.handled.step) {
				ids = append(ids, task.id)
			}
		}
	}
	if len(ids) == 0 {
		return ""
	}
	slices.Sort(ids)
	return fmt.Sprintf("; %d of these tasks were written in between, which may have cost their removal: %s",
		len(ids), listed(ids, validators.MaxWaiting))
}

// whySlot is of a slot that is to get a task, or to lose some.
func (m *machine) whySlot(vs *vslot, w validators.Wait) string {
	if w != waitCleanupTerminated {
		return vs.list(func(*taskValue) bool { return true })
	}
	text := fmt.Sprintf("%s, limit %d; %s", amount(int(vs.count), "task"), vs.service.docker.limit(m.s.maxTerminated),
		vs.list(func(*taskValue) bool { return true }))
	if m.history.leader.marked.step > vs.lastBorn().step {
		text += fmt.Sprintf("; the leader changed at %s, after the slot's last task was created, and a new leader's reaper looks at a slot only when a task is created there",
			m.history.leader.line)
	}
	return text
}

// why is of a task that its agent, the allocator or the reaper is to move along.
func (t *task) why() string {
	text := fmt.Sprintf("of service %s, %s: %s, desired %s", t.service.id, t.vslot(), t.state, t.desired)
	if t.node != nil {
		text += ", on node " + t.node.id
	}
	return text
}

// whyUndesired names services that keep the state from being the desired one.
func (s *state) whyUndesired() string {
	var names []string
	for _, sv := range s.services.All() {
		if sv.noted.unsettled {
			names = append(names, sv.id)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "because of service " + listed(names, reasonsListed)
}

// reasonsListed is how many services a reason names.
const reasonsListed = 3

func listed(ids []string, most int) string {
	text := strings.Join(ids[:min(len(ids), most)], ", ")
	if more := len(ids) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func amount(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
