package swarmkit

import (
	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// The last steps that bear on what a service waits for, which reports name. Only
// the profile moby notes them.

// trail is a step; the zero trail is none so far.
type trail struct {
	step int64
	at   trace.Pos // its last line
}

// trails are those of a service.
type trails struct {
	asked   trail  // its spec was last written, or it was deleted
	handled trail  // the orchestrator last created tasks of it, or wrote a desired state
	did     writes // what that was
	emptied trail  // a slot last lost its last task
}

// here is the current step.
func (m *machine) here() trail { return trail{m.history.now.step, m.whole.step.Last()} }

// ask notes that a line writes the service's spec.
func (m *machine) ask(sv *service, ev *trace.Event) {
	if ev.Op == trace.OpCreate || ev.Fields.Get(fieldReplicas).Type != trace.Absent || ev.Fields.Get(fieldSpecVersion).Type != trace.Absent {
		sv.trails.asked, sv.forgotSlot = m.here(), false
	}
}

// handle notes what the orchestrator does in the step.
func (m *machine) handle() {
	for i := range m.whole.changes {
		if c := &m.whole.changes[i]; c.writes != deletes {
			t := &m.whole.slots[c.slot].service.trails
			t.handled, t.did = m.here(), c.writes
		}
	}
}

func (p *persister) trails(t *trails) {
	for _, one := range [...]*trail{&t.asked, &t.handled, &t.emptied} {
		codec.Int(p.Codec, &one.step)
		one.at.Code(p.Codec)
	}
	member(p.Codec, &t.did, mixes)
}
