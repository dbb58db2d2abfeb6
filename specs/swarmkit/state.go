package swarmkit

import (
	"strings"

	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// state is the variables tasks, services and nodes, with their indexes. What most steps need
// comes first, so that it takes few cache lines.
type state struct {
	maxTerminated int32
	moby          bool  // the profile
	attach        bool  // what the stream has not shown may exist
	serviceless   int32 // tasks of services that are gone
	serviceCount  int32 // of those that exist
	tasks         validators.Index[*task]
	totals        totals
	ordered       bool // globals are in the order of their ids
	*scratch
	owed     *perStatus[duty]
	records  codec.Records[*vslot] // as written down
	services validators.Index[*service]
	nodes    validators.Index[*node]

	none    *service        // represents a service that is not known; nil until one is
	anyNode validators.Gate // Node # {}
	globals []*service      // those that exist
	spread  []*service      // those that have had vslots that are nodes
	numbers numbers         // of the nodes
}

// scratch is what the current step leaves: one for all machines of a goroutine.
type scratch struct {
	idle      []record                   // that nothing used at some time in the step
	spare     []*slotRest                // of vslots that share theirs now
	few       [1 << 8]*[1 << 8]*slotRest // that vslots with few tasks share, by their bits
	still     pair                       // in which nothing changes, for the guards of what is owed
	stillSpec serviceChange
}

// init makes it the state of which nothing is known.
func (s *state) init(maxTerminated int32, moby, attach bool, room *scratch) {
	*s = state{maxTerminated: maxTerminated, moby: moby, attach: attach, scratch: room}
}

// mayHide says that the service may have tasks that the stream has not shown.
func (s *state) mayHide(sv *service) bool { return s.attach && !sv.created }

// unknown is the record that represents a service that is not known.
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
		sv.mobyService = &mobyService{docker: dockerService{iteration: noIteration}}
		if s.attach {
			sv.docker.maxAttempts = noAttempts
		}
	}
	return sv
}

// service returns the record of the id, made where there is none.
func (s *state) service(id string) *service {
	sv := s.services.Get(id)
	if sv == nil {
		sv = s.blankService(strings.Clone(id))
		s.services.Put(sv)
		sv.release(s)
	}
	return sv
}

// record is a service, a node or a vslot.
type record interface{ sweep(s *state) }

// release has the record go when the step ends, if nothing uses it.
func (sv *service) release(s *state) {
	if !sv.idle && !sv.isUsed() {
		sv.idle, s.idle = true, append(s.idle, sv)
	}
}

func (sv *service) sweep(s *state) {
	if sv.idle = false; !sv.isUsed() {
		s.services.Delete(sv.id)
		if sv.vslots.nodes != nil {
			last := len(s.spread) - 1
			s.spread[sv.spread], s.spread[last].spread = s.spread[last], sv.spread
			s.spread[last], s.spread = nil, s.spread[:last]
		}
	}
}

func (sv *service) isUsed() bool {
	return sv.exists || sv.tasks > 0 || sv.unknown || sv.mobyService != nil && len(sv.recent) > 0
}

// node is as service.
func (s *state) node(id string) *node {
	n := s.nodes.Get(id)
	if n == nil {
		n = &node{id: strings.Clone(id), number: s.numbers.take()}
		if s.moby {
			n.docker = &dockerNode{}
		}
		s.nodes.Put(n)
		n.release(s)
	}
	return n
}

// sweep ends the step. It drops the records that nothing uses any more, or that an event named
// without effect.
func (s *state) sweep() {
	if len(s.idle) > 0 {
		for _, r := range s.idle {
			r.sweep(s)
		}
		s.idle = emptyList(s.idle)
	}
	s.still.sid, s.still.vslot, s.still.node = nil, nil, nil
}

func (vs *vslot) sweep(*state) {
	if vs.idle = false; vs.count == 0 {
		vs.service.vslots.drop(vs.key)
	}
}

func (n *node) release(s *state) {
	if n != nil && !n.idle && !n.isUsed() {
		n.idle, s.idle = true, append(s.idle, n)
	}
}

func (n *node) sweep(s *state) {
	if n.idle = false; !n.isUsed() {
		s.nodes.Delete(n.id)
		s.numbers.free = append(s.numbers.free, n.number)
	}
}

func (n *node) isUsed() bool { return n.shown || n.named > 0 }

// putTask sets the task of the id, new or not.
func (s *state) putTask(id string, v taskValue) *task {
	t := s.tasks.Get(id)
	if t == nil {
		return s.addTask(strings.Clone(id), v)
	}
	s.setTask(t, &v)
	return t
}

