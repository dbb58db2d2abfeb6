package swarmkit

import (
	"tracecheck/validators"
)

// Prefetch implements validators.Prefetcher. Most events are of existing tasks.
func (m *machine) Prefetch(events []validators.Ahead, stage int) (n int) {
	s := &m.room
	switch stage {
	case 0:
		return s.tasks.Len() + int(s.serviceCount) + int(s.totals.unsettled) +
			b2i(m.began) + b2i(m.waitsDesired == nil)
	case 1:
		for i := range events {
			if ev := events[i].Event; ev.Kind == kindTask {
				events[i].Place = s.tasks.Place(ev)
			}
		}
		return m.waitsDesired.Look()
	case 2:
		for i := range events {
			n += s.tasks.Look(events[i].Place)
		}
		return n
	case 3:
		for i := range events {
			if events[i].Place != 0 {
				t := s.tasks.Likely(events[i].Place)
				events[i].Found = t
				n += t.lookAt()
			}
		}
		return n
	}
	for i := range events {
		switch t, _ := events[i].Found.(*task); {
		case t == nil:
		case stage == 4:
			n += t.look()
		default:
			n += t.lookAround()
		}
	}
	return n
}

// lookAt reads the task's record.
func (t *task) lookAt() int {
	if t == nil {
		return 0
	}
	return int(t.state) + b2i(t.in == nil) + b2i(t.before == nil)
}

// look reads the records that the task names.
func (t *task) look() int {
	sv, vs := t.in.service, t.in
	n := firstByte(t.id) + t.waits[0].Look() + t.waits[1].Look() +
		int(sv.tasks) + b2i(sv.mobyService == nil) + b2i(sv.exists) + b2i(sv.waits[0] == nil) +
		int(vs.count+vs.wanted+vs.place) + b2i(vs.waits[0] == nil)
	if t.node != nil {
		n += b2i(t.node.exists) + b2i(t.node.waits[0] == nil)
	}
	return n
}

// lookAround reads what these name in turn.
func (t *task) lookAround() int {
	n := t.waits[0].LookAround() + t.waits[1].LookAround() + t.in.waits.look() + t.in.service.waits.look()
	if t.node != nil {
		n += t.node.waits.look()
	}
	return n
}

func (h *held) look() int { return h[0].Look() + h[1].Look() }

func firstByte(s string) int {
	if s == "" {
		return 0
	}
	return int(s[0])
}
