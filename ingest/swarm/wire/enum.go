package wire

import "strconv"

// name is the name of an enumeration's value, its number if it has none.
func name[E ~int32](value E, names ...string) string {
	if value < 0 || int(value) >= len(names) {
		return strconv.Itoa(int(value))
	}
	return names[value]
}

// A manager is newer than this program if it sends a value without a name.
type (
	NodeState        int32
	NodeRole         int32
	NodeAvailability int32
	TaskState        int32
	UpdateOrder      int32
	UpdateState      int32
	RestartCondition int32
	Protocol         int32
	PublishMode      int32
)

// NodeReady is the state of a node that works.
const NodeReady NodeState = 2

func (s NodeState) String() string { return name(s, "UNKNOWN", "DOWN", "READY", "DISCONNECTED") }

func (r NodeRole) String() string { return name(r, "WORKER", "MANAGER") }

func (a NodeAvailability) String() string { return name(a, "ACTIVE", "PAUSE", "DRAIN") }

// taskStates are numbered with gaps, all multiples of 32.
var taskStates = [...]string{
	0: "NEW", 64 / gap: "PENDING", 192 / gap: "ASSIGNED", 256 / gap: "ACCEPTED", 320 / gap: "PREPARING", 384 / gap: "READY",
	448 / gap: "STARTING", 512 / gap: "RUNNING", 576 / gap: "COMPLETE", 640 / gap: "SHUTDOWN", 704 / gap: "FAILED",
	768 / gap: "REJECTED", 800 / gap: "REMOVE", 832 / gap: "ORPHANED",
}

const gap = 32

func (s TaskState) String() string {
	if s%gap == 0 && s >= 0 && int(s/gap) < len(taskStates) && taskStates[s/gap] != "" {
		return taskStates[s/gap]
	}
	return strconv.Itoa(int(s))
}

func (o UpdateOrder) String() string { return name(o, "STOP_FIRST", "START_FIRST") }

func (s UpdateState) String() string {
	return name(s, "UNKNOWN", "UPDATING", "PAUSED", "COMPLETED", "ROLLBACK_STARTED", "ROLLBACK_PAUSED", "ROLLBACK_COMPLETED")
}

func (c RestartCondition) String() string { return name(c, "NONE", "ON_FAILURE", "ANY") }

func (p Protocol) String() string { return name(p, "TCP", "UDP", "SCTP") }

func (m PublishMode) String() string { return name(m, "INGRESS", "HOST") }
