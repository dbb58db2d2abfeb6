package swarmkit

import (
	"slices"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
)

// The fields of a Docker swarm's objects beyond the text's. Only the profile moby
// reads them. Where one is not given, the condition that needs it is true.

// mode is a service's mode.
type mode uint8

const (
	noMode mode = iota // not given
	replicatedMode
	globalMode
	replicatedJob
	globalJob
)

var modeNames = [...]string{
	noMode: "", replicatedMode: "replicated", globalMode: "global",
	replicatedJob: "replicated-job", globalJob: "global-job",
}

func (m mode) String() string { return modeNames[m] }

func parseMode(name string) mode { return mode(max(0, slices.Index(modeNames[:], name))) }

// dockerService are the fields of a service. Where its mode is given, all are:
// what its lines leave out is not set.
type dockerService struct {
	mode        mode
	update      bool   // update_order = start_first
	rollback    bool   // rollback_order = start_first
	before      bool   // one of the two, in the spec before this one
	constrained bool   // constraints # {}
	publishes   bool   // spec_ports # {}
	updating    bool   // update_state = updating or rollback_started, or may have been, and the spec was sent again since
	again       bool   // the latter: no line shows the end of that update
	turned      moment // when an update began or ended
	iteration   int32
	iterated    moment // when the iteration last rose
	maxAttempts int64  // noAttempts: no line gives it
	stays       bool   // restart_condition = none or on_failure
	spec        specVersion
	written     moment // when a line last gave another spec
}

// mobyService is what the profile moby keeps of a service beside the rest.
type mobyService struct {
	docker      dockerService
	dockerSlots slotTotals
	waiting     int              // wanted tasks that are new or pending
	serving     int              // wanted tasks that run
	recent      []*version       // that rules may still go by, oldest first
	vacated     map[vacancy]bool // slots that have lost their last task since the update that is under way began, or just before
	trails      trails
	limited     int64 // the step in which limit(s) last became lower by its own fields
	forgotSlot  bool  // since its spec was last written, a slot has lost its last task, which was not to be removed
}

// noIteration is a job_iteration that no line gives.
const noIteration int32 = -1

// noAttempts is a max_attempts that no line gives.
const noAttempts = -1

func (d *dockerService) known() bool { return d.mode != noMode }

// isJob says that the service is known to be a job, mayBeJob that it is not
// known not to be.
func (d *dockerService) isJob() bool { return d.mode == replicatedJob || d.mode == globalJob }

func (d *dockerService) mayBeJob() bool { return !d.known() || d.isJob() }

func (d *dockerService) mayBe(m mode) bool { return !d.known() || d.mode == m }

func (d *dockerService) mayStartFirst() bool {
	return !d.known() || d.update || d.rollback || d.before
}

// updatesSinceBefore says that an update is under way that began before the snapshots.
func (d *dockerService) updatesSinceBefore() bool { return d.updating && d.turned.step == 0 }

// updatesTo says that the update under way may create a task of the spec. If the spec was sent
// again, its tasks have an earlier version.
func (d *dockerService) updatesTo(spec specVersion) bool {
	return !d.again || spec == 0 || d.spec == 0 || spec < d.spec
}

// hidesUpdates says that no line has given update_state, though updates may be under way.
func (d *dockerService) hidesUpdates() bool { return !d.known() && d.turned.step == 0 }

func (d *dockerService) mayBeConstrained() bool { return !d.known() || d.constrained }

// alwaysRestarts: whatever stops is replaced, however often.
func (d *dockerService) alwaysRestarts() bool { return d.known() && !d.stays && d.maxAttempts <= 0 }

// alwaysRestarts says that of the service's spec of that version. A version that
// is not given is taken to be the one in force.
func (sv *service) alwaysRestarts(spec specVersion) bool {
	if !spec.differs(sv.docker.spec) {
		return sv.docker.alwaysRestarts()
	}
	for _, v := range sv.recent {
		if v.docker.spec == spec {
			return v.docker.alwaysRestarts()
		}
	}
	return false
}

func (d *dockerService) mayPublish() bool { return !d.known() || d.publishes }

// hidesLimit says that no line has given what limit(s) depends on.
func (d *dockerService) hidesLimit() bool { return !d.known() && d.maxAttempts == noAttempts }

// limit is limit(s): how many tasks each slot keeps; negative: all.
func (d *dockerService) limit(maxTerminated int32) int64 {
	if d.maxAttempts > 0 {
		return d.maxAttempts + 1
	}
	return int64(maxTerminated)
}

// sendsAgain reports whether a service's line gives another version of the spec, and changes no
// judged field of it. If the spec is the same, a running update goes on, with the version before.
// If not, the next update shows that it begins.
func sendsAgain(ev *trace.Event) bool {
	for i := range ev.Fields {
		if f := &ev.Fields[i]; f.Name != fieldSpecVersion && (f.Name != fieldUpdateState || f.Type != trace.Null) {
			return false
		}
	}
	return ev.Fields.Get(fieldSpecVersion).Type != trace.Absent
}

