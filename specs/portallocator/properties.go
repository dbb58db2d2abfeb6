package portallocator

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// seen is an endpoint of a state, or an address, for invariants. They are judged
// of what a step changes; the indexes tell what other endpoints have to do with
// it.
type seen struct {
	s      *state
	attach bool // what the stream has not shown may stand
	e      *endpoint
	a      address // where e is nil
	use            // of a
	port   int     // the one that shows what is broken
}

type stateClause = validators.Clause[seen]

var typeOK = &validators.Invariant[seen]{
	Name: "TypeOK", Kind: validators.OfType,
	Doc: "Every variable has its type. (An id is a string always, and so DOMAIN endpoints is a subset of EndpointID.)",
	Clauses: []stateClause{
		{
			Text:  `allocated \subseteq Address`,
			Holds: func(v *seen) bool { return v.e != nil || !v.allocated || v.s.valid(v.a) },
		},
		{
			Text:  `endpoints \in [DOMAIN endpoints -> Endpoint]`,
			Holds: func(v *seen) bool { return v.e == nil || v.e.typeOK() },
		},
	},
}

// allocationsOK leaves out what is not known yet of an endpoint.
var allocationsOK = &validators.Invariant[seen]{
	Name: "AllocationsOK", Kind: validators.OfInvariant,
	Doc: "Every allocated address is needed by some endpoint, every endpoint has ports that match its spec, and no two ingress ports have the same address.",
	Clauses: []stateClause{
		{
			Text: `\A addr \in allocated : \E e \in Range(endpoints) : \E p \in Range(e.ports) : Addr(p) = addr`,
			Holds: func(v *seen) bool {
				if v.e != nil || v.attach {
					return true
				}
				return !v.allocated || v.ingress+v.host > 0
			},
			Shows: func(v *seen) string { return fmt.Sprintf("%s is allocated, and no endpoint has it", v.s.text(v.a)) },
		},
		{
			Text: `Len(e.spec) = Len(e.ports)`,
			Holds: func(v *seen) bool {
				return v.e == nil || v.e.unseen() || len(v.e.spec.ports) == len(v.e.ports.ports)
			},
			Shows: func(v *seen) string {
				return fmt.Sprintf("%d ports for a spec of %d", len(v.e.ports.ports), len(v.e.spec.ports))
			},
		},
		{
			Text: `IF spec.mode = ingress /\ spec.published_port = dynamic THEN PortsMostlyEqual(spec, port) ELSE spec = port`,
			Holds: func(v *seen) bool {
				return v.each(func(spec, port *port) bool {
					if spec.wantsNumber() {
						return mostlyEqual(spec, port)
					}
					return *spec == *port
				})
			},
			Shows: func(v *seen) string {
				s := view{s: v.s}
				return fmt.Sprintf("port %d is %s, for the spec %s", v.port+1, s.shown(&v.e.ports.ports[v.port]), s.shown(&v.e.spec.ports[v.port]))
			},
		},
		{
			Text: `port.mode = ingress => Addr(port) \in allocated`,
			Holds: func(v *seen) bool {
				if v.e == nil {
					return v.allocated || v.ingress == 0
				}
				for i := range v.e.ports.ports {
					if p := &v.e.ports.ports[i]; p.mode == ingress && !v.s.uses.get(p.addr()).allocated {
						v.port = i
						return false
					}
				}
				return true
			},
			Shows: func(v *seen) string { return fmt.Sprintf("%s is not allocated", v.s.text(v.address())) },
		},
		{
			// XXX: p2.mode = host passes over a known bug, ingress/host conflicts.
			Text: `spec.mode = ingress => \A eid2, i2 : << eid, i >> # << eid2, i2 >> => Addr(port) # Addr(p2) \/ p2.mode = host`,
			Holds: func(v *seen) bool {
				return v.each(func(spec, port *port) bool {
					itself := int32(0)
					if port.mode == ingress {
						itself = 1
					}
					return spec.mode != ingress || v.s.uses.get(port.addr()).ingress <= itself
				})
			},
			Shows: func(v *seen) string {
				return fmt.Sprintf("%s is the address of another port, too", v.s.text(v.address()))
			},
		},
	},
}

