package main

// fault is a known fault of SwarmKit. docs/findings.md describes each.
type fault string

const (
	unknown        fault = ""
	removedCount   fault = "tasks that are being removed count as replicas"
	lostScaleDown  fault = "a scale-down that loses to a report"
	twoOperations  fault = "a completed task becomes failed"
	globalTwice    fault = "two tasks of a global service on one node"
	jobsTwice      fault = "a manager that leads again runs each job twice"
	reaperForgets  fault = "a new leader's reaper forgets"
	endedRejected  fault = "the constraint enforcer rejects a task that has ended"
	staysDown      fault = "a node that comes back as it times out stays down"
	removedReports fault = "the agent of a removed node reports"
	minutesWait    fault = "a replacement waits a minute for a task that was deleted"
	rollbackFills  fault = "a rollback fills slots that the running update has not reached"
	// removedByAPI is no fault. Nothing in a recording tells it from one.
	removedByAPI fault = "a task removed by the control API"
)

// notYetAsWanted is the rule that is about the whole swarm.
const notYetAsWanted = "EventuallyAsDesired"

// known tells which known fault a violation shows. It does not go by the rule: the
// recording must show what makes the fault.
func (list recording) known(v *violation) fault {
	if o := v.obligation(); o != nil {
		switch {
		case o.action == "CreateSlot" && list.removedCount(o, v.FirstLine):
			return removedCount
		case o.action == "RequestRemoval" && list.lostScaleDown(o, v.FirstLine):
			return lostScaleDown
		case o.action == "CleanupTerminated" && list.reaperForgets(o, v.FirstLine):
			return reaperForgets
		case (o.action == "ReplaceTask" || o.action == "ReleaseReady") && list.minutesWait(o, v.FirstLine):
			return minutesWait
		}
		return unknown
	}
	if v.Kind != "transition" || v.Line < 1 || v.Line > len(list) {
		return unknown
	}
	switch {
	case list.globalTwice(v):
		return globalTwice
	case list.jobsTwice(v):
		return jobsTwice
	case list.endedRejected(v):
		return endedRejected
	case list.staysDown(v):
		return staysDown
	case list.removedReports(v):
		return removedReports
	case list.rollbackFills(v):
		return rollbackFills
	case list.twoOperations(v):
		return twoOperations
	case list.halfSlot(v):
		return lostScaleDown
	case list.overRemoval(v), list.overCreation(v):
		return removedCount
	}
	return unknown
}

// explain sorts the violations: into those of known faults, and the others. The play
// has removed these tasks.
func (list recording) explain(all []violation, removed map[string]bool) (faults map[fault]int, others []*violation) {
	faults = map[fault]int{}
	for i := range all {
		v := &all[i]
		if list.deletes(v, removed) {
			faults[removedByAPI]++
		} else if f := list.known(v); f != unknown {
			faults[f]++
		} else if v.Rule != notYetAsWanted {
			others = append(others, v)
		}
	}
	// The whole swarm is not as wanted if one of its services is not.
	if faults[removedCount]+faults[lostScaleDown] == 0 {
		for i := range all {
			if all[i].Rule == notYetAsWanted {
				others = append(others, &all[i])
			}
		}
	}
	return faults, others
}
