// Package swarm holds what SwarmKit.tla and WorkerImpl.tla both extend:
// Types.tla and Tasks.tla.
package swarm

// State is a TaskState or a DesiredState of Types.tla, in the one order that
// \prec and \preceq compare.
type State uint8

// The states in their order. NoState is a value outside the type.
const (
	NoState State = iota
	New
	Pending
	Assigned
	Accepted
	Preparing
	Ready
	Starting
	Running
	Complete
	Shutdown
	Failed
	Rejected
	Remove // only ever a desired state
	Orphaned
)

var stateNames = [...]string{
	NoState: "?", New: "new", Pending: "pending", Assigned: "assigned", Accepted: "accepted",
	Preparing: "preparing", Ready: "ready", Starting: "starting", Running: "running",
	Complete: "complete", Shutdown: "shutdown", Failed: "failed", Rejected: "rejected",
	Remove: "remove", Orphaned: "orphaned",
}

func (s State) String() string { return stateNames[s] }

// ParseState is a switch, not a map: it is on the path of every task event.
func ParseState(name string) State {
	switch name {
	case "new":
		return New
	case "pending":
		return Pending
	case "assigned":
		return Assigned
	case "accepted":
		return Accepted
	case "preparing":
		return Preparing
	case "ready":
		return Ready
	case "starting":
		return Starting
	case "running":
		return Running
	case "complete":
		return Complete
	case "shutdown":
		return Shutdown
	case "failed":
		return Failed
	case "rejected":
		return Rejected
	case "remove":
		return Remove
	case "orphaned":
		return Orphaned
	}
	return NoState
}

// IsTaskState is membership of TaskState.
func (s State) IsTaskState() bool { return s != NoState && s != Remove }

// IsDesiredState is membership of DesiredState.
func (s State) IsDesiredState() bool {
	return s == Ready || s == Running || s == Shutdown || s == Remove
}

// Prec is s \prec u; no value outside the type is comparable.
func (s State) Prec(u State) bool { return s != NoState && u != NoState && s < u }

// Preceq is s \preceq u.
func (s State) Preceq(u State) bool { return s != NoState && u != NoState && s <= u }

// Runnable is Runnable(t) of a task in state s.
func (s State) Runnable() bool { return s.Preceq(Running) }

// Terminated is membership of { complete, shutdown, failed, rejected }.
func (s State) Terminated() bool {
	return s == Complete || s == Shutdown || s == Failed || s == Rejected
}

// Owned says that the agent has the task and it still runs: assigned \preceq
// s, s \prec remove and Runnable; what OrphanTasks affects.
func (s State) Owned() bool { return Assigned.Preceq(s) && s.Runnable() }

// IsProgress says that ProgressTask takes a task from the state to the other one.
func (s State) IsProgress(to State) bool {
	return Assigned.Preceq(s) && s.Prec(Running) && to == s+1
}

// IsRejectable says that RejectTask may take a task from the state.
func (s State) IsRejectable() bool { return Assigned.Preceq(s) && s.Prec(Running) }

// EndsAs says that ContainerExit takes a task with the desired state to the state: IF s2 =
// failed /\ t.desired_state = shutdown THEN shutdown ELSE s2, for an s2 \in { failed,
// complete }.
func (s State) EndsAs(to State) bool {
	return to == Complete || s == Shutdown && to == Shutdown || s != Shutdown && to == Failed
}

// Transitions are the pairs that Transitions (Tasks.tla) permits to each component; NoState
// means null.
var Transitions = map[string][][2]State{
	"orchestrator": {{NoState, New}},
	"allocator":    {{New, Pending}},
	"scheduler":    {{Pending, Assigned}},
	"agent": {
		{Assigned, Accepted}, {Accepted, Preparing}, {Preparing, Ready}, {Ready, Starting}, {Starting, Running},
		{Assigned, Rejected}, {Accepted, Rejected}, {Preparing, Rejected}, {Ready, Rejected}, {Starting, Rejected},
		{Running, Complete}, {Running, Failed}, {Running, Shutdown},
		{Assigned, Orphaned}, {Accepted, Orphaned}, {Preparing, Orphaned},
		{Ready, Orphaned}, {Starting, Orphaned}, {Running, Orphaned},
	},
	"reaper": {
		{New, NoState}, {Pending, NoState}, {Rejected, NoState}, {Complete, NoState},
		{Failed, NoState}, {Shutdown, NoState}, {Orphaned, NoState},
	},
}

// Permitted reports whether StepTransitionsOK allows the pair to a step of the
// actor; null is NoState.
func Permitted(actor string, from, to State) bool {
	if from == to {
		return true
	}
	return actor != "" && permitted[from][to] == actor
}

// Actor is the component that Transitions permits the pair to, "" where there is
// none.
func Actor(from, to State) string { return permitted[from][to] }

// permitted has for each pair the component that Transitions permits it to: no
// pair is two components'.
var permitted = func() (by [Orphaned + 1][Orphaned + 1]string) {
	for actor, pairs := range Transitions {
		for _, t := range pairs {
			by[t[0]][t[1]] = actor
		}
	}
	return by
}()
