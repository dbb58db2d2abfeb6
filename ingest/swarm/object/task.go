package object

import "tracecheck/ingest/swarm/wire"

// Task converts a task. The slots of the services in jobs count from 0.
func Task(t *wire.Task, jobs Jobs) Fields {
	f := Fields{
		"service":       t.ServiceID,
		"slot":          slot(t, jobs[t.ServiceID]),
		"node":          t.NodeID,
		"image":         image(&t.Spec),
		"state":         word(t.Status.State),
		"desired_state": word(t.DesiredState),
	}
	f.text("message", t.Status.Message)
	f.text("err", t.Status.Err)
	if t.SpecVersion != nil {
		f["spec_version"] = t.SpecVersion.Index
	}
	if t.JobIteration != nil {
		f["job_iteration"] = t.JobIteration.Index
	}
	if t.Status.Message == drainedMessage {
		f["volume_drained"] = true
	}
	return f
}

// drainedMessage is the message of tasks that SwarmKit's volume enforcer
// rejects (manager/orchestrator/volumeenforcer/volume_enforcer.go).
const drainedMessage = "task rejected by volume enforcer"

// slot counts from 1, as the format does.
func slot(t *wire.Task, replicatedJob bool) any {
	switch {
	case replicatedJob:
		return t.Slot + 1
	case t.Slot == 0:
		return global
	}
	return t.Slot
}
