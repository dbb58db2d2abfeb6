package swarmkit

import (
	"fmt"

	"tracecheck/validators"
)

// Unfollowed names an object whose obligation is not what the state asks for;
// "" if there is none. It is for the state between two steps.
func Unfollowed(judge validators.Machine) string {
	m := judge.(*machine)
	s := m.s
	p := persister{m: m, s: s, nodes: s.nodes.Sorted(), services: s.services.Sorted()}
	var wants []want
	for _, n := range p.nodes {
		wants = append(wants, s.up(n), s.orphans(n))
	}
	for _, sv := range append([]*service{s.unknown()}, p.services...) {
		wants = append(wants, s.slots(sv), s.removal(sv))
		for _, vs := range sv.vslots.inOrder() {
			wants = append(wants, s.replacement(vs), s.cleanup(vs))
			for t := range vs.all {
				wants = append(wants, s.progress(t), s.reaping(t))
			}
		}
	}
	var desired want
	if !s.mayBeInDesiredState() {
		desired = want{For: waitDesired, Stage: int32(m.setbacks)}
	}
	wants = append(wants, desired)
	wrong := ""
	p.holders(func(o **validators.Obligation, of validators.Waiter) {
		w := wants[0]
		wants = wants[1:]
		var held want
		if *o != nil {
			held = (*o).Want()
		}
		if held != w && (held.For != 0 || w.For != 0) {
			wrong = fmt.Sprintf("%v: waits for %q, stage %d; the state asks for %q, stage %d", of, waits[held.For], held.Stage, waits[w.For], w.Stage)
			if of != nil {
				wrong = fmt.Sprintf("%+v ", of.Ref()) + wrong
			}
		}
	})
	return wrong
}
