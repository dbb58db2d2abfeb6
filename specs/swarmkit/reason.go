package swarmkit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tracecheck/internal/amount"
	"tracecheck/validators"
)

// Why an obligation is still open under the profile moby, as far as the trace shows it.

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

// Prompt implements validators.Reasoner: true for what the orchestrator does within
// seconds. It depends on no delay, image, container or free address.
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
	case waitCreateSlot: // a slot may be abandoned, and its last task deleted by the history limit
		return !of.(*service).forgotSlot
	case waitCleanupTerminated:
		// The reaper looks at a slot after a task was created there, until at most one
		// running task is left. It does not look when that task ends, or when the limit
		// decreases. No line shows what it did before the snapshots.
		vs := of.(*vslot)
		born := vs.lastBorn()
		return born.step > max(m.history.limit.lowered, vs.service.limited) && m.history.now.longAgo(born, reapIn)
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

// why explains a service with too many tasks, with too few slots, or a deleted one.
func (sv *service) why(w validators.Wait) string {
	t := &sv.trails
	switch w {
	case waitRequestRemoval:
		n, noun := sv.dockerSlots.wanted, "task"
		if n != sv.wanted {
			noun = "slot"
		}
		return fmt.Sprintf("%s too many (%d wanted, %d requested%s)", amount.Of(n-int(sv.replicas), noun), n, sv.replicas, at(t.asked)) +
			t.story() + sv.overtaken()
	case waitCreateSlot:
		text := fmt.Sprintf("%s missing (%d present, %d requested%s)", amount.Of(int(sv.replicas)-sv.slots, "slot"), sv.slots, sv.replicas, at(t.asked))
		if t.emptied.step > max(t.asked.step, t.handled.step) {
			return text + fmt.Sprintf("; a slot lost its last task%s, and no reconciliation has come since", at(t.emptied))
		}
		return text + t.story()
	case waitCondemn:
		return fmt.Sprintf("%s not marked for removal (the service was deleted%s)", amount.Of(int(sv.notRemove), "task"), at(t.asked)) + t.story()
	}
	return ""
}

// at returns the place of the step, if it is known.
func at(t trail) string {
	if t.step == 0 {
		return ""
	}
	return " at " + t.at.String()
}

// story returns what the orchestrator did since the last request.
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

// overtaken names the wanted tasks that others wrote in the meantime: the
// orchestrator's copy of them was then out of date.
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
	return fmt.Sprintf("; %d of these tasks were written in between, which may have prevented their removal: %s",
		len(ids), listed(ids, validators.MaxWaiting))
}

// whySlot explains a slot that waits for a task, or for the deletion of some.
func (m *machine) whySlot(vs *vslot, w validators.Wait) string {
	if w != waitCleanupTerminated {
		return vs.list(func(*taskValue) bool { return true })
	}
	text := fmt.Sprintf("%s, limit %d; %s", amount.Of(int(vs.count), "task"), vs.service.docker.limit(m.s.maxTerminated),
		vs.list(func(*taskValue) bool { return true }))
	if m.history.leader.marked.step > vs.lastBorn().step {
		text += fmt.Sprintf("; the leader changed at %s, after the slot's last task was created; a new leader's reaper looks at a slot only when a task is created there",
			m.history.leader.line)
	}
	return text
}

// why explains a task that waits for its agent, the allocator or the reaper.
func (t *task) why() string {
	text := fmt.Sprintf("of service %s, %s: %s, desired %s", t.in.service.id, t.in.key, t.state, t.desired)
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
