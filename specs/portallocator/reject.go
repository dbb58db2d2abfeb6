package portallocator

import (
	"fmt"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// rejectJustified is judged of each logged refusal: Allocate was {} indeed, and
// rejectOK says why.
var rejectJustified = validators.RuleDoc{
	Name: "RejectJustified", Kind: validators.OfRejection,
	Doc: "The allocator rejects a spec only if it should. Judged of each reject line, of the states before and after its step: " +
		"Allocate must be {} there, and one of the reasons must hold.",
	Clauses: []string{
		`Allocate(oldEndpoint, s) = {}`,
		`\/ ~SpecOK(s)`,
		`\/ staticAddr \cap usedByOthers # {}`,
		`\/ \E proto \in Protocol : dynNeeded > dynAvail`,
	},
}

// refusal is a logged refusal.
type refusal struct {
	line      int // an index into the step
	spec      list
	justified bool
}

// findRefusals judges the refusals of the step in its old state.
func (m *machine) findRefusals(step *trace.Step) {
	b := &m.binder
	m.refusals = m.refusals[:0]
	for i := range step.Events {
		ev := &step.Events[i]
		if ev.Op != trace.OpReject || ev.Kind != trace.KindEndpoint {
			continue
		}
		l := list{missing: true}
		b.mergeList(&l, ev, i, trace.FieldSpec, (*port).inSpec, true)
		r := refusal{line: i, spec: l, justified: true} // RejectJustified is about s \in EndpointSpec
		if l.typeOK((*port).inSpec) {
			r.justified = m.justified(ev.ID, l.ports)
		}
		m.refusals = append(m.refusals, r)
	}
}

// unjustified reports refusals that neither state of the step justifies. Under
// --attach an address may be used by what the stream has not shown, so that
// such a refusal cannot be judged: open says that the step is nothing else.
func (m *machine) unjustified(step *trace.Step, found []validators.Finding) ([]validators.Finding, bool) {
	open := false
	for i := range m.refusals {
		r := &m.refusals[i]
		ev := &step.Events[r.line]
		if r.justified || m.own && m.justified(ev.ID, r.spec.ports) || m.excused(ev.ID, r.spec.ports) {
			continue
		}
		if m.attach {
			open = true
			continue
		}
		if !validators.HasRule(found, rejectJustified.Name) {
			found = append(found, validators.Finding{Kind: validators.OfRejection, Rule: rejectJustified.Name,
				Pos: ev.Pos, Message: m.notJustified(ev.ID, r.spec.ports)})
		}
	}
	return found, open && !m.own
}

// justified reports whether Allocate is {} for the endpoint and the refused
// spec, and RejectJustified holds.
func (m *machine) justified(id string, s []port) bool {
	x := m.refuse(id, s)
	if empty, _ := x.empty(); !empty {
		return false
	}
	if x.forcedTwice() >= 0 || x.forcedInUse() >= 0 {
		return true
	}
	return x.overdrawn() != nil
}

// refuse begins Allocate(oldEndpoint, s).
func (m *machine) refuse(id string, s []port) *allocation {
	old := &m.none
	if e := m.s.endpoints.Get(id); e != nil {
		old = &e.value
	}
	x := &m.lone.allocation
	x.begin(&m.view, old, s)
	return x
}

// forcedTwice is a port that shows ~SpecOK(s), -1 where there is none.
func (x *allocation) forcedTwice() int {
	for i := range x.user {
		p := &x.user[i]
		if !p.forced() {
			continue
		}
		m := x.marks.of(p.addr())
		if *m&isAsked != 0 {
			return i
		}
		*m |= isAsked
	}
	return -1
}

// forcedInUse is a port whose address is in staticAddr \cap usedByOthers, -1
// where there is none.
func (x *allocation) forcedInUse() int {
	for i := range x.user {
		if p := &x.user[i]; p.forced() && x.forOthers(p.addr()) {
			return i
		}
	}
	return -1
}

// overdrawn is a protocol with dynNeeded > dynAvail, nil where there is none.
func (x *allocation) overdrawn() *shortage {
	for proto := range uint16(len(x.v.s.protocols)) {
		needed := 0
		for i := range x.user {
			if p := &x.user[i]; p.protocol == proto && p.wantsNumber() {
				needed++
			}
		}
		if needed == 0 {
			continue
		}
		if free := x.free(proto, isForced); needed > free {
			return &shortage{proto, needed, free}
		}
	}
	return nil
}

// notJustified says why Allocate is not {}, or that nothing is a reason for it
// to be so.
func (m *machine) notJustified(id string, s []port) string {
	x := m.refuse(id, s)
	v := &view{s: m.s}
	var asked []string
	for i := range s[:min(len(s), 4)] {
		asked = append(asked, v.shown(&s[i]))
	}
	if len(asked) < len(s) {
		asked = append(asked, fmt.Sprintf("and %d more", len(s)-len(asked)))
	}
	text := fmt.Sprintf("the refusal of endpoint %s with the spec %s is not justified: ", id, strings.Join(asked, ", "))
	empty, _ := x.empty()
	if empty {
		return text + `Allocate is {}, but none of the reasons holds: SpecOK(s), staticAddr \cap usedByOthers = {}, ` +
			"and every protocol has as many dynamic numbers as are needed"
	}
	text += "Allocate is not {}: no address that is asked for is used by others or asked for twice"
	for proto := range uint16(len(m.s.protocols)) {
		needed := 0
		for i, number := range x.spec {
			if p := &x.user[i]; p.mode == ingress && p.protocol == proto && number == dynamic {
				needed++
			}
		}
		if needed > 0 {
			text += fmt.Sprintf("; %s needs %d dynamic numbers and has %d free", m.s.protocols[proto], needed, x.free(proto, isTaken))
		}
	}
	if o := x.overdrawn(); o != nil {
		text += fmt.Sprintf(" (dynNeeded = %d > dynAvail = %d for %s is an over-estimate: ports recover their numbers)",
			o.needed, o.free, m.s.protocols[o.protocol])
	}
	return text
}
