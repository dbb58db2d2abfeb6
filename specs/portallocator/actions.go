package portallocator

import (
	"cmp"
	"fmt"
	"slices"

	"tracecheck/validators/model"
)

// The test system: allocator and user. Which proposal a step takes, its logged
// ports say; so the conjuncts of Allocate are guards of the actions.

type (
	action = model.Action[State, witness]
	clause = model.Clause[State, witness]
	primed = model.Primed[State, witness]
	group  = model.Group[State]
)

// witness is what Next's quantifiers choose: an endpoint, the s that it gets, and
// the ports of prop, which State.prop is.
type witness struct {
	c           *change // nil: an endpoint that stays as it is
	spec, ports list
}

var newEndpoint = &action{
	Name: "NewEndpoint", Doc: "The user creates a new endpoint, and the allocator gives it its ports.",
	Some:   some(byText, func(c *change) bool { return !c.Exists() && c.Shown }),
	Guards: proposed,
	Effect: func(s *State, p *witness) { s.write(p.c.Create(), p) },
	Primed: []primed{becomes(`endpoints' = id :> e @@ endpoints`), applied},
}

var updateEndpoint = &action{
	Name: "UpdateEndpoint", Doc: "The user gives an existing endpoint a spec, and the allocator gives it its ports.",
	Some: func(s *State, try func(witness) bool) {
		if len(s.endpoints.Changed()) > 0 {
			updated(s, try)
		} else if s.missing > 0 {
			someMissing(s, try)
		}
	},
	Guards:   proposed,
	Effect:   give,
	Primed:   []primed{becomes(`endpoints' = [endpoints EXCEPT ![id] = e]`), applied},
	Stutters: (*State).idempotent,
}

var removeEndpoint = &action{
	Name: "RemoveEndpoint", Doc: "An existing endpoint is removed, and the allocator takes back its ports.",
	Some:   some(byText, func(c *change) bool { return c.Exists() && !c.Shown }),
	Guards: []clause{{Text: `props # {}`, Holds: func(s *State, _ *witness) bool { return !s.prop.empty() }}},
	Effect: func(s *State, p *witness) {
		p.c.Delete()
		s.apply()
	},
	Primed: []primed{becomes(`endpoints' = [i \in DOMAIN endpoints \ {id} |-> endpoints[i]]`), applied},
}

// some tries the first endpoint that the step changes in the given way.
func some(how recovery, is func(*change) bool) func(*State, func(witness) bool) {
	return func(s *State, try func(witness) bool) {
		for _, c := range s.endpoints.Changed() {
			if is(c) {
				try(s.propose(how, c, c.New.Spec, c.New.Ports))
				return
			}
		}
	}
}

var updated = some(byText, isUpdate)

func isUpdate(c *change) bool { return c.Exists() && c.Shown }

// propose makes State.prop what is to be Allocate's for the endpoint.
func (s *State) propose(how recovery, c *change, spec, ports list) witness {
	s.prop.how = how
	s.prop.match(s, c.Now, spec, ports)
	return witness{c, spec, ports}
}

func (s *State) write(e *Endpoint, p *witness) {
	e.Spec, e.Ports = p.spec, p.ports
	s.apply()
}

// apply is allocated' = Apply(prop).
func (s *State) apply() {
	if len(s.prop.marks.keys) > 0 {
		s.allocator.The().Write().prop = &s.prop
	}
}

func give(s *State, p *witness) {
	if p.c == nil {
		s.apply()
		return
	}
	s.write(p.c.Write(), p)
}

// proposed is prop \in Allocate(endpoint, s), in the order of Allocate.
var proposed = []clause{
	{
		Text:  `s \in EndpointSpec`,
		Holds: func(s *State, p *witness) bool { return p.spec != missing && s.prop.typed },
	},
	faultless(wrongRecovered, `recovered = [i \in dynamics |-> [spec[i] EXCEPT !.published_port = Recover(i)]]`, func(s *State, i int) string {
		return fmt.Sprintf("port %d recovers %d from the old configuration, and is logged as %s", i+1, s.prop.spec[i], s.shown(&s.prop.ports[i]))
	}),
	{
		Text:   `~alreadyInUse`,
		Holds:  func(s *State, _ *witness) bool { return s.prop.inUse < 0 },
		Refute: true,
		Shows:  func(s *State, _ *witness) string { return s.usedBy(s.prop.address(int(s.prop.inUse))) },
	},
	{
		Text:   `~haveForcedDuplicates`,
		Holds:  func(s *State, _ *witness) bool { return s.prop.twice < 0 },
		Refute: true,
		Shows:  func(s *State, _ *witness) string { return s.text(s.prop.address(int(s.prop.twice))) + " twice" },
	},
	faultless(notDynamic, `alloc \in [portsNeeded -> DynamicPortNumber]`, func(s *State, i int) string {
		return fmt.Sprintf("port %d is given %d, which is not within %d..%d", i+1, s.prop.ports[i].published, s.first, s.last)
	}),
	faultless(usedByOthers, `NA(i) \notin addrsForOthers`, func(s *State, i int) string { return s.usedBy(s.prop.ports[i].addr()) }),
	faultless(givenTwice, `\A j \in DOMAIN spec \ {i} : spec[j].mode = host \/ NA(i) # NA(j)`, func(s *State, i int) string {
		return fmt.Sprintf("port %d is given %s, as another port is", i+1, s.text(s.prop.ports[i].addr()))
	}),
	faultless(wrongPorts, `ports = [i \in DOMAIN alloc |-> [spec[i] EXCEPT !.published_port = alloc[i]]] @@ spec`, func(s *State, i int) string {
		switch n, m := len(s.prop.ports), len(s.prop.user); {
		case i >= m:
			return fmt.Sprintf("%d ports for a spec of %d", n, m)
		case i >= n:
			return fmt.Sprintf("no port for spec[%d], %s", i+1, s.shown(&s.prop.user[i]))
		}
		return fmt.Sprintf("port %d is %s, for the spec %s", i+1, s.shown(&s.prop.ports[i]), s.shown(&s.prop.user[i]))
	}),
}

