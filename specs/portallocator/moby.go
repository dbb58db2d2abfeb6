package portallocator

import (
	"slices"

	"tracecheck/specs/internal/swarm"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// moby is what Docker's allocator does beyond the text. Each endpoint of a step
// takes one action.
var moby = model.Profile[State, witness]{
	Name: swarm.Moby, Doc: swarm.MobyDoc,
	Next: []model.Allowance[State, witness]{
		// RecoverExistingPorts is the identity.
		updateBy(fromNothing, dynamicNotSticky,
			"If a spec gets another number of ports, all dynamic ports of its endpoint are allocated again.",
			`Len(s) # Len(endpoints[id].ports)`, func(asked, had int) bool { return asked != had },
			`RecoverExistingPorts, which here is the identity`),
		// RecoverExistingPorts does not ask whether the port was a dynamic one before.
		updateBy(fromSimilar, fixedPortKept,
			"A port of which the user gives up the number keeps it, with as many ports as before.",
			`Len(s) = Len(endpoints[id].ports)`, func(asked, had int) bool { return asked == had },
			`RecoverExistingPorts: \E k \in DOMAIN endpoint.spec : endpoint.spec[k] = s; DynamicPortNumber`),
	},
	Relaxed: relaxed,
}

// updateBy is UpdateEndpoint with another RecoverExistingPorts.
func updateBy(how recovery, name, doc, text string, holds func(asked, had int) bool, relaxes string) model.Allowance[State, witness] {
	return model.Allowance[State, witness]{
		Action: &action{
			Name: name, Doc: doc,
			Some: some(how, isUpdate),
			Guards: slices.Concat([]clause{{Text: text, Holds: func(s *State, _ *witness) bool {
				return holds(len(s.prop.user), len(s.prop.had))
			}}}, proposed),
			Effect: give,
			Primed: updateEndpoint.Primed,
		},
		Relaxes: relaxes,
		Source:  "manager/allocator/portallocator.go, reconcilePortConfigs",
	}
}

// mobyUpdates are how an endpoint may be updated under the profile.
var mobyUpdates = []struct {
	*action
	how recovery
}{{updateEndpoint, byText}, {moby.Next[0].Action, fromNothing}, {moby.Next[1].Action, fromSimilar}}

const (
	dynamicNotSticky   = "dynamic-not-sticky"
	fixedPortKept      = "fixed-port-kept"
	portsReordered     = "ports-reordered"
	reorderedByLeader  = "reordered-on-leader-change"
	refusedForHostPort = "refused-for-host-port"
	refusedAsMalformed = "refused-as-malformed"
)

var relaxed = []validators.AllowanceDoc{
	{
		Name: portsReordered, Doc: "The ports are in another order than their specs: those with numbers first, the dynamic ones after them.",
		Clauses: []string{`ports is a permutation of what Allocate gives; AllocationsOK is judged of that`},
		Relaxes: "Allocate; AllocationsOK, which compares e.spec[i] with e.ports[i]",
		Source:  "manager/allocator/portallocator.go, reconcilePortConfigs; manager/allocator/network.go, updatePortsInHostPublishMode",
	},
	{
		Name: reorderedByLeader, Doc: "A new leader allocates again: the same spec, the same ports, in another order.",
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
