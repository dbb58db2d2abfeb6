package workerimpl

import (
	"cmp"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// taskValue is a task without its id.
type taskValue struct {
	service *service
	node    *node // nil = unassigned
	slot    int64
	taskStates
}

// taskStates are apart, since the compiler keeps no struct of more than four fields in registers.
type taskStates struct {
	state, desired State
	model.Marks
}

func (v taskValue) withState(s State) taskValue { v.state = s; return v }

func (v *taskValue) isGlobal() bool { return v.slot == globalSlot }

// sameID is Id(v) = Id(w) of tasks with one id.
func (v *taskValue) sameID(w *taskValue) bool {
	return v.service == w.service && v.slot == w.slot && (v.slot != globalSlot || v.node == w.node)
}

// isStuck says that even UpdateTask to the same task would have to set a node.
func (v *taskValue) isStuck() bool { return v.state == Assigned && v.node == nil }

// containerValue is a container without its id. node is the worker whose
// variable `containers` it is in.
type containerValue struct {
	node  *node // nil where the field is outside its type
	state containerState
	model.Marks
}

// unit is a ModelTaskId that is in IdSet(tasks), in DOMAIN containers, or both.
type unit struct {
	id      string
	hasTask bool
	hasCont bool
	known   bool // the stream has shown the task, though it may be gone
	codec.Mark
	task  taskValue
	cont  containerValue
	waits [unitWaits]*validators.Obligation
}

// on is the unit's container on worker n, nil if there is none.
func (u *unit) on(n *node) *containerValue {
	if u == nil || !u.hasCont || u.cont.node != n {
		return nil
	}
	return &u.cont
}

// contOn is the state of the unit's container on worker n.
func (u *unit) contOn(n *node) containerState {
	if c := u.on(n); c != nil {
		return c.inDomain()
	}
	return noContainer
}

// inDomain is the state of a container that there is.
func (v *containerValue) inDomain() containerState {
	if v.state == noContainer {
		return badContainer
	}
	return v.state
}

// service is a service that some task names, with the modes of its tasks.
type service struct {
	id    string
	tasks [2]int // by mode: those with slot # global, and those with slot = global
}

// Key implements validators.Keyed.
func (sv *service) Key() string { return sv.id }

// nodeValue is a NodeState.
type nodeValue struct {
	up bool
	model.Marks
}

// node is a node that the stream has shown, or that a task or container names.
type node struct {
	nodeValue
	id     string
	shown  bool // in Node: the stream has shown it, though it may be gone
	exists bool // in DOMAIN nodes
	either bool // in the search for a batched step: up or down, as an action needs it
	refs   int  // units of which the task or the container names it

	wholes [symbolModes]count

	// The first step that it could not explain, were it an instance's `node`: what is
	// found of that if it becomes one.
	blame    *validators.Finding
	isWorker bool // a container line has named it: it is an instance's `node`
	mark     int  // the last step that touched it: the next two are of that step
	from, to int  // its containers in binder.conts; where there are none, to is 0, and from its place in binder.touched

	noted facts // as last counted in state.totals
	nodeWaits
}

// isUp is IsUp(n); a node that is gone is not up.
func (n *node) isUp() bool { return n != nil && (n.exists && n.up || n.either) }

// isDown is n \in Node /\ ~IsUp(n).
func (n *node) isDown() bool { return n != nil && n.shown && (!n.exists || !n.up || n.either) }

// state is the variables tasks, nodes and every worker's containers, with their
// indexes.
type state struct {
	attach   bool // what the stream has not shown may exist
	units    validators.Index[*unit]
	records  codec.Records[*unit] // as written down
	services validators.Index[*service]
	nodes    validators.Index[*node]
	crowded  *validators.Finding // a step that no worker could explain which the step does not touch
	only     *node               // where crowded is set, the one node that could have been the worker

	live   int       // objects that exist
	shown  int       // nodes that are shown
	up     int       // nodes that exist and are up
	totals [3]totals // by role
	calm   int       // tasks that UpdateTask may leave as they are

	reactions *reactions
	owed      *owed

	none      *service // represents a service that is not known
	elsewhere *node    // represents a worker that no task and container of a step is on
	loose     []record // to be looked at by the next sweep
}

// record is a service, node or unit, which goes where nothing uses it.
type record interface{ sweep(s *state) }

func newState(attach bool) *state {
	return &state{attach: attach, none: &service{}, elsewhere: &node{id: "another worker"}}
}

// service returns the record of the id, made where there is none. One that
// ends up unused goes at the next sweep.
func (s *state) service(id string) *service {
	sv := s.services.Get(id)
	if sv == nil {
		sv = &service{id: strings.Clone(id)}
		s.services.Put(sv)
		s.loose = append(s.loose, sv)
	}
	return sv
}

// node is as service.
func (s *state) node(id string) *node {
	n := s.nodes.Get(id)
	if n == nil {
		n = &node{id: strings.Clone(id)}
		s.nodes.Put(n)
		s.loose = append(s.loose, n)
	}
	return n
}

// sweep drops the records that nothing uses any more, or that an event named in
// vain.
func (s *state) sweep() {
	for _, r := range s.loose {
		r.sweep(s)
	}
	clear(s.loose)
	s.loose = s.loose[:0]
}

func (sv *service) sweep(s *state) {
	if sv.tasks == [2]int{} && sv != s.none {
		s.services.Delete(sv.id)
	}
}

func (n *node) sweep(s *state) {
	if n.refs == 0 && !n.shown {
		s.hire(n, false)
		s.nodes.Delete(n.id)
	}
}

func (u *unit) sweep(s *state) {
	if !u.hasTask && !u.hasCont {
		s.units.Delete(u.id)
	}
}

// unit is as service.
func (s *state) unit(id string) *unit {
	u := s.units.Get(id)
	if u == nil {
		if s.reactions == nil { // a start without tasks needs no tables
			s.reactions, s.owed = allReactions(), allOwed()
		}
		u = &unit{id: strings.Clone(id)}
		s.units.Put(u)
		s.records.Add(u)
		s.loose = append(s.loose, u)
	}
	return u
}

// unitOf is the unit of the event's object.
func (s *state) unitOf(ev *trace.Event) *unit {
	if u := s.units.Of(ev); u != nil {
		return u
	}
	return s.unit(ev.ID)
}

// setTask sets the unit's task; nil: there is none any more.
func (s *state) setTask(u *unit, v *taskValue) {
	s.change(u, func() {
		if u.hasTask, u.task = v != nil, (taskValue{}); v != nil {
			u.task, u.known = *v, true
		}
	})
}

// setContainer is as setTask.
func (s *state) setContainer(u *unit, v *containerValue) {
	s.change(u, func() {
		if u.hasCont, u.cont = v != nil, (containerValue{}); v != nil {
			u.cont = *v
		}
	})
}

// change sets what there is of the unit. What only an old value used is left to the sweep.
func (s *state) change(u *unit, set func()) {
	s.records.Keep(u)
	sv, shares := u.task.service, s.shares(u)
	s.tally(u, -1)
	set()
	s.tally(u, +1)
	if sv != nil && sv != u.task.service {
		s.loose = append(s.loose, sv)
	}
	now := s.shares(u)
	for i := range now {
		if shares[i] != now[i] {
			s.exchange(&shares[i], &now[i])
		}
	}
	if !u.hasTask && !u.hasCont {
		s.loose = append(s.loose, u)
	}
}

// setNode is as setTask. One that is no more in DOMAIN nodes stays in Node: tasks may
// still name it.
func (s *state) setNode(id string, v *nodeValue) {
	n := s.node(id)
	s.shown += model.BoolInt(!n.shown)
	s.live += model.BoolInt(v != nil) - model.BoolInt(n.exists)
	s.up -= model.BoolInt(n.up)
	n.nodeValue, n.shown, n.exists = *cmp.Or(v, &nodeValue{}), true, v != nil
	s.up += model.BoolInt(n.up)
	s.refresh(n)
}

// hire says whether the node is an instance's `node`. It reports whether that is new.
func (s *state) hire(n *node, is bool) bool {
	if n.isWorker == is {
		return false
	}
	n.isWorker = is
	s.refresh(n)
	return true
}
