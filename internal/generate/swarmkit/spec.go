package swarmkit

import (
	"tracecheck/internal/generate/walk"
	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// Spec is SwarmKit.
var Spec = &walk.Spec{
	Name:  "swarmkit",
	Kinds: []trace.Kind{kinds.Service, kinds.Task, kinds.Node},
	Rules: rules,
	New:   New,
}
