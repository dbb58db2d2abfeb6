package main

import (
	"fmt"
	"time"
)

// What a recording shows of the cause of each wait that is a known fault.

// removedCount: when the service was last changed, the slots that it lacked were still
// there, with tasks that were being removed and would not be restarted.
func (list recording) removedCount(o *obligation, line int) bool {
	changed := list.lastChange(o.id, o.since)
	then, now := list.before(changed+1), list.before(line)
	s := then.service(o.id)
	if changed == 0 || s == nil || s.replicas() < 0 {
		return false
	}
	slots, dying := len(then.slots(o.id)), then.dying(s)
	return slots < s.replicas() && slots+dying >= s.replicas() && len(now.slots(o.id)) < s.replicas()
}

// lastChange is the last line up to the given one that changes a service's replicas or
// its spec, 0 if there is none.
func (list recording) lastChange(id string, line int) (at int) {
	for i, e := range list.of("service", id, 0, line+1) {
		if e.Object["replicas"] != nil || e.Object["spec_version"] != nil {
			at = i
		}
	}
	return at
}

// lostScaleDown: after the service was scaled down, as many tasks reported as are left
// too many, before the last removal that followed at once.
func (list recording) lostScaleDown(o *obligation, line int) bool {
	at := list.before(line)
	s := at.service(o.id)
	if s == nil || s.replicas() < 0 {
		return false
	}
	excess := len(at.slots(o.id)) - s.replicas()
	from := list.lastScaleDown(o.id, line)
	if excess <= 0 || from == 0 {
		return false
	}
	left := map[string]bool{}
	for _, t := range at.tasks(o.id, (*record).wanted) {
		left[t.ID] = true
	}
	// The removals end where the service or its tasks change otherwise than by reports.
	to, reports := from, map[string]bool{}
	for i := from; i < line-1; i++ {
		e := &list[i]
		if e.Kind == "service" && e.ID == o.id {
			break
		}
		if e.Kind == "task" && e.text("desired_state") == "remove" && at.belongs(e.ID, o.id, list) {
			to = i + 1
		}
	}
	for i := from; i < to; i++ {
		if e := &list[i]; e.Kind == "task" && e.Op == "update" && left[e.ID] && e.text("desired_state") == "" {
			reports[e.ID] = true
		}
	}
	return len(reports) >= excess
}

// belongs says whether a task is, or was, the service's.
func (o objects) belongs(task, service string, list recording) bool {
	if t := o.task(task); t != nil {
		return t.text("service") == service
	}
	for _, e := range list.of("task", task, 0, len(list)+1) {
		if e.text("service") != "" {
			return e.text("service") == service
		}
	}
	return false
}

// reaperForgets: the leader changed after the slot got its last task.
func (list recording) reaperForgets(o *obligation, line int) bool {
	last := 0
	for _, t := range list.before(line).tasks(o.id, o.inSlot) {
		last = max(last, t.born)
	}
	return last > 0 && list.leaderChanged(last, line)
}

// minutesWait: the slot's task is not released yet, it is not older than SwarmKit waits,
// and another task of the slot was deleted since, before it ended.
func (list recording) minutesWait(o *obligation, line int) bool {
	at := list.before(line)
	for _, t := range at.tasks(o.id, o.inSlot) {
		if t.text("desired_state") != "ready" || list[line-1].Time.Sub(t.Time) > oldTaskTimeout+5*time.Second {
			continue
		}
		for _, old := range list.before(t.born).tasks(o.id, o.inSlot) {
			if !terminal(old.text("state")) && list.deletedUnended(old.ID, t.born, line) {
				return true
			}
		}
	}
	return false
}

// oldTaskTimeout is how long SwarmKit waits for the end of a task that is replaced.
const oldTaskTimeout = time.Minute

// deletedUnended: between the two lines the task is deleted, and does not end before.
func (list recording) deletedUnended(id string, from, to int) bool {
	for _, e := range list.of("task", id, from, to) {
		if ended := terminal(e.text("state")); ended || e.Op == "delete" {
			return !ended
		}
	}
	return false
}

// inSlot says of one of the service's tasks whether it is in the slot that waits.
func (o *obligation) inSlot(t *record) bool {
	return o.slot == fmt.Sprint(t.slot()) || o.slot == t.text("node")
}
