package portallocator

import (
	"fmt"
	"slices"
)

// The test system: allocator and user. Which proposal a step takes, its logged
// ports say; so the conjuncts of Allocate are clauses of the actions.

var newEndpoint = &action{
	Name: "NewEndpoint", Doc: "The user creates a new endpoint, and the allocator gives it its ports.",
	Bind: func(p *pair) bool { return p.bind(false, true) },
	Clauses: slices.Concat(proposed, []clause{
		{Text: `endpoints' = id :> e @@ endpoints`, Effect: true, Holds: (*pair).one, Shows: (*pair).howMany},
		applied,
	}),
}

var updateEndpoint = &action{
	Name: "UpdateEndpoint", Doc: "The user gives an existing endpoint a spec, and the allocator gives it its ports.",
	Bind: func(p *pair) bool { return p.bind(true, true) || p.bindMissing() },
	Clauses: slices.Concat(proposed, []clause{
		{Text: `endpoints' = [endpoints EXCEPT ![id] = e]`, Effect: true, Holds: (*pair).one, Shows: (*pair).howMany},
		applied,
	}),
	Stutter: (*pair).idempotent,
}

var removeEndpoint = &action{
	Name: "RemoveEndpoint", Doc: "An existing endpoint is removed, and the allocator takes back its ports.",
	Bind: func(p *pair) bool { return p.bind(true, false) },
	Clauses: []clause{
		{Text: `props # {}`, Holds: func(p *pair) bool { none, _ := p.prop.empty(); return !none }},
		{
			Text:   `endpoints' = [i \in DOMAIN endpoints \ {id} |-> endpoints[i]]`,
			Effect: true, Holds: (*pair).one, Shows: (*pair).howMany,
		},
		applied,
	},
}

// proposed is prop \in Allocate(endpoint, s), in the order of Allocate.
var proposed = []clause{
	{
		Text:  `s \in EndpointSpec`,
		Holds: func(p *pair) bool { return p.e.new.spec.typeOK((*port).inSpec) },
	},
	{
		Text:   `recovered = [i \in dynamics |-> [spec[i] EXCEPT !.published_port = Recover(i)]]`,
		Holds:  func(p *pair) bool { return p.prop.faults&wrongRecovered == 0 },
		Refute: true,
		Shows: func(p *pair) string {
			i := p.prop.at(wrongRecovered)
			return fmt.Sprintf("port %d recovers %d from the old configuration, and is logged as %s", i+1, p.prop.spec[i], p.shown(&p.prop.ports[i]))
		},
	},
	{
		Text:   `~alreadyInUse`,
		Holds:  func(p *pair) bool { return p.prop.inUse < 0 },
		Refute: true,
		Shows: func(p *pair) string {
			return p.usedBy(at(p.prop.user[p.prop.inUse].protocol, p.prop.spec[p.prop.inUse]))
		},
	},
	{
		Text:   `~haveForcedDuplicates`,
		Holds:  func(p *pair) bool { return p.prop.twice < 0 },
		Refute: true,
		Shows: func(p *pair) string {
			return fmt.Sprintf("%s twice", p.s.text(at(p.prop.user[p.prop.twice].protocol, p.prop.spec[p.prop.twice])))
		},
	},
	{
		Text:   `alloc \in [portsNeeded -> DynamicPortNumber]`,
		Holds:  func(p *pair) bool { return p.prop.faults&notDynamic == 0 },
		Refute: true,
		Shows: func(p *pair) string {
			i := p.prop.at(notDynamic)
			return fmt.Sprintf("port %d is given %d, which is not within %d..%d", i+1, p.prop.ports[i].published, p.s.first, p.s.last)
		},
	},
	{
		Text:   `NA(i) \notin addrsForOthers`,
		Holds:  func(p *pair) bool { return p.prop.faults&usedByOthers == 0 },
		Refute: true,
		Shows:  func(p *pair) string { return p.usedBy(p.prop.ports[p.prop.at(usedByOthers)].addr()) },
	},
	{
		Text:   `\A j \in DOMAIN spec \ {i} : spec[j].mode = host \/ NA(i) # NA(j)`,
		Holds:  func(p *pair) bool { return p.prop.faults&givenTwice == 0 },
		Refute: true,
		Shows: func(p *pair) string {
			i := p.prop.at(givenTwice)
			return fmt.Sprintf("port %d is given %s, as another port is", i+1, p.s.text(p.prop.ports[i].addr()))
		},
	},
	{
		Text:   `ports = [i \in DOMAIN alloc |-> [spec[i] EXCEPT !.published_port = alloc[i]]] @@ spec`,
		Holds:  func(p *pair) bool { return p.prop.faults&wrongPorts == 0 },
		Refute: true,
		Shows: func(p *pair) string {
			i := p.prop.at(wrongPorts)
			switch n, m := len(p.prop.ports), len(p.prop.user); {
			case i >= m:
				return fmt.Sprintf("%d ports for a spec of %d", n, m)
			case i >= n:
				return fmt.Sprintf("no port for spec[%d], %s", i+1, p.shown(&p.prop.user[i]))
			}
			return fmt.Sprintf("port %d is %s, for the spec %s", i+1, p.shown(&p.prop.ports[i]), p.shown(&p.prop.user[i]))
		},
	},
}

