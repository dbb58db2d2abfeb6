// Package portallocator is PortAllocator.tla: an allocator gives the ports of
// service endpoints their numbers, and users create, update and remove
// endpoints. Actions, clauses and functions have the words of the module.
//
// allocated need not be logged: it follows from the actions, and is compared in a step that
// logs it. It is an index of addresses, not a value: what an action makes of it is a proposal,
// and on the way through a batched step a journal.
//
// batched.go decides batched steps. Its endpoints may take any spec on the way: to exchange
// two ports, one endpoint gives up its own before. The generic search tries the specs that the
// step's lines show. So it misjudges 27 of the 41 cases testdata/batched_*. There is no end to
// the specs that it would have to try.
package portallocator

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// Spec is the specification, as a value.
var Spec = text.Spec()

// text is the module.
var text = &model.Model[State, witness]{
	Name:   "portallocator",
	Module: "PortAllocator",
	Doc: "The allocator of Docker's SwarmKit gives the published ports of services their numbers. An endpoint requests " +
		"a number, or leaves it to the allocator. No two endpoints get the same ingress address. The spec has no actors.",
	Source: "PortAllocator.tla",
	Constants: []validators.ConstantDoc{{
		Name: "dynamic_ports", Type: "[first,last], both within 1..65535",
		Default: fmt.Sprintf("[%d,%d]", defaultConstants.first, defaultConstants.last),
		Doc:     "DynamicPortNumber: the numbers that the allocator may choose. All others from 1 to 65535 are StaticPortNumber.",
	}, {
		Name: "protocols", Type: "array of names", Default: `["tcp","udp","sctp"]`,
		Doc: "Protocol: each protocol has the same static and dynamic ports.",
	}},
	Type: typeOK, First: true, Late: true,

	New:      newState,
	Attach:   func(s *State) { s.attach = true },
	Tables:   []model.Table[State]{allocator, endpoints},
	Next:     []*action{newEndpoint, updateEndpoint, removeEndpoint},
	Rules:    rules,
	Steps:    []*model.StepRule[State]{allocateIdempotent},
	Refusal:  rejectJustified,
	Profiles: []model.Profile[State, witness]{moby},
	Temporal: []validators.Temporal{{
		Name: allocateIdempotent.Name, Formula: `[][StepAllocateIdempotent]_vars`,
		Doc:  "Every step keeps the ports of an endpoint whose spec does not change. The module requires no fairness.",
		Step: allocateIdempotent.Name,
	}},

	Begin:  (*State).begin,
	Bound:  (*State).alignPorts,
	Settle: (*State).settle,
	Code:   (*State).code,
	Search: search,
}

func newState(c validators.Config) (*State, error) {
	k, err := parseConstants(c.Constants)
	return &State{
		constants: &k, uses: map[address]use{}, dynamicUsed: make([]int32, len(k.protocols)), moby: c.Profile == swarm.Moby, used: c.Uses,
		scratch: validators.PartOf[scratch](c.Workspace),
	}, err
}

// code is for what the state has beside its rows.
func (s *State) code(c *codec.Codec) {
	names := s.protocols
	codec.Slice(c, &names, c.Name)
	for i, name := range names { // ports have their places
		if i >= len(s.protocols) || s.protocols[i] != name {
			c.Fail("protocol %q is not number %d", name, i)
		}
	}
	codec.Bool(c, &s.badSet)
	released := slices.Sorted(maps.Keys(s.released))
	if codec.Slice(c, &released, func(a *address) { s.codeAddress(c, a) }); c.Reading() && len(released) > 0 {
		s.released = map[address]bool{}
		for _, a := range released {
			s.released[a] = true
		}
	}
	if codec.Bool(c, &s.isRun); s.isRun {
		codec.Bool(c, &s.runSet)
		codec.Slice(c, &s.shifted, func(a *address) { s.codeAddress(c, a) })
	}
}

// constants are the module's, as far as a trace has them.
type constants struct {
	first, last int32    // DynamicPortNumber
	protocols   []string // Protocol
	usual       bool     // it is the default one
}

// maxPort is the largest PortNumber.
const maxPort = 65535

var defaultConstants = constants{first: 30000, last: 32767, protocols: []string{"tcp", "udp", "sctp"}, usual: true}

func (c *constants) isDynamic(number int32) bool { return c.first <= number && number <= c.last }

// dynamics is Cardinality(DynamicPortNumber).
func (c *constants) dynamics() int { return int(c.last-c.first) + 1 }

func parseConstants(given map[string]string) (constants, error) {
	c := defaultConstants
	if raw, ok := given["dynamic_ports"]; ok {
		var bounds []json.RawMessage
		var n [2]int64
		ok = json.Unmarshal([]byte(raw), &bounds) == nil && len(bounds) == len(n)
		for i := 0; ok && i < len(n); i++ {
			n[i], ok = trace.Integer(string(bounds[i]))
		}
		if !ok || n[0] < 1 || n[1] < n[0] || n[1] > maxPort {
			return c, fmt.Errorf("constant dynamic_ports must be [first,last] with 1 <= first <= last <= %d, not %s", maxPort, raw)
		}
		c.first, c.last = int32(n[0]), int32(n[1])
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
		c.protocols, c.usual = names, slices.Equal(names, c.protocols)
	}
	return c, nil
}
