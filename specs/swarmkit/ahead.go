package swarmkit

import (
	"tracecheck/trace"
	"tracecheck/validators"
)

// Foresee implements validators.Foreseer. Most events are of tasks that stand.
func (m *machine) Foresee(a *validators.Ahead, stage int) int {
	s := &m.room
	if a.Event.Kind != trace.KindTask {
		return 0
	}
	switch stage {
	case 0:
		return s.tasks.Len() + len(s.emptied) + len(s.spareVSlots.dropped) + s.standing + s.totals.unsettled +
			b2i(m.began) + b2i(m.waitsDesired == nil)
	case 1:
		a.Place = s.tasks.Place(a.Event.ID)
		return s.tasks.Look(a.Place) + m.waitsDesired.Look()
	case 2:
		t := s.tasks.Likely(a.Place)
		if t == nil {
			return 0
		}
		a.Found = t
		return int(t.state) + b2i(t.before == nil)
	}
	t, found := a.Found.(*task)
	if !found {
		return 0
	}
	if stage == 3 {
		return t.look()
	}
	return t.lookAround()
}

// look reads the records that the task names.
func (t *task) look() int {
	sv, vs := t.service, t.in
	n := firstByte(t.id) + t.waits.progress.Look() + t.waits.reaping.Look() +
		sv.tasks + sv.waiting + b2i(sv.exists) + b2i(sv.waitsSlots == nil) +
		int(vs.count+vs.wanted+vs.place) + b2i(vs.waits.next == nil)
	if t.node != nil {
		n += b2i(t.node.exists) + b2i(t.node.waitsUp == nil)
	}
	return n
}

// lookAround reads what these name in turn.
func (t *task) lookAround() int {
	n := t.waits.progress.LookAround() + t.waits.reaping.LookAround() + t.in.waits.next.Look() + t.in.waits.clean.Look() +
		t.service.waitsSlots.Look() + t.service.waitsRemoval.Look()
	if t.node != nil {
		n += t.node.waitsUp.Look() + t.node.waitsOrphans.Look()
	}
	return n
}

func firstByte(s string) int {
	if s == "" {
		return 0
	}
	return int(s[0])
}