var applied = clause{
	Text: `allocated' = Apply(prop)`, Effect: true,
	Holds:  func(p *pair) bool { return !p.allocator.is || p.prop.applied(&p.allocator) },
	Refute: true, Shows: (*pair).notApplied,
}

// bind takes the first endpoint that the step changes in the given way.
func (p *pair) bind(was, is bool) bool {
	for i := range p.endpoints {
		if c := &p.endpoints[i]; c.was == was && c.is == is {
			p.e = c
			p.match()
			return true
		}
	}
	return false
}

// match compares the witness with what Allocate proposes.
func (p *pair) match() {
	p.prop.match(&p.view, &p.e.old, p.e.new.spec.ports, p.e.new.ports.ports)
}

// one: no other endpoint changes.
func (p *pair) one() bool { return len(p.endpoints) <= 1 }

func (p *pair) howMany() string {
	return fmt.Sprintf("the step changes %d endpoints", len(p.endpoints))
}

// bindMissing takes an endpoint that an update may leave as it is though
// allocated lacks an address of it. No step leads to such a state: only
// snapshots, or a step that broke the spec.
func (p *pair) bindMissing() bool {
	if len(p.endpoints) > 0 || p.s.missing == 0 || !p.allocator.is {
		return false
	}
	for _, a := range p.allocator.set {
		if !p.allocated(a) && p.s.uses.get(a).ingress > 0 {
			return p.bindSame(a)
		}
	}
	return false
}

// bindSame takes a steady endpoint that has the address: one that explains the
// step, if there is any, or else the last by id.
func (p *pair) bindSame(a address) bool {
	bound := false
	for _, e := range p.s.endpoints.Sorted() {
		if !e.steady || !hasIngress(e.ports.ports, a) {
			continue
		}
		p.same = change{id: e.id, old: e.value, new: e.value, was: true, is: true, line: p.allocator.line}
		p.e, bound = &p.same, true
		if p.match(); p.prop.applied(&p.allocator) {
			break
		}
	}
	return bound
}

func hasIngress(ports []port, a address) bool {
	for i := range ports {
		if p := &ports[i]; p.mode == ingress && p.addr() == a {
			return true
		}
	}
	return false
}

// idempotent reports whether UpdateEndpoint may leave the state as it is.
func (p *pair) idempotent() bool {
	if p.s.missing == 0 {
		return p.s.steady > 0
	}
	for _, e := range p.s.endpoints.All() {
		if e.steady && p.s.holdsAll(e) {
			return true
		}
	}
	return false
}

// holdsAll: allocated has each ingress address of the endpoint.
func (s *state) holdsAll(e *endpoint) bool {
	for i := range e.ports.ports {
		if p := &e.ports.ports[i]; p.mode == ingress && !s.uses.get(p.addr()).allocated {
			return false
		}
	}
	return true
}
