package converge

import (
	"fmt"
	"strings"
	"time"
)

// waitsFor is the action of SwarmKit's text that a wanted task waits for, by its state.
var waitsFor = map[string]string{
	"new": "AllocateTask", "pending": "Scheduler", "assigned": "ProgressTask", "accepted": "ProgressTask",
	"preparing": "ProgressTask", "ready": "ProgressTask", "starting": "ProgressTask",
}

// wantedTasks counts the slot's task that is as asked for, and records an open end for each
// other wanted task. It reports whether there is a wanted task.
func (p *painter) wantedTasks(at vslot) bool {
	any, counted := false, false
	for _, t := range p.slots[at] {
		if !t.wanted() {
			continue
		}
		if t.iteration.differs(p.service.iteration) {
			p.openTask(t, "RequestRemoval", "it belongs to an earlier run of the job")
			continue
		}
		any = true
		action, why := p.lacks(t)
		switch {
		case why != "":
			p.openTask(t, action, why)
			p.stuck(t)
		case counted:
			p.openTask(t, "RestartTask", "a second running task of its slot")
		default:
			counted = true
			p.picture.running++
		}
	}
	return any
}

// lacks returns what a wanted task lacks, "" for nothing.
func (p *painter) lacks(t *task) (action, why string) {
	switch {
	case t.running() && p.service.isJob():
		return "ContainerExit", "not complete yet"
	case t.running() && p.store.footing(t.node) != present:
		return "WorkerUp", "its node is " + p.nodeState(t.node)
	case t.running() && !p.current(t):
		return "RestartTask", "it runs another version of the spec" + p.versions(t)
	case t.running() && p.misplaced(t):
		return "RestartTask", "its node does not fit the service"
	case t.running() && t.desired == "ready":
		return "ReleaseReady", "it runs, but is not released"
	case t.running():
		return "", ""
	case t.state == "ready" && t.desired == "ready":
		return "ReleaseReady", "waits for the task before it, or the restart delay"
	case t.runnable():
		return waitsFor[t.state], "not running yet"
	case rank[t.state] == 0:
		return "", fmt.Sprintf("its state %q is unknown", t.state)
	}
	return "ReplaceTask", "it ended, and has no successor yet"
}

// current reports whether the task runs what the service asks for. Most changes
// of a service, such as its number of replicas, leave its tasks as they are:
// then these keep the version they were made for.
func (p *painter) current(t *task) bool {
	switch {
	case !t.spec.differs(p.service.spec):
		return true
	case t.image != "" && p.service.image != "" && t.image != p.service.image:
		return false
	}
	for _, u := range p.slots[t.vslot()] {
		if u.spec == p.service.spec {
			return false // its successor exists, but does not run
		}
	}
	p.picture.unsettled = p.picture.unsettled || p.service.updateState != "completed"
	return true
}

func (p *painter) versions(t *task) string {
	return fmt.Sprintf(": %d, not %d", t.spec.number, p.service.spec.number)
}

// misplaced reports whether a global service does not require a task on the task's node.
func (p *painter) misplaced(t *task) bool {
	n := p.store.nodes[t.node]
	return p.service.isGlobal() && n != nil && fitOf(p.service, t.node, n) == unfit
}

func (p *painter) nodeState(id string) string {
	if n := p.store.nodes[id]; n != nil {
		return n.status
	}
	return "gone"
}

// stuck finds the tasks that the engine cannot place.
func (p *painter) stuck(t *task) {
	switch {
	case t.state == "pending" && strings.Contains(t.err, "host-mode port already in use"):
		p.mayEnd(t.errSince, p.grace, CausePort, p.about("cannot be placed", t))
	case t.state == "pending" && t.err != "":
		p.mayEnd(t.errSince, p.grace, CauseNoNode, p.about("cannot be placed", t))
	case t.state == "new":
		if taken, by := p.takenPort(); by != "" {
			p.mayEnd(t.since, p.grace, CausePort, p.about(fmt.Sprintf("requests port %d/%s, which service %s publishes", taken.published, taken.protocol, by), t))
		}
	}
}

// takenPort finds a port of the routing mesh that the service asks for and
// another one has.
func (p *painter) takenPort() (port, string) {
	if _, given := p.store.ports[p.id]; given {
		return port{}, ""
	}
	for _, want := range p.service.ports {
		for id, list := range p.store.ports {
			for _, has := range list {
				if want.published == 0 || id == p.id || want.published != has.published || want.protocol != has.protocol {
					continue
				}
				if other := p.store.services[id]; other != nil && other.name != "" {
					return want, other.name
				}
				return want, id
			}
		}
	}
	return port{}, ""
}

// leftovers records running tasks that are not wanted, and a history that is too long. The
// last report of a lost node does not count.
func (p *painter) leftovers(places []vslot) {
	for _, at := range places {
		ended := 0
		for _, t := range p.slots[at] {
			if !t.runnable() {
				ended++
			}
			if t.running() && !t.wanted() && p.store.footing(t.node) != lost {
				p.openTask(t, "ShutdownComplete", "still running, but not wanted")
			}
		}
		limit := p.limit
		if p.service.maxAttempts > 0 {
			limit = p.service.maxAttempts + 1
		}
		if n := int64(len(p.slots[at])); limit >= 0 && n > limit && ended > 0 && !p.service.isJob() {
			p.open(Waiting{
				Slot: int(at.number), Node: at.node, Action: "CleanupTerminated",
				Why: fmt.Sprintf("%s kept, more than the limit of %d", count(int(n), "task"), limit),
			}, fmt.Sprint("history ", at))
		}
	}
}

// about returns a sentence about a task, with the engine's message.
func (p *painter) about(what string, t *task) string {
	return fmt.Sprintf("service %s %s: %s", p.service.name, what, described(t))
}

// described returns a description of a task, with the engine's message.
func described(t *task) string {
	where := ""
	switch {
	case t.slot != 0:
		where = fmt.Sprintf(" (slot %d", t.slot)
	case t.node != "":
		where = " (one per node"
	}
	if where != "" {
		if t.node != "" {
			where += ", node " + t.node
		}
		where += ")"
	}
	words := t.err
	if words == "" {
		words = t.message
	}
	if words != "" {
		words = ": " + words
	}
	return fmt.Sprintf("task %s%s is %s%s", t.id, where, t.state, words)
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// count is "1 slot", "2 slots".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
