package swarmkit

import (
	"strings"

	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// vslotKey is VSlot(t): the slot, or the node where the slot is global.
type vslotKey struct {
	slot int64
	node *node // only where slot = global; nil = unassigned
}

// taskValue is a task without its id.
type taskValue struct {
	service *service
	node    *node // nil = unassigned
	slot    int64
	state   State
	desired State
	bad     badFields // fields outside their types
	unseen  badFields // fields not known yet, under --attach

	docker taskNote // under the profile moby
}

// taskNote is a task's job_iteration, and whether it is known that the spec it was
// made by has it replaced whenever it stops: tasks are many.
type taskNote int32

func (n taskNote) iteration() int32 { return int32(n >> 1) }
func (n taskNote) restarts() bool   { return n&1 != 0 }

func (n taskNote) withIteration(i int32) taskNote { return taskNote(i)<<1 | n&1 }
func (n taskNote) withRestarts(is bool) taskNote  { return n&^1 | taskNote(b2i(is)) }

func (v taskValue) vslot() vslotKey {
	if v.slot == globalSlot {
		return vslotKey{globalSlot, v.node}
	}
	return vslotKey{slot: v.slot}
}

// t EXCEPT; the field's new value is within its type.
func (v taskValue) withState(s State) taskValue {
	v.state, v.bad = s, v.bad&^badStateField
	return v
}

func (v taskValue) withDesired(s State) taskValue {
	v.desired, v.bad = s, v.bad&^badDesiredField
	return v
}

func (v taskValue) withNode(n *node) taskValue {
	v.node, v.bad = n, v.bad&^badNodeField
	return v
}

// newTask is NewTask(sid, vslot, id, desired) of Tasks.tla.
func newTask(sid *service, vslot vslotKey, desired State) taskValue {
	return taskValue{service: sid, slot: vslot.slot, node: vslot.node, state: New, desired: desired}
}

// asTold is the task with what a line tells of it that no rule is about.
func (v taskValue) asTold(told *taskValue) taskValue {
	v.docker = told.docker
	return v
}

// task is a live task.
type task struct {
	taskValue
	id    string
	in    *vslot
	waits taskWaits
	past  *past // under the profile moby

	before, after *task // in the vslot's list
}

// vslot is a non-empty TasksOfVSlot(sid, vslot), with the counts that guards
// read. In the frame of a batched step the counts include tasks that the list
// leaves out.
type vslot struct {
	service *service
	key     vslotKey
	first   *task // of the list of its tasks
	docker  *dockerSlot
	waits   slotWaits
	place   int32 // of a node's slot: where the node lists it
	emptied bool  // in state.emptied
	codec.Mark

	count           int32 // Cardinality(TasksOfVSlot)
	runnable        int32 // Runnable(t)
	running         int32 // State(t) = running
	terminated      int32 // State(t) \in { complete, shutdown, failed, rejected }
	terminatedGoing int32 // of these, desired_state = remove
	notRemove       int32 // desired_state # remove
	wanted          int32 // in RunnableWantedTasks
	ready           int32 // State(t) = ready /\ t.desired_state = ready
}

// all yields the vslot's tasks.
func (vs *vslot) all(yield func(*task) bool) {
	for t := vs.first; t != nil && yield(t); t = t.after {
	}
}

// serviceValue is a ServiceSpec.
type serviceValue struct {
	replicas int64 // globalReplicas, or at least 0
	remove   bool
	bad      badFields // as of a task
	unseen   badFields
}

func (v serviceValue) flagged() serviceValue {
	v.remove, v.bad = true, v.bad&^badRemoveField
	return v
}

func (v serviceValue) isReplicated() bool { return v.replicas >= 0 }
func (v serviceValue) isGlobal() bool     { return v.replicas == globalReplicas }

// service is a service that stands, or that a task names.
type service struct {
	serviceValue
	id      string
	exists  bool   // in DOMAIN services
	gone    bool   // was, and is no more
	held    bool   // by the search for a batched step: the record stays though nothing uses it
	unknown bool   // stands for a service that is not known
	vslots  vslots // also those that the step at hand has emptied

	slots        int   // Cardinality(VSlotsOf(sid))
	wanted       int   // Cardinality(RunnableWantedTasks(sid))
	wantedGlobal int32 // of these, t.slot = global
	tasks        int32 // Cardinality(TasksOf(sid))
	notRemove    int32 // desired_state # remove
	running      int32 // State(t) = running
	runningNodes int32 // nodes that are a vslot with a running task
	nodeSlots    int32 // nodes that are a vslot
	fullSlots    int32 // vslots with more than maxTerminated tasks that are ~Runnable
	cleanupSlots int32 // vslots where CleanupTerminated may stutter

	noted facts // as last counted in state.totals

	written int32 // its place, from 1, where the services were last written
	global  int32 // its place in state.globals, if noted.global

	*dockerized // nil but under the profile moby

	waitsSlots, waitsRemoval *validators.Obligation
}

// vslot is the vslot of the key, nil if it is empty.
func (sv *service) vslot(key vslotKey) *vslot {
	if vs := sv.vslots.get(key); vs != nil && vs.count > 0 {
		return vs
	}
	return nil
}

// someTask returns a task of the service, always the same one, nil if it has
// none. It looks at them all: for reports.
func (sv *service) someTask() *task {
	var first *task
	for vs := range sv.vslots.all {
		for t := range vs.all {
			if first == nil || t.id < first.id {
				first = t
			}
		}
	}
	return first
}

// node is a node that the stream has shown, or that a task names.
type node struct {
	id      string
	shown   bool // in Node: the stream has shown it, though it may be gone
	exists  bool // in DOMAIN nodes
	up      bool
	bad     badFields
	held    bool        // as of a service
	either  bool        // in the search for a batched step: up or down, as an action needs it
	written int32       // its place where the nodes were last written
	owned   int32       // tasks that OrphanTasks would affect
	named   int32       // tasks that name it
	docker  *dockerNode // nil but under the profile moby
	slots   []*vslot    // non-empty slots that it is, of global tasks

	connected             validators.Gate // IsUp(n)
	waitsUp, waitsOrphans *validators.Obligation
}

// isUp is IsUp(n); a node that is gone is not up.
func (n *node) isUp() bool { return n != nil && (n.exists && n.up || n.either) }

// isDown is n \in Node /\ ~IsUp(n).
func (n *node) isDown() bool { return n != nil && n.shown && (!n.exists || !n.up || n.either) }

// state is the variables tasks, services and nodes, with their indexes.
type state struct {
	maxTerminated int32
	moby          bool  // the profile
	serviceless   int32 // tasks of services that are gone
	standing      int32 // services
	tasks         validators.Index[*task]
	services      validators.Index[*service]
	nodes         validators.Index[*node]
	totals        totals
	*scratch

	globals []*service      // those that stand
	none    *service        // stands for a service that is not known; nil until one is
	anyNode validators.Gate // Node # {}

	records codec.Records[*vslot] // as written down
}

// scratch is what the step at hand leaves, and what it may use of those before
// it: one for all machines of a goroutine. Between steps it has spare records
// alone.
type scratch struct {
	freshService []*service
	freshNode    []*node
	emptied      []*vslot // since the last purge
	spareTasks   pool[task]
	spareVSlots  pool[vslot]
}

// init makes it the state of which nothing is known.
func (s *state) init(maxTerminated int32, moby bool, room *scratch) {
	*s = state{maxTerminated: maxTerminated, moby: moby, scratch: room}
}

// unknown is the record that stands for a service that is not known.
func (s *state) unknown() *service {
	if s.none == nil {
		s.none = s.blankService("")
		s.none.unknown = true
	}
	return s.none
}

// withUnknown are the services, and the record for one that is not known if
// there is one.
func (s *state) withUnknown(services []*service) []*service {
	if s.none == nil {
		return services
	}
	return append([]*service{s.none}, services...)
}

func (s *state) blankService(id string) *service {
	sv := &service{id: id, noted: facts{settled: -1}}
	if s.moby {
		sv.dockerized = &dockerized{docker: dockerService{iteration: untold}}
	}
	return sv
}

// service returns the record of the id, made where there is none. One that
// ends up unused goes at the next sweep.
func (s *state) service(id string) *service {
	sv := s.services.Get(id)
	if sv == nil {
		sv = s.blankService(strings.Clone(id))
		s.services.Put(sv)
		s.freshService = append(s.freshService, sv)
	}
	return sv
}

func (s *state) releaseService(sv *service) {
	if !sv.exists && sv.tasks == 0 && !sv.held && !sv.unknown && (sv.dockerized == nil || len(sv.recent) == 0) {
		s.services.Delete(sv.id)
	}
}

// node is as service.
func (s *state) node(id string) *node {
	n := s.nodes.Get(id)
	if n == nil {
		n = &node{id: strings.Clone(id)}
		if s.moby {
			n.docker = &dockerNode{}
		}
		s.nodes.Put(n)
		s.freshNode = append(s.freshNode, n)
	}
	return n
}

// sweep drops the records made since the last one that nothing uses: of
// services and nodes that an event named in vain.
func (s *state) sweep() {
	for _, sv := range s.freshService {
		s.releaseService(sv)
	}
	for _, n := range s.freshNode {
		s.releaseNode(n)
	}
	clear(s.freshService)
	clear(s.freshNode)
	s.freshService, s.freshNode = s.freshService[:0], s.freshNode[:0]
}

// purge drops the vslots that stayed empty, and ends the step.
func (s *state) purge() {
	for _, vs := range s.emptied {
		if vs.emptied = false; vs.count == 0 {
			vs.service.vslots.drop(vs.key)
			if s.records.Writing() == 0 { // else they still have it
				s.spareVSlots.drop(vs)
			}
		}
	}
	clear(s.emptied)
	s.emptied = s.emptied[:0]
	s.spareTasks.settle()
	s.spareVSlots.settle()
}

// keepNode has the record of a node that a task names from now on.
func (s *state) keepNode(n *node) {
	if n != nil && !n.shown {
		s.nodes.Set(n)
	}
}

func (s *state) releaseNode(n *node) {
	if n != nil && !n.shown && n.named == 0 && !n.held {
		s.nodes.Delete(n.id)
	}
}

// putTask sets the task of the id, new or not.
func (s *state) putTask(id string, v taskValue) *task {
	t := s.tasks.Get(id)
	if t == nil {
		return s.addTask(strings.Clone(id), v)
	}
	s.setTask(t, v)
	return t
}

// addTask adds a task of an id that is to be kept, and not there yet.
func (s *state) addTask(id string, v taskValue) *task {
	t := s.spareTasks.take()
	t.id, t.taskValue = id, v
	s.tasks.Put(t)
	s.enter(t)
	return t
}

// setTask changes a task that stands.
func (s *state) setTask(t *task, v taskValue) {
	old := t.taskValue
	if old.service == v.service && old.vslot() == v.vslot() {
		s.records.Keep(t.in)
		s.tally(t.in, &t.taskValue, -1)
		t.taskValue = v
		s.tally(t.in, &t.taskValue, +1)
		s.refresh(v.service)
	} else {
		s.leave(t)
		t.taskValue = v
		s.enter(t)
	}
	if old.node != v.node {
		s.keepNode(v.node)
		s.releaseNode(old.node)
	}
}

// dropTask deletes the task of the id.
func (s *state) dropTask(id string) {
	t := s.tasks.Get(id)
	s.leave(t)
	s.tasks.Delete(t.id)
	s.releaseNode(t.node)
	if !s.moby { // whose history names tasks that are gone
		s.spareTasks.drop(t)
	}
}

func (s *state) enter(t *task) {
	sv, key := t.service, t.vslot()
	// Another change of the step may have let go of what this one uses.
	if !sv.exists && !sv.unknown {
		s.services.Set(sv)
	}
	s.keepNode(t.node)
	vs := sv.vslots.get(key)
	if vs == nil {
		vs = s.spareVSlots.take()
		vs.service, vs.key = sv, key
		s.records.Add(vs)
		if s.moby {
			vs.docker = &dockerSlot{}
		}
		sv.vslots.put(vs)
	}
	if n := key.node; n != nil && vs.count == 0 {
		vs.place = int32(len(n.slots))
		n.slots = append(n.slots, vs)
		sv.nodeSlots += change(false, n.exists)
	}
	if s.moby && t.past == nil {
		t.past = &past{}
	}
	s.records.Keep(vs)
	t.in, t.before, t.after = vs, nil, vs.first
	if vs.first != nil {
		vs.first.before = t
	}
	vs.first = t
	s.tally(vs, &t.taskValue, +1)
	s.refresh(sv)
}

func (s *state) leave(t *task) {
	vs, sv := t.in, t.service
	s.records.Keep(vs)
	if t.before != nil {
		t.before.after = t.after
	} else {
		vs.first = t.after
	}
	if t.after != nil {
		t.after.before = t.before
	}
	s.tally(vs, &t.taskValue, -1)
	if vs.count == 0 {
		if !vs.emptied {
			vs.emptied = true
			s.emptied = append(s.emptied, vs)
		}
		if n := vs.key.node; n != nil {
			last := n.slots[len(n.slots)-1]
			n.slots[vs.place], last.place = last, vs.place
			n.slots = n.slots[:len(n.slots)-1]
			sv.nodeSlots += change(n.exists, false)
		}
	}
	s.refresh(sv)
	s.releaseService(sv)
}

// putService sets a service that stands from now on.
func (s *state) putService(id string, v serviceValue) {
	sv := s.service(id)
	if sv.isGone() {
		s.serviceless -= sv.tasks
	}
	s.standing += change(sv.exists, true)
	sv.serviceValue, sv.exists, sv.gone = v, true, false
	s.refresh(sv)
}

// dropService takes the service from DOMAIN services.
func (s *state) dropService(id string) {
	sv := s.services.Get(id)
	s.standing += change(sv.exists, false)
	sv.serviceValue, sv.exists, sv.gone = serviceValue{}, false, true
	s.serviceless += sv.tasks
	s.refresh(sv)
	s.releaseService(sv)
}

// putNode sets a node that stands from now on.
func (s *state) putNode(id string, up bool, bad badFields) {
	n := s.node(id)
	n.shown = true
	s.setNode(n, true, up, bad)
}

// dropNode takes the node from DOMAIN nodes. It stays in Node: tasks may still
// name it.
func (s *state) dropNode(id string) {
	s.setNode(s.nodes.Get(id), false, false, 0)
}

func (s *state) setNode(n *node, exists, up bool, bad badFields) {
	s.totals.countNode(n, -1)
	appears := exists != n.exists
	n.exists, n.up, n.bad = exists, up, bad
	s.totals.countNode(n, +1)
	if appears {
		s.settleGlobals()
		for _, vs := range n.slots {
			vs.service.nodeSlots += change(!exists, exists)
			if vs.running > 0 {
				vs.service.runningNodes += change(!exists, exists)
				s.refresh(vs.service)
			}
		}
	}
}