// merge overlays the event's fields. whole: it gives the service as a whole.
func (d *dockerService) merge(ev *trace.Event, whole bool) {
	again := d.updating && !whole && sendsAgain(ev)
	if whole {
		*d = dockerService{iteration: noIteration, maxAttempts: noAttempts}
	}
	if f := ev.Fields.Get(fieldSpecVersion); f.Type != trace.Absent {
		if spec := specVersionOf(f); spec == 0 || spec != d.spec { // else the line repeats it
			d.before, d.spec = d.update || d.rollback, spec
			if d.again && !again {
				d.updating, d.again = false, false
			}
		}
	}
	for i := range ev.Fields {
		f := &ev.Fields[i]
		switch f.Name {
		case fieldMode:
			d.mode = parseMode(f.Str)
		case fieldMaxAttempts:
			d.maxAttempts = max(f.Int, 0)
			if f.Type == trace.Null {
				d.maxAttempts = noAttempts
			}
		case fieldRestartCondition:
			d.stays = f.Str == "none" || f.Str == "on_failure"
		case fieldUpdateOrder:
			d.update = f.Str == startFirstOrder
		case fieldRollbackOrder:
			d.rollback = f.Str == startFirstOrder
		case fieldConstraints:
			d.constrained = hasElements(f.Value)
		case fieldSpecPorts:
			d.publishes = hasElements(f.Value)
		case fieldUpdateState:
			d.updating = f.Str == "updating" || f.Str == "rollback_started" || again
			d.again = again
		case fieldJobIteration:
			d.iteration = iterationOf(f.Value)
		}
	}
	if ev.Op == trace.OpSnapshot && d.spec > 1 && ev.Fields.Get(fieldUpdateState).Type == trace.Absent {
		d.updating, d.again = true, true // the spec may have been sent again before the snapshots
	}
}

const startFirstOrder = "start_first"

// hasElements says that a list is not empty.
func hasElements(v trace.Value) bool { return v.Type == trace.Other && v.Str != "[]" }

func iterationOf(v trace.Value) int32 {
	if v.Type != trace.Int || v.Int < 0 || v.Int >= 1<<30 {
		return noIteration
	}
	return int32(v.Int)
}

// nodeStatus is a node's raw status.
type nodeStatus uint8

const (
	noStatus nodeStatus = iota // not given
	readyStatus
	downStatus
	otherStatus // unknown, disconnected
)

// availability is what the operator asks of a node.
type availability uint8

const (
	noAvailability availability = iota // not given
	activeNode
	pausedNode
	drainedNode
)

var statusNames = [...]string{noStatus: "", readyStatus: "ready", downStatus: "down", otherStatus: "unknown"}

var availabilityNames = [...]string{
	noAvailability: "", activeNode: "active", pausedNode: "pause", drainedNode: "drain",
}

func (a availability) String() string {
	if a == noAvailability {
		return "not given"
	}
	return availabilityNames[a]
}

// dockerNode are the fields of a node, and its history.
type dockerNode struct {
	status       nodeStatus
	availability availability
	changed      moment // when its last line came
	away         moment // when it was last not up, or removed, before now
	lost         moment // when it was last lost, before now
	runnable     int    // tasks t with Runnable(t) /\ t.node = n
}

func (d *dockerNode) merge(ev *trace.Event) {
	for i := range ev.Fields {
		f := &ev.Fields[i]
		switch f.Name {
		case fieldStatus:
			d.status = otherStatus
			if at := slices.Index(statusNames[:otherStatus], f.Str); at >= 0 {
				d.status = nodeStatus(at)
			}
		case fieldAvailability:
			d.availability = availability(max(0, slices.Index(availabilityNames[:], f.Str)))
		}
	}
}

// lost is lost(n).
func (n *node) lost() bool {
	switch {
	case n == nil:
		return false
	case !n.exists, n.docker.status == downStatus, n.docker.availability == drainedNode, n.docker.availability == noAvailability:
		return true
	}
	return n.docker.status == noStatus && !n.up
}

// wasAway says that the node was down, or no node, at the moment or since.
func (n *node) wasAway(since moment) bool {
	return !n.isUp() || n.docker.away.step >= since.step
}

// isWanted is W(t): whatever its state, the task is to run, or, of a job, to
// complete. Where it does not hold, D(t) does.
func (v *taskRest) isWanted() bool {
	return v.desired == Ready || v.desired == Running || v.desired == Complete
}

// mayComplete reports whether the profile permits the task's desired_state.
func (v *taskValue) mayComplete() bool {
	return v.desired != Complete || v.service.docker.mayBeJob() || v.service.isAttachment()
}

// isGone is gone(sid).
func (sv *service) isGone() bool { return !sv.exists && sv.gone }

// isAttachment says that the tasks have no service: they attach containers to a
// network.
func (sv *service) isAttachment() bool { return sv.id == "" }

// underMoby says which profile the machine is to judge by.
func underMoby(c *validators.Config) bool { return c.Profile == swarm.Moby }
