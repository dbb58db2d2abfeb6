package swarmkit

import (
	"tracecheck/trace"
	"tracecheck/validators"
)

// Prefetch implements validators.Prefetcher. Most events are of existing tasks. A new task names
// its service, and an assigned one its node.
func (*machine) Prefetch(events []validators.Ahead, stage int) (n int) {
	look := stages[stage]
	for i := range events {
		n += look(&events[i], &events[i].Machine.(*machine).room)
	}
	return n
}

var stages = [validators.PrefetchStages]func(*validators.Ahead, *state) int{
	func(_ *validators.Ahead, s *state) int {
		return s.tasks.Len() + s.services.Len() + s.nodes.Len() + int(s.totals.unsettled) + b2i(s.owed == nil) + s.anyNode.Look()
	},
	lookFor,
	func(e *validators.Ahead, s *state) int {
		n := s.tasks.Look(e.Object.Place)
		switch e.Named.Field {
		case fieldService:
			n += s.services.Look(e.Named.Place)
		case fieldNode:
			n += s.nodes.Look(e.Named.Place)
		}
		return n
	},
	func(e *validators.Ahead, s *state) (n int) {
		if e.Object.Place != 0 {
			t := s.tasks.Likely(e.Object.Place)
			e.Object.Found, n = t, t.look()
		}
		switch e.Named.Field {
		case fieldService:
			sv := s.services.Likely(e.Named.Place)
			e.Named.Found = sv
			n += sv.look()
		case fieldNode:
			no := s.nodes.Likely(e.Named.Place)
			e.Named.Found = no
			n += no.look()
		}
		return n
	},
	func(e *validators.Ahead, _ *state) (n int) {
		if t, _ := e.Object.Found.(*task); t != nil {
			n = firstByte(t.id) + t.waits.Look() + b2i(t.in.idle) + t.node.look()
		}
		switch named := e.Named.Found.(type) {
		case *service:
			n += named.lookAround()
		case *node:
			n += named.lookAround()
		}
		return n
	},
	func(e *validators.Ahead, _ *state) (n int) {
		if t, _ := e.Object.Found.(*task); t != nil {
			n = t.waits.LookAround() + int(t.in.count+t.in.wanted) + t.in.service.look()
		}
		return n
	},
	func(e *validators.Ahead, _ *state) (n int) {
		if t, _ := e.Object.Found.(*task); t != nil {
			n = t.in.waits.look() + t.in.service.waits.look()
			if t.node != nil {
				n += t.node.waits.look()
			}
		}
		return n
	},
}

// lookFor finds where the searches for the event's records begin.
func lookFor(e *validators.Ahead, s *state) int {
	if e.Event.Kind != kindTask {
		return 0
	}
	e.Object.Place = s.tasks.Place(e.Event.Hash)
	for i := range e.Event.Fields {
		f := &e.Event.Fields[i]
		switch {
		case f.Str == "":
			continue
		case f.Name == fieldService:
			e.Named = validators.Sought{Field: f.Name, Place: s.services.Place(trace.HashID(f.Str))}
			return 0
		case f.Name == fieldNode:
			e.Named = validators.Sought{Field: f.Name, Place: s.nodes.Place(trace.HashID(f.Str))}
			return 0
		}
	}
	return 0
}

func (t *task) look() int {
	if t == nil {
		return 0
	}
	return int(t.state)
}

func (sv *service) look() int {
	if sv == nil {
		return 0
	}
	return int(sv.tasks) + b2i(sv.mobyService == nil) + b2i(sv.exists) + len(sv.id)
}

func (sv *service) lookAround() int {
	if sv == nil {
		return 0
	}
	return firstByte(sv.id) + sv.waits.look()
}

func (n *node) look() int {
	if n == nil {
		return 0
	}
	return b2i(n.exists) + n.connected.Look() + len(n.id)
}

func (n *node) lookAround() int {
	if n == nil {
		return 0
	}
	return firstByte(n.id) + n.waits.look()
}

func (h *held) look() int { return h.first.Look() + h.second.Look() }

func firstByte(s string) int {
	if s == "" {
		return 0
	}
	return int(s[0])
}
