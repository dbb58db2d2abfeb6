package swarmkit

import (
	"tracecheck/validators"
)

// Prefetch implements validators.Prefetcher. Most events are of existing tasks.
func (*machine) Prefetch(events []validators.Ahead, stage int) (n int) {
	for i := range events {
		e := &events[i]
		m := e.Machine.(*machine)
		switch stage {
		case 0:
			n += m.look()
		case 1:
			n += m.waitsDesired.Look()
			if e.Event.Kind == kindTask {
				e.Place = m.room.tasks.Place(e.Event)
			}
		case 2:
			n += m.room.tasks.Look(e.Place)
		case 3:
			if e.Place != 0 {
				t := m.room.tasks.Likely(e.Place)
				e.Found = t
				n += t.lookAt()
			}
		case 4:
			t, _ := e.Found.(*task)
			n += t.look()
		default:
			t, _ := e.Found.(*task)
			n += t.lookAround()
		}
	}
	return n
}

// look reads the lines of the machine's record.
func (m *machine) look() int {
	s := &m.room
	return s.tasks.Len() + s.services.Len() + s.nodes.Len() + int(s.totals.unsettled) +
		b2i(m.began) + b2i(s.owed == nil)
}

// lookAt reads the task's record.
func (t *task) lookAt() int {
	if t == nil {
		return 0
	}
	return int(t.state)
}

// look reads the records that the task names.
func (t *task) look() int {
	if t == nil {
		return 0
	}
	sv, vs := t.in.service, t.in
	n := firstByte(t.id) + t.waits.Look() +
		int(sv.tasks) + b2i(sv.mobyService == nil) + b2i(sv.exists) + b2i(sv.waits.first == nil) +
		int(vs.count+vs.wanted) + b2i(vs.idle)
	if t.node != nil {
		n += b2i(t.node.exists) + b2i(t.node.waits.first == nil)
	}
	return n
}

// lookAround reads what these name in turn.
func (t *task) lookAround() int {
	if t == nil {
		return 0
	}
	n := t.waits.LookAround() + t.in.waits.look() + t.in.service.waits.look()
	if t.node != nil {
		n += t.node.waits.look()
	}
	return n
}

func (h *held) look() int { return h.first.Look() + h.second.Look() }

func firstByte(s string) int {
	if s == "" {
		return 0
	}
	return int(s[0])
}
