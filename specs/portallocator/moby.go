package portallocator

import (
	"slices"

	"tracecheck/validators"
)

// What Docker's allocator does beyond the text, under the profile moby. Each
// endpoint of a step takes one action.

// recoverNothing is UpdateEndpoint with RecoverExistingPorts as the identity.
var recoverNothing = updateBy(fromNothing, dynamicNotSticky,
	"An endpoint whose spec gets another number of ports gets all its dynamic ports afresh.",
	clause{
		Text:  `Len(s) # Len(endpoints[id].ports)`,
		Holds: func(p *pair) bool { return len(p.e.new.spec.ports) != len(p.e.old.ports.ports) },
	}, `RecoverExistingPorts, which here is the identity`)

// recoverSimilar is UpdateEndpoint with a RecoverExistingPorts that does not ask
// whether the port was a dynamic one before.
var recoverSimilar = updateBy(fromSimilar, fixedPortKept,
	"A port of which the user gives up the number keeps it, with as many ports as before.",
	clause{
		Text:  `Len(s) = Len(endpoints[id].ports)`,
		Holds: func(p *pair) bool { return len(p.e.new.spec.ports) == len(p.e.old.ports.ports) },
	}, `RecoverExistingPorts: \E k \in DOMAIN endpoint.spec : endpoint.spec[k] = s; DynamicPortNumber`)

// updateBy is UpdateEndpoint with another RecoverExistingPorts.
func updateBy(how recovery, name, doc string, guard clause, relaxes string) *validators.Allowance[pair] {
	return &validators.Allowance[pair]{
		Action: action{
			Name: name, Doc: doc,
			Bind: func(p *pair) bool {
				p.prop.how = how
				defer func() { p.prop.how = byText }()
				return p.bind(true, true)
			},
			Clauses: slices.Concat([]clause{guard}, proposed, []clause{
				{Text: `endpoints' = [endpoints EXCEPT ![id] = e]`, Effect: true, Holds: (*pair).one, Shows: (*pair).howMany},
				applied,
			}),
		},
		Relaxes: relaxes,
		Source:  "manager/allocator/portallocator.go, reconcilePortConfigs",
	}
}

// mobyUpdates come after UpdateEndpoint.
var (
	mobyUpdates = []*action{&recoverNothing.Action, &recoverSimilar.Action}
	mobyNext    = append(slices.Clone(next), mobyUpdates...)
)

const (
	dynamicNotSticky   = "dynamic-not-sticky"
	fixedPortKept      = "fixed-port-kept"
	portsReordered     = "ports-reordered"
	reorderedByLeader  = "reordered-on-leader-change"
	refusedForHostPort = "refused-for-host-port"
	refusedAsMalformed = "refused-as-malformed"
)

var allowances = []validators.AllowanceDoc{
	recoverNothing.Describe(),
	recoverSimilar.Describe(),
	{
		Name: portsReordered, Doc: "The ports stand in another order than their specs: those with numbers first, the dynamic ones after them.",
		Clauses: []string{`ports is a permutation of what Allocate gives; AllocationsOK is judged of that`},
		Relaxes: "Allocate; AllocationsOK, which compares e.spec[i] with e.ports[i]",
		Source:  "manager/allocator/portallocator.go, reconcilePortConfigs; manager/allocator/network.go, updatePortsInHostPublishMode",
	},
	{
		Name: reorderedByLeader, Doc: "A new leader allocates anew: the same spec, the same ports, in another order.",
		Clauses: []string{`(ep.spec)' = ep.spec, and (ep.ports)' is a permutation of ep.ports`},
		Relaxes: "AllocateIdempotent", Source: "manager/allocator/portallocator.go, isPortsAllocatedOnInit",
	},
	{
		Name: refusedForHostPort, Doc: "A port is refused because another service has it, in whatever mode.",
		Clauses: []string{`\E p \in Range(s), another endpoint e : \E q \in Range(e.ports) : Addr(q) = Addr(p), any mode`},
		Relaxes: "RejectJustified", Source: "manager/controlapi/service.go, checkPortConflicts",
	},
	{
		Name: refusedAsMalformed, Doc: "A spec with one port twice is refused before the allocator is asked.",
		Clauses: []string{`\E i, j \in DOMAIN s : i # j /\ s[i].published_port # dynamic /\ Addr(s[i]) = Addr(s[j]), any mode`},
		Relaxes: "RejectJustified", Source: "manager/controlapi/service.go, validateEndpointSpec",
	},
}

// stuckAlone is the endpoint that takes none of the profile's actions, after
// those that do; nil where there is none.
func (b *batch) stuckAlone() (*change, []validators.Near) {
	it := b.stuck
	if it == nil {
		return nil, nil
	}
	b.p.endpoints, b.p.allocator = []change{{id: it.id, old: it.now, new: it.new, was: it.here, is: true}}, logged{}
	return it.change, mobyNext.Nearest(&b.p, nearestShown)
}
