package converge

import (
	"strings"
	"time"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// store has the live objects.
type store struct {
	services map[string]*service
	tasks    map[string]*task
	of       map[string]map[string]*task // tasks, by service
	nodes    map[string]*node
	ports    map[string][]port // that each service has been given
}

func newStore() *store {
	return &store{
		services: map[string]*service{}, tasks: map[string]*task{}, of: map[string]map[string]*task{},
		nodes: map[string]*node{}, ports: map[string][]port{},
	}
}

// change is the change of an object that matters for decisions.
type change struct {
	service      string // the service that it belongs to; "": all services
	before, task *task  // of a task: before and after; nil: it did not or does not exist
	respecified  bool   // of a service: another spec or iteration
	ignored      bool
}

// apply applies the event. at is its time, zero if unknown.
func (s *store) apply(ev *trace.Event, at time.Time) change {
	if ev.Op == trace.OpReject {
		return change{ignored: true}
	}
	id := strings.Clone(ev.ID)
	switch ev.Kind {
	case kinds.Service:
		return s.applyService(ev, id, at)
	case kinds.Task:
		return s.applyTask(ev, id, at)
	case kinds.Node:
		s.applyNode(ev, id)
		return change{}
	case kinds.Endpoint:
		s.applyEndpoint(ev, id)
		return change{}
	}
	return change{ignored: true}
}

func (s *store) applyService(ev *trace.Event, id string, at time.Time) change {
	if ev.Op == trace.OpDelete {
		delete(s.services, id)
		return change{service: id}
	}
	old, existed := s.services[id]
	now := serviceFields.apply(old, ev)
	again := existed && (now.spec != old.spec || now.iteration != old.iteration)
	now.changed = at
	if existed && !again {
		now.changed = old.changed
	}
	now.updateSince = at
	if existed && now.updateState == old.updateState {
		now.updateSince = old.updateSince
	}
	s.services[id] = now
	return change{service: id, respecified: again}
}

func (s *store) applyTask(ev *trace.Event, id string, at time.Time) change {
	old, existed := s.tasks[id]
	if existed {
		delete(s.of[old.service], id)
		if len(s.of[old.service]) == 0 {
			delete(s.of, old.service)
		}
	}
	if ev.Op == trace.OpDelete {
		delete(s.tasks, id)
		if !existed {
			return change{ignored: true}
		}
		return change{service: old.service, before: old}
	}
	now := taskFields.apply(old, ev)
	now.id = id
	if !existed || now.state != old.state || now.desired != old.desired {
		now.since = at
	}
	if !existed || old.err == "" {
		now.errSince = at
	}
	s.tasks[id] = now
	if s.of[now.service] == nil {
		s.of[now.service] = map[string]*task{}
	}
	s.of[now.service][id] = now
	return change{service: now.service, before: old, task: now}
}

func (s *store) applyNode(ev *trace.Event, id string) {
	if ev.Op == trace.OpDelete {
		delete(s.nodes, id)
		return
	}
	s.nodes[id] = nodeFields.apply(s.nodes[id], ev)
	s.nodes[id].patchStatus(ev)
}

func (s *store) applyEndpoint(ev *trace.Event, id string) {
	if ev.Op == trace.OpDelete {
		delete(s.ports, id)
		return
	}
	each(ev, func(name string, v value) {
		if name == "ports" {
			s.ports[id] = ports(v)
		}
	})
}
