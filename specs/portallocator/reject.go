package portallocator

import (
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// rejectJustified is judged of each logged refusal: Allocate was {} indeed, and
// rejectOK says why. A refusal has to be justified in one of the states of its
// step.
var rejectJustified = &model.Refusal[State]{
	RuleDoc: validators.RuleDoc{
		Name: "RejectJustified", Kind: validators.OfRejection,
		Doc: "The allocator rejects a spec only if it should. Each reject line is judged in the states before and after its step. " +
			"In one of them, Allocate must be {}, and one of the reasons must hold.",
		Clauses: []string{
			`Allocate(oldEndpoint, s) = {}`,
			`\/ ~SpecOK(s)`,
			`\/ staticAddr \cap usedByOthers # {}`,
			`\/ \E proto \in Protocol : dynNeeded > dynAvail`,
		},
	},
	On: kindEndpoint,
	Before: func(b *model.Line[State], ev *trace.Event) {
		s := b.State()
		s.line = ev
		v := ev.Fields.Get(fieldSpec)
		r := refusal{justified: true} // RejectJustified is about s \in EndpointSpec
		if s.read(&r.spec, v, specs); r.spec.typeOK(specs) {
			r.justified = s.justified(ev.ID, r.spec)
		} else {
			b.Fault(validators.OfType, fmt.Sprintf("endpoint %s: %s", ev.ID, s.wrongPorts(v, fieldSpec, "EndpointSpec", specs)))
		}
		s.refusals = append(s.refusals, r)
	},
	After: func(s *State, n int, ev *trace.Event, same bool) string {
		r := &s.refusals[n]
		if r.justified || !same && s.justified(ev.ID, r.spec) || s.excused(ev.ID, r.spec) {
			return ""
		}
		return s.notJustified(ev.ID, r.spec)
	},
}

// refusal is a logged refusal.
type refusal struct {
	spec      list
	justified bool
}

// justified reports whether Allocate is {} for the endpoint and the refused
// spec, and RejectJustified holds.
func (s *State) justified(id string, spec list) bool {
	x := s.refuse(id, spec)
	return x.empty() && (x.forcedTwice() || x.forcedInUse() || x.overdrawn() != nil)
}

// refuse begins Allocate(oldEndpoint, s).
func (s *State) refuse(id string, spec list) *allocation {
	old := &none
	if r := s.endpoints.Get(id); r != nil {
		old = &r.Value
	}
	x := &s.lone.allocation
	x.begin(s, old, spec)
	return x
}

// none is nullEndpoint.
var none Endpoint

// asksTwice says that two ports of the user's that are so have the same address.
func (x *allocation) asksTwice(is func(*port) bool) bool {
	for i := range x.user {
		p := &x.user[i]
		if !is(p) {
			continue
		}
		m := x.marks.of(p.addr())
		if *m&isAsked != 0 {
			return true
		}
		*m |= isAsked
	}
	return false
}

// forcedTwice is ~SpecOK(s).
func (x *allocation) forcedTwice() bool { return x.asksTwice((*port).forced) }

// forcedInUse says that staticAddr \cap usedByOthers has an address.
func (x *allocation) forcedInUse() bool {
	return slices.ContainsFunc(x.user, func(p port) bool { return p.forced() && x.forOthers(p.addr()) })
}

// overdrawn is a protocol with dynNeeded > dynAvail, nil where there is none.
func (x *allocation) overdrawn() *shortage {
	return x.short(isForced, func(i int) bool { return x.user[i].wantsNumber() })
}

// notJustified says why Allocate is not {}, or that nothing is a reason for it
// to be so.
func (s *State) notJustified(id string, spec list) string {
	x := s.refuse(id, spec)
	asked := few(x.user, 4, func(p port) string { return s.shown(&p) })
	text := fmt.Sprintf("the refusal of endpoint %s with the spec %s is not justified: ", id, asked)
	if x.empty() {
		return text + `Allocate is {}, but none of the reasons holds: SpecOK(s), staticAddr \cap usedByOthers = {}, ` +
			"and every protocol has as many dynamic numbers as are needed"
	}
	text += "Allocate is not {}: no address that is asked for is used by others or asked for twice"
	for proto := range uint16(len(s.protocols)) {
		if needed := x.count(proto, x.isNeeded); needed > 0 {
			text += fmt.Sprintf("; %s needs %d dynamic numbers and has %d free", s.protocols[proto], needed, x.free(proto, isTaken))
		}
	}
	if o := x.overdrawn(); o != nil {
		text += fmt.Sprintf(" (dynNeeded = %d > dynAvail = %d for %s is an over-estimate: ports recover their numbers)",
			o.needed, o.free, s.protocols[o.protocol])
	}
	return text
}
