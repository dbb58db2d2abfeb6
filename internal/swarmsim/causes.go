package main

import (
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// What a recording shows of the cause of each known fault: of a wrong step, and in
// owed.go of a wait.

// replicas is the number that a service asks for, -1 for a global one.
func (r *record) replicas() int {
	if n, ok := r.Object["replicas"].(float64); ok && n < math.MaxInt32 {
		return int(n)
	}
	return -1
}

// dying counts slots of the service whose newest task is being removed and would not be
// restarted: those that SwarmKit counts by mistake.
func (o objects) dying(s *record) (n int) {
	wanted := o.slots(s.ID)
	for slot, t := range o.newest(s.ID) {
		if !wanted[slot] && t.dying(s) {
			n++
		}
	}
	return n
}

// dying: the task is being removed and would not be restarted.
func (t *record) dying(s *record) bool {
	if t.text("desired_state") != "remove" {
		return false
	}
	p := s.policyOf(t)
	return p.condition == "none" || p.attempts > 0 || p.condition == "on_failure" && t.text("state") == "complete"
}

// overCreation: the step creates a task in a slot that was being removed when the service
// was last changed. The service then has more slots than it asks for, or the slot has another
// task that is wanted and was created since.
func (list recording) overCreation(v *violation) bool {
	e := &list[v.Line-1]
	is := list.before(v.LastLine + 1)
	s := is.service(e.text("service"))
	if e.Kind != "task" || e.Op != "create" || s == nil || s.replicas() < 0 {
		return false
	}
	changed := list.lastChange(s.ID, v.FirstLine)
	t := list.before(changed + 1).newest(s.ID)[e.Object["slot"]]
	since := is.tasks(s.ID, func(u *record) bool {
		return u.ID != e.ID && u.wanted() && u.slot() == e.Object["slot"] && u.born > changed
	})
	return t != nil && t.dying(s) && (len(since) > 0 || len(is.slots(s.ID)) > s.replicas())
}

// resting counts slots of the service in which nothing is wanted, and whose newest task
// has ended and stays: SwarmKit counts them as replicas, too.
func (o objects) resting(s *record) (n int) {
	wanted := o.slots(s.ID)
	for slot, t := range o.newest(s.ID) {
		if !wanted[slot] && t.rests() {
			n++
		}
	}
	return n
}

func (r *record) rests() bool {
	return r.text("desired_state") == "shutdown" && terminal(r.text("state"))
}

// removal is a step that removes a task of a replicated service, which is wanted or rests.
type removal struct {
	was, is       objects
	task, service *record // as they were
}

func (list recording) removal(v *violation) *removal {
	e := &list[v.Line-1]
	r := removal{was: list.before(v.FirstLine), is: list.before(v.LastLine + 1)}
	if r.task = r.was.task(e.ID); r.task == nil || !r.task.wanted() && !r.task.rests() || e.text("desired_state") != "remove" {
		return nil
	}
	if r.service = r.was.service(r.task.text("service")); r.service == nil || r.service.replicas() < 0 {
		return nil
	}
	return &r
}

// overRemoval: the step leaves the service less than it asks for, and would not if the
// tasks that are being removed counted. A slot does not count if it keeps only what an update
// created meanwhile, or what the step lost to a report or a release.
func (list recording) overRemoval(v *violation) bool {
	r := list.removal(v)
	if r == nil {
		return false
	}
	s := r.service
	count := func(o objects) int { return len(o.slots(s.ID)) + o.resting(s) }
	left, changed := count(r.is), list.lastChange(s.ID, v.FirstLine)
	inSlot := r.is.tasks(s.ID, func(u *record) bool { return u.wanted() && u.slot() == r.task.slot() })
	if len(inSlot) > 0 && !slices.ContainsFunc(inSlot, func(u *record) bool {
		return u.born < changed && !list.written(u.ID, changed, v.FirstLine)
	}) {
		left--
	}
	return left < s.replicas() && count(r.was)+r.was.dying(s) > s.replicas()
}

// halfSlot: a scale-down marks a slot's wanted tasks but for some that were written since,
// by a report or a release, and the service keeps too many slots.
func (list recording) halfSlot(v *violation) bool {
	r := list.removal(v)
	if r == nil || len(r.is.slots(r.service.ID)) <= r.service.replicas() {
		return false
	}
	from := list.lastScaleDown(r.service.ID, v.FirstLine)
	left := r.is.tasks(r.service.ID, func(u *record) bool { return u.wanted() && u.slot() == r.task.slot() })
	for _, u := range left {
		if !list.written(u.ID, from, v.FirstLine) {
			return false
		}
	}
	return from > 0 && len(left) > 0
}

// written: a line between the two changes the task.
func (list recording) written(id string, from, to int) bool {
	for _, e := range list.of("task", id, from, to) {
		if e.Op == "update" {
			return true
		}
	}
	return false
}

// lastScaleDown is the last line before the given one at which a service asks for fewer
// replicas than before, 0 if there is none.
func (list recording) lastScaleDown(id string, line int) (at int) {
	replicas := -1.0
	for i, e := range list.of("service", id, 0, line) {
		if n, ok := e.Object["replicas"].(float64); ok {
			if n < replicas {
				at = i
			}
			replicas = n
		}
	}
	return at
}

// leaderChanged: a new leader marks nodes unknown.
func (list recording) leaderChanged(from, to int) bool {
	for i := from; i < to-1; i++ {
		if e := &list[i]; e.Kind == "node" && e.Op == "update" && e.text("status") == "unknown" {
			return true
		}
	}
	return false
}

// globalTwice: the step creates a task on a node that has a wanted one of the same spec,
// while the service was updated, and the node or the leader has changed meanwhile.
func (list recording) globalTwice(v *violation) bool {
	e := &list[v.Line-1]
	at := list.before(v.FirstLine)
	s := at.service(e.text("service"))
	if e.Kind != "task" || e.Op != "create" || s == nil || s.Object["replicas"] != "global" {
		return false
	}
	began, versions := list.updateBegan(s.ID, v.FirstLine, e.version())
	same := func(t *record) bool {
		return t.version() == e.version() ||
			t.text("image") == e.text("image") && slices.Contains(versions, t.version()) && slices.Contains(versions, e.version())
	}
	twins := at.tasks(s.ID, func(t *record) bool {
		return t.wanted() && !terminal(t.text("state")) && t.text("node") == e.text("node") && same(t)
	})
	if len(twins) == 0 || began == 0 {
		return false
	}
	// Of an update that began before the snapshots, the change may be older than they are.
	return list[began-1].Op == "snapshot" || list.nodeChanged(e.text("node"), began, v.FirstLine)
}

// jobsTwice: the step creates a task of a job in a slot that has a wanted one of the same
// run, after a change of leader. Or it creates several there, and the slot has had two: each
// of the two orchestrators counts the other's tasks, too. Or the run has more tasks than the job
// needs: the unsigned number of missing ones wraps around, and the first slot gets a task.
func (list recording) jobsTwice(v *violation) bool {
	e := &list[v.Line-1]
	if e.Kind != "task" || e.Op != "create" || e.Object["job_iteration"] == nil {
		return false
	}
	of := func(t *record) bool {
		return t.Object["job_iteration"] == e.Object["job_iteration"] && t.slot() == e.Object["slot"] &&
			(t.slot() != "global" || t.text("node") == e.text("node"))
	}
	twins := func(line int) int {
		return len(list.before(line).tasks(e.text("service"), func(t *record) bool {
			return of(t) && t.wanted() && !terminal(t.text("state")) && t.ID != e.ID
		}))
	}
	at := list.before(v.FirstLine)
	doubled := len(at.tasks(e.text("service"), of)) > 1
	run := at.tasks(e.text("service"), func(t *record) bool {
		return t.Object["job_iteration"] == e.Object["job_iteration"] && (t.wanted() || t.text("state") == "complete")
	})
	wrapped := false
	if s := at.service(e.text("service")); s != nil && e.Object["slot"] == 1.0 {
		replicas, ok := s.Object["replicas"].(float64)
		wrapped = ok && float64(len(run)) > replicas
	}
	return (twins(v.FirstLine) > 0 || doubled && twins(v.LastLine+1) > 0 || wrapped) && (list.beginsLate() || list.leaderChanged(0, v.FirstLine))
}

// beginsLate: tasks are older than the recording. What it shows may have a cause before it.
func (list recording) beginsLate() bool {
	return slices.ContainsFunc(list, func(e event) bool { return e.Kind == "task" && e.Op == "snapshot" })
}

// rollbackFills: the step creates an updated task in a slot that has another one of the same
// spec. That one was created after a rollback began, in a slot that was at rest then. An update
// to that spec had begun before.
func (list recording) rollbackFills(v *violation) bool {
	e := &list[v.Line-1]
	at := list.before(v.FirstLine)
	s := at.service(e.text("service"))
	if e.Kind != "task" || e.Op != "create" || e.text("desired_state") != "ready" || s == nil || s.text("update_state") != "rollback_started" {
		return false
	}
	updated, rollback := false, 0
	var spec any
	for line, e := range list.of("service", s.ID, 0, v.FirstLine) {
		if v, ok := e.Object["spec_version"]; ok {
			spec = v
		}
		switch e.text("update_state") {
		case "updating":
			updated = updated || spec == s.Object["spec_version"]
		case "rollback_started":
			rollback = line
		}
	}
	rested := !list.before(rollback).slots(s.ID)[e.Object["slot"]]
	return updated && rested && len(at.tasks(s.ID, func(t *record) bool {
		return t.wanted() && t.born > rollback && t.slot() == e.Object["slot"] && t.Object["spec_version"] == e.Object["spec_version"]
	})) > 0
}

// updateBegan is the line at which the service's spec changed, if it is being updated
// since; 0 if it is not. An update that ends finishes the slots that it has begun. Another
// spec ends it when the orchestrator reads that: a task of an earlier version shows that this
// is yet to come. The same spec, sent again, clears the update's state and does not end it: it
// is then to several versions. A snapshot shows that by a newer version than the task's.
func (list recording) updateBegan(id string, line int, task float64) (at int, versions []float64) {
	spec := 0
	for i, e := range list.of("service", id, 0, line) {
		isSpec := e.Object["spec_version"] != nil
		if isSpec {
			if spec = i; !e.sentAgain() {
				versions = nil
			}
			versions = append(versions, e.version())
		}
		state, ok := e.Object["update_state"]
		switch {
		case at > 0 && isSpec && (e.version() != task || e.sentAgain()):
		case state == "updating" || state == "rollback_started":
			at = max(spec, 1)
		case ok && list[line-1].Time.Sub(e.Time) > time.Second:
			at, versions = 0, versions[max(0, len(versions)-1):]
		case !ok && e.Op == "snapshot" && e.version() > task:
			at, versions = i, append(versions, task)
		}
	}
	return at, versions
}

// sentAgain: the line gives a service another version of its spec, and changes nothing that
// a recording has of the spec.
func (e *event) sentAgain() bool {
	for field, v := range e.Object {
		switch field {
		case "spec_version":
		case "update_state", "update_message":
			if v != nil {
				return false
			}
		default:
			return false
		}
	}
	return e.Op == "update" && e.Object["spec_version"] != nil
}

// nodeChanged: a line between the two is of the node, or shows a new leader.
func (list recording) nodeChanged(id string, from, to int) bool {
	for range list.of("node", id, from, to) {
		return true
	}
	return list.leaderChanged(from, to)
}

// twoOperations: a task that has ended reports another end, or a running one that it was
// rejected before it ran. It has reported before that an operation is to be tried again. Or its
// desired state has changed twice: the first change cancels an operation, which is tried again.
func (list recording) twoOperations(v *violation) bool {
	e := &list[v.Line-1]
	t := list.before(v.FirstLine).task(e.ID)
	if e.Kind != "task" || e.Op != "update" || t == nil || e.text("message") == byEnforcer {
		return false
	}
	was, is := t.text("state"), e.text("state")
	if !(terminal(was) && terminal(is) || was == "running" && is == "rejected") {
		return false
	}
	state, marked := "", time.Time{}
	for _, o := range list.of("task", e.ID, 0, v.FirstLine) {
		if s := o.text("state"); s != "" {
			state = s
		}
		if o.Op == "update" && o.text("desired_state") != "" && !terminal(state) {
			if !marked.IsZero() && o.Time.Sub(marked) < 2*time.Second {
				return true
			}
			marked = o.Time
		}
		if o.text("err") != "" && !terminal(state) {
			return true
		}
		if o.Op == "snapshot" && state != "new" && state != "pending" {
			return true // the error may be before the recording
		}
	}
	return false
}

// byEnforcer is the message of a task that the constraint enforcer rejects.
const byEnforcer = "task rejected by constraint enforcer"

// endedRejected: the enforcer says that it rejected a task, which had ended and was still
// wanted. A complete task of a job then runs again.
func (list recording) endedRejected(v *violation) bool {
	e := &list[v.Line-1]
	t := list.before(v.FirstLine).task(e.ID)
	return e.Kind == "task" && t != nil && t.wanted() && terminal(t.text("state")) &&
		e.text("state") == "rejected" && e.text("message") == byEnforcer
}

// staysDown: a task's agent reports, though the heartbeats of its node have ended. The
// node does not come up with the next transactions, as it does where a batch is cut.
func (list recording) staysDown(v *violation) bool {
	e := &list[v.Line-1]
	at := list.before(v.FirstLine)
	t := at.task(e.ID)
	if e.Kind != "task" || e.text("state") == "" || t == nil {
		return false
	}
	n := at[[2]string{"node", t.text("node")}]
	if n == nil || n.text("status") != "down" || !strings.HasPrefix(n.text("message"), "heartbeat failure") { // also of an unknown node
		return false
	}
	for i := v.LastLine; i < len(list) && list[i].Time.Sub(e.Time) < time.Second; i++ {
		if o := &list[i]; o.Kind == "node" && o.ID == n.ID && o.text("state") == "up" {
			return false
		}
	}
	return true
}

// removedReports: a task's agent reports, though its node was removed. The node was up, and
// the swarm has several managers: the leader accepts the report from another one.
func (list recording) removedReports(v *violation) bool {
	e := &list[v.Line-1]
	t := list.before(v.FirstLine).task(e.ID)
	if e.Kind != "task" || t == nil || !reported(e.text("state")) || e.text("message") == byEnforcer {
		return false
	}
	wasUp := false
	for line, n := range list.of("node", t.text("node"), 0, v.FirstLine) {
		was := list.before(line)[[2]string{"node", n.ID}]
		wasUp = n.Op == "delete" && was != nil && was.text("state") == "up"
	}
	managers := list.ids(func(e *event) bool { return e.Kind == "node" && e.text("role") == "manager" })
	return wasUp && len(managers) > 1
}

// reported says that an agent reports the state.
func reported(state string) bool {
	switch state {
	case "", "new", "pending", "assigned", "orphaned":
		return false
	}
	return true
}

// removesTask begins what play.log says of a task that is removed by the control API.
const removesTask = "removes task"

// removedTasks are those that the play has removed.
func removedTasks(play string) (map[string]bool, error) {
	text, err := os.ReadFile(play)
	if err != nil {
		return nil, err
	}
	removed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if _, id, ok := strings.Cut(strings.TrimSpace(line), " "+removesTask+" "); ok {
			removed[id] = true
		}
	}
	return removed, nil
}

// deletes: the violation is that one of these tasks is deleted.
func (list recording) deletes(v *violation, removed map[string]bool) bool {
	if v.Kind != "transition" || v.Line < 1 || v.Line > len(list) {
		return false
	}
	e := &list[v.Line-1]
	return e.Kind == "task" && e.Op == "delete" && removed[e.ID]
}
