package workerimpl_test

import "slices"

// The module again, naive: a state is a small value, every successor is listed,
// and nothing is shared with the package. Up to five ids and three nodes.

var (
	oStates   = []string{"new", "pending", "assigned", "accepted", "preparing", "ready", "starting", "running", "complete", "shutdown", "failed", "rejected", "remove", "orphaned"}
	oDesired  = []string{"ready", "running", "shutdown", "remove"}
	oConts    = []string{"running", "terminating", "complete", "failed"}
	oIDs      = []string{"t1", "t2", "t3", "t4", "t5"}
	oNodes    = []string{"n1", "n2", "n3"}
	oServices = []string{"web", "api"}
)

const (
	maxIDs     = 5
	maxNodes   = 3
	nobody     = int8(-1) // unassigned
	otherwhere = int8(-2) // a worker on none of the nodes
	globalMode = 0

	absent  = 0 // a node that the trace has not shown
	isUp    = 1
	isDown  = 2
	isGone  = 3
	removed = 255 // of a goal: whatever the node is
)

// oTask is a task; states are indices into oStates.
type oTask struct {
	here    bool
	service uint8
	slot    int8 // globalMode: global
	node    int8
	state   uint8
	desired uint8
}

type oCont struct {
	here  bool
	node  int8
	state uint8 // an index into oConts
}

type oState struct {
	tasks [maxIDs]oTask
	conts [maxIDs]oCont
	nodes [maxNodes]uint8
}

func st(name string) uint8 { return uint8(slices.Index(oStates, name)) }
func ct(name string) uint8 { return uint8(slices.Index(oConts, name)) }

var (
	oNew, oAssigned, oRunning     = st("new"), st("assigned"), st("running")
	oComplete, oShutdown, oFailed = st("complete"), st("shutdown"), st("failed")
	oRejected, oRemove, oOrphaned = st("rejected"), st("remove"), st("orphaned")
	oReady, oStarting             = st("ready"), st("starting")

	cRunning, cTerminating, cComplete, cFailed = ct("running"), ct("terminating"), ct("complete"), ct("failed")
)

// vslot of a task: the slot, or the node below zero.
func (t oTask) vslot() int8 {
	if t.slot == globalMode {
		return -10 + t.node
	}
	return t.slot
}

func (s oState) up(n int8) bool   { return n >= 0 && s.nodes[n] == isUp }
func (s oState) down(n int8) bool { return n >= 0 && s.nodes[n] != absent && s.nodes[n] != isUp }

// has is id \in DOMAIN containers, of the worker.
func (s oState) has(i int, worker int8) bool { return s.conts[i].here && s.conts[i].node == worker }

var progressPairs = [][2]string{{"assigned", "accepted"}, {"accepted", "preparing"}, {"preparing", "ready"}, {"ready", "starting"}, {"starting", "running"}}

// oTransitions is the table of Tasks.tla; "" is null.
var oTransitions = map[string][][2]string{
	"orchestrator": {{"", "new"}},
	"allocator":    {{"new", "pending"}},
	"scheduler":    {{"pending", "assigned"}},
	"agent": append([][2]string{
		{"assigned", "rejected"}, {"accepted", "rejected"}, {"preparing", "rejected"}, {"ready", "rejected"}, {"starting", "rejected"},
		{"running", "complete"}, {"running", "failed"}, {"running", "shutdown"},
		{"assigned", "orphaned"}, {"accepted", "orphaned"}, {"preparing", "orphaned"}, {"ready", "orphaned"}, {"starting", "orphaned"}, {"running", "orphaned"},
	}, progressPairs...),
	"reaper": {{"new", ""}, {"pending", ""}, {"rejected", ""}, {"complete", ""}, {"failed", ""}, {"shutdown", ""}, {"orphaned", ""}},
}

// legal is the set of pairs that a task's state may take by UpdateTask, by the
// agent or by another component.
var legal = func() (m struct{ agent, other [14][14]bool }) {
	for actor, pairs := range oTransitions {
		for _, p := range pairs {
			if p[0] == "" || p[1] == "" {
				continue
			}
			if actor == "agent" {
				m.agent[st(p[0])][st(p[1])] = true
			} else {
				m.other[st(p[0])][st(p[1])] = true
			}
		}
	}
	return m
}()

