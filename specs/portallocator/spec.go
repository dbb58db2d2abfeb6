// Package portallocator is PortAllocator.tla: an allocator gives the ports of
// service endpoints their numbers, and users create, update and remove
// endpoints. Actions, clauses and functions carry the module's own words.
package portallocator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Spec is the specification, as a value.
var Spec = &validators.Spec{
	Name:   "portallocator",
	Module: "PortAllocator",
	Doc: "The published ports of services, as Docker's SwarmKit allocates them: an endpoint asks for numbers or leaves " +
		"them to the allocator, and no two endpoints get the same ingress address. No part of the system is an actor here.",
	Source: "PortAllocator.tla",
	Kinds:  []trace.Kind{trace.KindEndpoint, trace.KindAllocator},
	Constants: []validators.ConstantDoc{{
		Name: "dynamic_ports", Type: "[first,last], both within 1..65535",
		Default: fmt.Sprintf("[%d,%d]", defaultConstants.first, defaultConstants.last),
		Doc:     "DynamicPortNumber: the numbers that the allocator may choose. All others from 1 to 65535 are StaticPortNumber.",
	}, {
		Name: "protocols", Type: "array of names", Default: `["tcp","udp","sctp"]`,
		Doc: "Protocol: each protocol has the same static and dynamic ports.",
	}},
	Actions: next.Describe(),
	Rules:   []validators.RuleDoc{typeOK.Describe(), allocationsOK.Describe(), allocateIdempotent, rejectJustified},
	Temporal: []validators.Temporal{{
		Name: allocateIdempotent.Name, Formula: `[][StepAllocateIdempotent]_vars`,
		Doc:  "Every step keeps the ports of an endpoint whose spec stays. The module asks for no fairness.",
		Step: allocateIdempotent.Name,
	}},
	Profiles: []validators.Profile{{Name: swarm.Moby, Doc: swarm.MobyDoc, Allows: allowances}},
	New:      newMachine,

	Branches: branches.Describe(),
}

// constants are the module's, as far as a trace has them.
type constants struct {
	first, last int32    // DynamicPortNumber
	protocols   []string // Protocol
}

// maxPort is the largest PortNumber.
const maxPort = 65535

var defaultConstants = constants{first: 30000, last: 32767, protocols: []string{"tcp", "udp", "sctp"}}

func (c *constants) isDynamic(number int32) bool { return c.first <= number && number <= c.last }

// dynamics is Cardinality(DynamicPortNumber).
func (c *constants) dynamics() int { return int(c.last-c.first) + 1 }

func parseConstants(given map[string]string) (constants, error) {
	c := defaultConstants
	if raw, ok := given["dynamic_ports"]; ok {
		var bounds []int32
		err := json.Unmarshal([]byte(raw), &bounds)
		if err != nil || len(bounds) != 2 || bounds[0] < 1 || bounds[1] < bounds[0] || bounds[1] > maxPort {
			return c, fmt.Errorf("constant dynamic_ports must be [first,last] with 1 <= first <= last <= %d, not %s", maxPort, raw)
		}
		c.first, c.last = bounds[0], bounds[1]
	}
	if raw, ok := given["protocols"]; ok {
		var names []string
		err := json.Unmarshal([]byte(raw), &names)
		if err != nil || len(names) == 0 || len(names) > maxProtocols {
			return c, fmt.Errorf("constant protocols must be an array of 1 to %d names, not %s", maxProtocols, raw)
		}
		for i, name := range names {
			if name == "" || strings.Contains(name, "/") || slices.Contains(names[:i], name) {
				return c, fmt.Errorf("constant protocols: the names must differ, not be empty and have no slash, unlike %q in %s", name, raw)
			}
		}
		c.protocols = names
	}
	return c, nil
}