// faultless is a conjunct by which the logged ports do not have the fault.
func faultless(f faults, text string, shows func(s *State, port int) string) clause {
	return clause{
		Text:   text,
		Holds:  func(s *State, _ *witness) bool { return s.prop.faults&f == 0 },
		Refute: true,
		Shows:  func(s *State, _ *witness) string { return shows(s, s.prop.at(f)) },
	}
}

// becomes is a conjunct by which no other endpoint changes.
func becomes(text string) primed {
	return primed{Text: text, Of: varEndpoints, Shows: func(s *State, _ *witness) string {
		return fmt.Sprintf("the step changes %d endpoints", len(s.endpoints.Changed()))
	}}
}

var applied = primed{
	Text: `allocated' = Apply(prop)`, Of: varAllocated, Refute: true,
	Shows: func(s *State, _ *witness) string {
		return s.differs(s.prop.after, func(yield func(address)) {
			for _, a := range s.prop.marks.keys {
				yield(a)
			}
			s.inUse(yield)
		})
	},
}

// someMissing tries an endpoint that an update may leave as it is though allocated
// lacks an address of it. No step leads to such a state: only snapshots, or a
// step that broke the spec.
func someMissing(s *State, try func(witness) bool) {
	if s.allocator.The().Logged == 0 {
		return
	}
	i := slices.IndexFunc(s.logged.set, func(a address) bool { return !s.allocated(a) && s.uses[a].ingress > 0 })
	if i < 0 {
		return
	}
	for _, r := range slices.SortedFunc(s.endpoints.All(), func(a, b *row) int { return cmp.Compare(a.ID(), b.ID()) }) {
		e := &r.Value
		if !e.steady || !e.Ports.has(s.logged.set[i]) {
			continue
		}
		s.prop.how = byText
		if s.prop.match(s, e, e.Spec, e.Ports); try(witness{nil, e.Spec, e.Ports}) {
			return
		}
	}
}

// idempotent reports whether UpdateEndpoint may leave the state as it is.
func (s *State) idempotent() bool {
	if s.missing == 0 {
		return s.steady > 0
	}
	for r := range s.endpoints.All() {
		if r.Value.steady && s.holdsAll(r.Value.Ports) {
			return true
		}
	}
	return false
}

// holdsAll: allocated has each ingress address of the list.
func (s *State) holdsAll(l list) bool {
	for a := range l.ingress {
		if !s.allocated(a) {
			return false
		}
	}
	return true
}

// isSteady reports whether UpdateEndpoint to the endpoint's own spec may leave
// its ports as they are. No other endpoint has a say in that.
func (s *State) isSteady(e *Endpoint) bool {
	if e.plain {
		return true
	}
	if !e.Spec.isKnown() || !e.Ports.isKnown() || !e.Spec.typeOK(specs) {
		return false
	}
	x := &s.lone
	x.match(s, e, e.Spec, e.Ports)
	return x.faults == 0 && x.inUse < 0 && x.twice < 0
}

// isPlain reports whether the endpoint is of its type, and each port is for its spec
// and has no number, nor name with protocol, of another. So do most, and such a one
// is steady: each port recovers its own number.
func (s *State) isPlain(e *Endpoint) bool {
	spec, ports := s.open(e.Spec, &s.lone.room[0]), s.open(e.Ports, &s.lone.room[1])
	if len(spec) != len(ports) || len(ports) > fewKeys || !s.typed(e.Spec, specs) || !s.typed(e.Ports, configs) {
		return false
	}
	for i := range ports {
		p := &ports[i]
		if !p.isFor(&spec[i]) {
			return false
		}
		for k := range i {
			if q := &ports[k]; q.protocol == p.protocol && (q.published == p.published || q.name == p.name) {
				return false
			}
		}
	}
	return e.Spec.isKnown() && e.Ports.isKnown()
}