var invariants = []*validators.Invariant[seen]{typeOK, allocationsOK}

// each reports whether f holds of each port with its spec.
func (v *seen) each(f func(spec, port *port) bool) bool {
	if v.e == nil || v.e.unseen() {
		return true
	}
	spec, ports := v.e.spec.ports, v.e.ports.ports
	for i := range min(len(spec), len(ports)) {
		if !f(&spec[i], &ports[i]) {
			v.port = i
			return false
		}
	}
	return true
}

// address is the one that shows what is broken.
func (v *seen) address() address {
	if v.e == nil {
		return v.a
	}
	return v.e.ports.ports[v.port].addr()
}

// The see functions reuse one value: invariants are judged after every step.

func (m *machine) seeEndpoint(e *endpoint) *seen {
	m.seen = seen{s: m.s, attach: m.attach, e: e}
	return &m.seen
}

func (m *machine) seeAddress(a address) *seen {
	m.seen = seen{s: m.s, attach: m.attach, a: a, use: m.s.uses.get(a)}
	return &m.seen
}

// broken reports the invariants that the state breaks which the step has made.
func (m *machine) broken(step *trace.Step, found []validators.Finding) []validators.Finding {
	for i := range m.endpoints {
		c := &m.endpoints[i]
		at := step.Events[c.line].Pos
		if c.is {
			found = m.check(m.seeEndpoint(m.s.endpoints.Get(c.id)), at, found)
		}
		for k := range c.old.ports.ports {
			found = m.check(m.seeAddress(c.old.ports.ports[k].addr()), at, found)
		}
	}
	for _, a := range m.shifted {
		found = m.check(m.seeAddress(a), step.Events[m.allocator.line].Pos, found)
	}
	return found
}

// check adds the invariants that v breaks to what was found, each once.
func (m *machine) check(v *seen, at trace.Pos, found []validators.Finding) []validators.Finding {
	for _, rule := range invariants {
		c := rule.Broken(v)
		if c == nil || validators.HasRule(found, rule.Name) {
			continue
		}
		object := "allocated"
		if v.e != nil {
			object = "endpoint " + v.e.id
		}
		text := fmt.Sprintf("%s breaks %s: %s", object, rule.Name, c.Text)
		if c.Shows != nil {
			text += " (" + c.Shows(v) + ")"
		}
		found = append(found, validators.Finding{Kind: rule.Kind, Rule: rule.Name, Pos: at, Message: text})
	}
	return found
}

// allocateIdempotent is judged of steps that one action explains.
var allocateIdempotent = validators.RuleDoc{
	Name: "AllocateIdempotent", Kind: validators.OfProperty,
	Doc: "An endpoint whose spec does not change keeps its ports: StepAllocateIdempotent, judged of steps that a single action explains. " +
		"The text itself says that it does not hold where two specs are similar.",
	Clauses: []string{
		`\A eid \in DOMAIN endpoints \cap DOMAIN endpoints' : ep.spec = (ep.spec)' => ep.ports = (ep.ports)'`,
	},
}

// idempotent judges AllocateIdempotent.
func (m *machine) idempotent(step *trace.Step, found []validators.Finding) []validators.Finding {
	for i := range m.endpoints {
		c := &m.endpoints[i]
		if !c.was || !c.is || !c.old.spec.equal(&c.new.spec) || c.old.ports.equal(&c.new.ports) {
			continue
		}
		text := fmt.Sprintf("endpoint %s keeps its spec, and its ports change", c.id)
		for k := range min(len(c.old.ports.ports), len(c.new.ports.ports)) {
			if was, is := &c.old.ports.ports[k], &c.new.ports.ports[k]; *was != *is {
				text += fmt.Sprintf(": port %d from %s to %s", k+1, m.shown(was), m.shown(is))
				break
			}
		}
		return append(found, validators.Finding{Kind: validators.OfProperty, Rule: allocateIdempotent.Name,
			Pos: step.Events[c.line].Pos, Message: text, Changes: m.changes()})
	}
	return found
}
