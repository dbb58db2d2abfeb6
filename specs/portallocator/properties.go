package portallocator

import (
	"fmt"

	"tracecheck/validators"
	"tracecheck/validators/model"
)

// Invariants are judged of what a step changes: the endpoints, and the addresses
// that those had. The indexes tell what other endpoints have to do with it.

var typeOK = validators.TypeRule("TypeOK",
	"Every variable has its type. (Every id is a string, so DOMAIN endpoints is a subset of EndpointID.)",
	`allocated \subseteq Address`, `endpoints \in [DOMAIN endpoints -> Endpoint]`)

// allocationsOK leaves out what is not known yet of an endpoint.
var allocationsOK = validators.RuleDoc{
	Name: "AllocationsOK", Kind: validators.OfInvariant,
	Doc: "Each allocated address is needed by an endpoint. The ports of each endpoint match its spec. No two ingress ports have the same address.",
	Clauses: []string{
		`\A addr \in allocated : \E e \in Range(endpoints) : \E p \in Range(e.ports) : Addr(p) = addr`,
		`Len(e.spec) = Len(e.ports)`,
		`IF spec.mode = ingress /\ spec.published_port = dynamic THEN PortsMostlyEqual(spec, port) ELSE spec = port`,
		`port.mode = ingress => Addr(port) \in allocated`,
		// XXX: p2.mode = host passes over a known bug, ingress/host conflicts.
		`spec.mode = ingress => \A eid2, i2 : << eid, i >> # << eid2, i2 >> => Addr(port) # Addr(p2) \/ p2.mode = host`,
	},
}

// The clauses of AllocationsOK, by their places.
const (
	isNeeded = iota
	sameLength
	fits
	isAllocated
	isAlone
)

var rules = []model.Judged[State]{
	&model.Rule[State, Endpoint]{
		RuleDoc: typeOK, On: endpoints, Broken: badEndpoint, Gone: ofOld((*State).mayBeInvalid, (*State).badAddress),
	},
	&model.Rule[State, Allocator]{RuleDoc: typeOK, On: allocator, Broken: ofShifted((*State).badAddress)},
	&model.Rule[State, Endpoint]{
		RuleDoc: allocationsOK, On: endpoints, Broken: (*State).brokenEndpoint, Gone: ofOld((*State).isUnlike, (*State).brokenAddress),
		Branches: []model.Branch[State, Endpoint]{
			{Text: `\E e \in Range(endpoints) : \E p \in Range(e.ports) : Addr(p) = addr`, Taken: somePort(func(s *State, _, port *port) bool {
				u := s.uses[port.addr()]
				return u.allocated && u.ingress+u.host > 0
			})},
			{Text: `Len(e.spec) = Len(e.ports)`, Taken: func(_ *State, e *Endpoint) bool {
				return e.Spec.len() > 0 && e.Spec.len() == e.Ports.len()
			}},
			{Text: `IF spec.mode = ingress /\ spec.published_port = dynamic THEN PortsMostlyEqual(spec, port)`, Taken: somePort(func(_ *State, spec, port *port) bool {
				return spec.wantsNumber() && mostlyEqual(spec, port)
			})},
			{Text: `ELSE spec = port`, Taken: somePort(func(_ *State, spec, port *port) bool { return !spec.wantsNumber() && *spec == *port })},
			{Text: `port.mode = ingress /\ Addr(port) \in allocated`, Taken: somePort(func(s *State, _, port *port) bool {
				return port.mode == ingress && s.allocated(port.addr())
			})},
			{Text: `spec.mode = ingress /\ Addr(port) # Addr(p2)`, Taken: somePort(func(s *State, spec, port *port) bool {
				u := s.uses[port.addr()]
				return spec.mode == ingress && u.ingress+u.host == 1
			})},
			{Text: `spec.mode = ingress /\ Addr(port) = Addr(p2) /\ p2.mode = host`, Taken: somePort(func(s *State, spec, port *port) bool {
				return spec.mode == ingress && s.uses[port.addr()].host > 0
			})},
		},
	},
	&model.Rule[State, Allocator]{RuleDoc: allocationsOK, On: allocator, Broken: ofShifted((*State).brokenAddress)},
}

func badEndpoint(_ *State, id string, e *Endpoint) string {
	if e.plain || e.Spec.typeOK(specs) && e.Ports.typeOK(configs) {
		return ""
	}
	return fmt.Sprintf("endpoint %s breaks TypeOK: %s", id, typeOK.Clauses[1])
}

func (s *State) mayBeInvalid() bool { return s.invalid > 0 }

// isUnlike: allocated is not what the endpoints say.
func (s *State) isUnlike() bool { return s.missing > 0 || s.extra > 0 }

func (s *State) badAddress(a address) string {
	if !s.allocated(a) || s.valid(a) {
		return ""
	}
	return "allocated breaks TypeOK: " + typeOK.Clauses[0]
}