// addTask adds a task of an id that is to be kept, and not there yet.
func (s *state) addTask(id string, v taskValue) *task {
	t := &task{id: id}
	s.tasks.Put(t)
	s.enter(t, &v)
	return t
}

// setTask changes a task that exists.
func (s *state) setTask(t *task, v *taskValue) {
	if t.countsAlike(v) && (!s.moby || t.dockerCountsAlike(v)) {
		s.records.Keep(t.in)
		t.taskRest = v.taskRest
		return
	}
	old := t.value()
	if old.service == v.service && old.sharesVSlot(v) {
		s.records.Keep(t.in)
		t.taskRest = v.taskRest
		s.tally(t.in, &old, v)
		s.refresh(v.service)
	} else {
		s.leave(t)
		s.enter(t, v)
	}
	old.node.release(s)
}

// setState changes the state of a task, and perhaps gives it a first node, in the same vslot. With
// them it changes so many of the counts; not under the profile moby.
func (s *state) setState(t *task, v *taskValue, changed tallies) {
	s.records.Keep(t.in)
	if changed == 0 {
		t.taskRest = v.taskRest
		return
	}
	old := t.value()
	t.taskRest = v.taskRest
	s.tally(t.in, &old, v)
	s.refresh(v.service)
}

// dropTask deletes the task of the id.
func (s *state) dropTask(id string) {
	t := s.tasks.Get(id)
	s.leave(t)
	s.tasks.Delete(t.id)
	t.node.release(s)
}

func (s *state) enter(t *task, v *taskValue) {
	sv, key := v.service, v.vslot()
	vs := sv.vslots.get(key)
	if vs == nil {
		vs = &vslot{service: sv, key: key, slotRest: &sharedCounts[0]}
		s.records.Add(vs)
		if s.moby {
			vs.slotRest = newDockerRest()
		}
		if key.slot == globalSlot && sv.vslots.nodes == nil {
			sv.spread, s.spread = int32(len(s.spread)), append(s.spread, sv)
		}
		sv.vslots.put(vs)
	}
	if n := key.node; n != nil && vs.count == 0 {
		sv.nodeSlots += change(false, n.exists)
	}
	if s.moby && t.extra == nil {
		t.extra = newExtra()
	}
	s.records.Keep(vs)
	t.taskRest, t.in = v.taskRest, vs
	vs.prepend(t)
	s.tally(vs, nil, v)
	s.refresh(sv)
}

func (s *state) leave(t *task) {
	vs, sv, v := t.in, t.in.service, t.value()
	s.records.Keep(vs)
	vs.remove(t)
	s.tally(vs, &v, nil)
	if vs.count == 0 {
		if !vs.idle {
			vs.idle, s.idle = true, append(s.idle, vs)
		}
		if n := vs.key.node; n != nil {
			sv.nodeSlots += change(n.exists, false)
		}
	}
	s.refresh(sv)
	sv.release(s)
}

// putService sets a service that exists from now on.
func (s *state) putService(id string, v serviceValue) {
	sv := s.service(id)
	if sv.isGone() {
		s.serviceless -= sv.tasks
	}
	s.serviceCount += change(sv.exists, true)
	sv.serviceValue, sv.exists, sv.gone = v, true, false
	s.refresh(sv)
}

// dropService takes the service from DOMAIN services.
func (s *state) dropService(id string) {
	sv := s.services.Get(id)
	s.serviceCount += change(sv.exists, false)
	sv.serviceValue, sv.exists, sv.gone = serviceValue{}, false, true
	s.serviceless += sv.tasks
	s.refresh(sv)
	sv.release(s)
}

// putNode sets a node that exists from now on.
func (s *state) putNode(id string, v nodeValue) {
	n := s.node(id)
	n.shown = true
	s.setNode(n, true, v)
}

func (s *state) setNode(n *node, exists bool, v nodeValue) {
	s.totals.countNode(n, -1)
	appears := exists != n.exists
	n.exists, n.nodeValue = exists, v
	s.totals.countNode(n, +1)
	if appears {
		s.settleGlobals()
		for _, sv := range s.spread {
			vs := sv.vslot(vslotKey{globalSlot, n})
			if vs == nil {
				continue
			}
			sv.nodeSlots += change(!exists, exists)
			if vs.running > 0 {
				sv.runningNodes += change(!exists, exists)
				s.refresh(sv)
			}
		}
	}
}
