package portallocator

import (
	"encoding/json"
	"fmt"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// unexplained is the finding of a step that no action explains.
func (m *machine) unexplained(step *trace.Step, near []validators.Near) validators.Finding {
	at, what := m.subject()
	text := "no action of PortAllocator explains this step: " + what
	if n := len(m.endpoints); n > 1 {
		text += fmt.Sprintf(" (one of %d endpoints that change); an atomic step is one action: "+
			"if the recording sums up several, judge it with --steps batched", n)
	}
	return validators.Finding{Kind: validators.OfTransition, Rule: validators.NextRule, Pos: step.Events[at].Pos,
		Message: text + nearestText(near), Nearest: near, Changes: m.changes()}
}

func nearestText(near []validators.Near) string {
	if len(near) == 0 || len(near[0].Failed) == 0 {
		return ""
	}
	n := &near[0]
	text := fmt.Sprintf(". Nearest is %s, but not: %s", n.Action, n.Failed[0])
	if n.Values[0] != "" {
		text += " (" + n.Values[0] + ")"
	}
	return text
}

// subject is the first endpoint that changes, or allocated: its line and what
// happens to it.
func (m *machine) subject() (int, string) {
	if len(m.endpoints) > 0 {
		c := &m.endpoints[0]
		return c.line, m.what(c)
	}
	s := m.s
	return m.allocator.line, "allocated changes, and no endpoint does (" + m.differs(m.allocated, func(yield func(address)) {
		for a := range s.uses.all() {
			yield(a)
		}
	}) + ")"
}

// what says in words what happens to the endpoint.
func (m *machine) what(c *change) string {
	switch {
	case !c.was:
		return fmt.Sprintf("endpoint %s is created with the ports %s", c.id, m.some(&c.new.ports))
	case !c.is:
		return fmt.Sprintf("endpoint %s is removed", c.id)
	case c.old.spec.equal(&c.new.spec):
		return fmt.Sprintf("endpoint %s keeps its spec, and its ports go from %s to %s", c.id, m.some(&c.old.ports), m.some(&c.new.ports))
	}
	return fmt.Sprintf("endpoint %s gets the spec %s and the ports %s", c.id, m.some(&c.new.spec), m.some(&c.new.ports))
}

// some lists a few ports.
func (m *machine) some(l *list) string {
	const few = 4
	if l.missing {
		return "(unknown)"
	}
	var parts []string
	for i := range l.ports[:min(len(l.ports), few)] {
		parts = append(parts, m.shown(&l.ports[i]))
	}
	if n := len(l.ports) - few; n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// mostShown bounds the addresses of allocated that a report lists.
const mostShown = 1000

// changes lists what the step changes.
func (m *machine) changes() []validators.Change {
	var list []validators.Change
	if l := &m.allocator; l.is && !m.sameAllocated() && m.s.size <= mostShown && len(l.set) <= mostShown {
		list = append(list, validators.Change{Kind: trace.KindAllocator.String(), Before: m.s.allocatedJSON(), After: m.s.logJSON(l)})
	}
	for i := range m.endpoints {
		if len(list) == validators.MaxChanges {
			break
		}
		c := &m.endpoints[i]
		change := validators.Change{Kind: trace.KindEndpoint.String(), ID: strings.Clone(c.id)}
		if c.was {
			change.Before = json.RawMessage(m.s.json(&c.old))
		}
		if c.is {
			change.After = json.RawMessage(m.s.json(&c.new))
		}
		list = append(list, change)
	}
	return list
}