var removable = func() (m [14]bool) {
	for _, p := range oTransitions["reaper"] {
		m[st(p[0])] = true
	}
	return m
}()

// oStep is a step and the action that it is.
type oStep struct {
	action string
	next   oState
}

// kind of an id that CreateTask may make.
type oIdentity struct {
	id      int
	service uint8
	slot    int8
	node    int8 // of a global one
}

// universe bounds what the naive successors are drawn from.
type universe struct {
	identities []oIdentity
	may        *changeable // nil: everything may change
}

// changeable are the objects that a step may change.
type changeable struct {
	tasks, conts [maxIDs]bool
	nodes        [maxNodes]bool
}

func (u universe) task(i int) bool { return u.may == nil || u.may.tasks[i] }

// successors lists every step of the module for the worker. A worker that is
// otherwhere has no tasks and no containers, and is not up.
func successors(s oState, worker int8, u universe) []oStep {
	var all []oStep
	add := func(action string, next oState) { all = append(all, oStep{action, next}) }
	otherComponent(s, worker, u, add)
	agentOnTasks(s, worker, u, add)
	agentOnContainers(s, worker, u, add)
	for n := range int8(maxNodes) {
		if u.may != nil && !u.may.nodes[n] {
			continue
		}
		next := s
		if s.up(n) {
			next.nodes[n] = isDown
			add("WorkerDown", next)
		} else if s.down(n) {
			next.nodes[n] = isUp
			add("WorkerUp", next)
		}
	}
	return all
}

func otherComponent(s oState, worker int8, u universe, add func(string, oState)) {
	for _, id := range u.identities {
		if s.tasks[id.id].here || s.has(id.id, worker) || !u.task(id.id) {
			continue
		}
		t := oTask{here: true, service: id.service, slot: id.slot, node: nobody, state: oNew}
		if id.slot == globalMode {
			if t.node = id.node; t.node < 0 || s.nodes[t.node] == absent {
				continue
			}
		}
		clash := false
		for _, t2 := range s.tasks {
			clash = clash || t2.here && t2.service == t.service && (t2.slot == globalMode) != (t.slot == globalMode)
		}
		if clash {
			continue
		}
		for _, t.desired = range []uint8{oReady, oRunning} {
			next := s
			next.tasks[id.id] = t
			add("CreateTask", next)
		}
	}
	for i, t := range s.tasks {
		if !t.here || !u.task(i) {
			continue
		}
		for state := range uint8(14) {
			if state != t.state && !legal.other[t.state][state] && !(legal.agent[t.state][state] && t.node != worker) {
				continue
			}
			for node := nobody; node < maxNodes; node++ {
				inNode := node >= 0 && s.nodes[node] != absent
				if state == oAssigned && t.node == nobody {
					if !inNode {
						continue
					}
				} else if node != t.node {
					continue
				}
				for _, desired := range oDesired {
					t2 := t
					t2.state, t2.node, t2.desired = state, node, st(desired)
					if t2.vslot() == t.vslot() {
						next := s
						next.tasks[i] = t2
						add("UpdateTask", next)
					}
				}
			}
		}
		if removable[t.state] {
			next := s
			next.tasks[i] = oTask{}
			add("RemoveTask", next)
		}
	}
}

func agentOnTasks(s oState, worker int8, u universe, add func(string, oState)) {
	for i, t := range s.tasks {
		if !t.here || !u.task(i) {
			continue
		}
		for _, p := range progressPairs {
			if t.state == st(p[0]) && st(p[1]) <= t.desired && s.up(t.node) {
				next := s
				next.tasks[i].state = st(p[1])
				if p[1] == "running" {
					if s.conts[i].here && s.conts[i].node != worker {
						continue // the trace's id is taken
					}
					next.conts[i] = oCont{true, worker, cRunning}
				}
				add("ProgressTask", next)
			}
		}
		if t.state >= oAssigned && t.state <= oStarting && t.node == worker && s.up(worker) {
			next := s
			next.tasks[i].state = oRejected
			add("RejectTask", next)
		}
	}
	if s.down(worker) {
		next := s
		for i, t := range s.tasks {
			if t.here && t.node == worker && t.state >= oAssigned && t.state < oRemove && t.state <= oRunning {
				next.tasks[i].state = oOrphaned
			}
		}
		add("OrphanTasks", next)
	}
}