// ofOld judges the addresses that an endpoint had before the step, unless none can
// be broken.
func ofOld(may func(*State) bool, broken func(*State, address) string) func(*State, *Endpoint) string {
	return func(s *State, old *Endpoint) string {
		if !may(s) {
			return ""
		}
		for rest := old.Ports.rest(); rest != ""; {
			p := rest.next()
			if text := broken(s, p.addr()); text != "" {
				return text
			}
		}
		return ""
	}
}

// ofShifted judges the addresses that come or go where no action explains it.
func ofShifted(broken func(*State, address) string) func(*State, string, *Allocator) string {
	return func(s *State, _ string, _ *Allocator) string {
		for _, a := range s.shifted {
			if text := broken(s, a); text != "" {
				return text
			}
		}
		return ""
	}
}

func (s *State) brokenAddress(a address) string {
	switch u := s.uses[a]; {
	case u.allocated && u.ingress+u.host == 0 && !s.attach:
		return breaks("allocated", isNeeded, s.text(a)+" is allocated, and no endpoint has it")
	case !u.allocated && u.ingress > 0:
		return breaks("allocated", isAllocated, s.text(a)+" is not allocated")
	}
	return ""
}

func breaks(what string, clause int, why string) string {
	return fmt.Sprintf("%s breaks AllocationsOK: %s (%s)", what, allocationsOK.Clauses[clause], why)
}

func (s *State) brokenEndpoint(id string, e *Endpoint) string {
	if e.plain && s.missing == 0 && s.shared == 0 {
		return ""
	}
	clause, port, spec := s.brokenPort(e)
	if clause < 0 {
		return ""
	}
	why := ""
	switch clause {
	case sameLength:
		why = fmt.Sprintf("%d ports for a spec of %d", e.Ports.len(), e.Spec.len())
	case fits:
		why = fmt.Sprintf("port %d is %s, for the spec %s", s.at+1, s.shown(&port), s.shown(&spec))
	case isAllocated:
		why = s.text(port.addr()) + " is not allocated"
	case isAlone:
		why = s.text(port.addr()) + " is the address of another port, too"
	}
	return breaks("endpoint "+id, clause, why)
}

// brokenPort is the first clause that the endpoint breaks, and the port that shows
// it, whose place is State.at; -1 if it breaks none.
func (s *State) brokenPort(e *Endpoint) (clause int, its, asked port) {
	known := e.Spec != unseen && e.Ports != unseen
	least := isAlone + 1
	note := func(clause, i int, port, spec port) {
		if clause < least {
			least, its, asked, s.at = clause, port, spec, i
		}
	}
	spec, rest := e.Spec.rest(), e.Ports.rest()
	for i := 0; known && spec != "" || rest != ""; i++ {
		var p, q port
		both := known && spec != "" && rest != ""
		if known && (spec == "") != (rest == "") {
			note(sameLength, i, p, q)
		}
		if known && spec != "" {
			q = spec.next()
		}
		if rest == "" {
			continue
		}
		p = rest.next()
		u := s.uses[p.addr()]
		if both && !p.isFor(&q) {
			note(fits, i, p, q)
		}
		if p.mode == ingress && !u.allocated {
			note(isAllocated, i, p, q)
		}
		if both && q.mode == ingress && int(u.ingress) > model.BoolInt(p.mode == ingress) {
			note(isAlone, i, p, q)
		}
	}
	if least > isAlone {
		least = -1
	}
	return least, its, asked
}

// somePort says that f holds of some port with its spec.
func somePort(f func(s *State, spec, port *port) bool) func(*State, *Endpoint) bool {
	return func(s *State, e *Endpoint) bool {
		for spec, ports := e.Spec.rest(), e.Ports.rest(); spec != "" && ports != ""; {
			q, p := spec.next(), ports.next()
			if f(s, &q, &p) {
				return true
			}
		}
		return false
	}
}

// allocateIdempotent is judged of steps that one action explains.
var allocateIdempotent = &model.StepRule[State]{
	RuleDoc: validators.RuleDoc{
		Name: "AllocateIdempotent", Kind: validators.OfProperty,
		Doc: "An endpoint whose spec does not change keeps its ports (StepAllocateIdempotent). It is judged for steps that a single action explains. " +
			"The text itself says that it does not hold if two specs are similar.",
		Clauses: []string{
			`\A eid \in DOMAIN endpoints \cap DOMAIN endpoints' : ep.spec = (ep.spec)' => ep.ports = (ep.ports)'`,
		},
	},
	Broken: func(s *State) (line int, message string) {
		for _, c := range s.endpoints.Changed() {
			if !c.Had || !c.Shown || c.Old.Spec != c.New.Spec || c.Old.Ports == c.New.Ports {
				continue
			}
			text := fmt.Sprintf("endpoint %s keeps its spec, and its ports change", c.ID)
			was, is := c.Old.Ports.rest(), c.New.Ports.rest()
			for k := 1; was != "" && is != ""; k++ {
				if p, q := was.next(), is.next(); p != q {
					return c.Line, fmt.Sprintf("%s: port %d from %s to %s", text, k, s.shown(&p), s.shown(&q))
				}
			}
			return c.Line, text
		}
		return 0, ""
	},
}
