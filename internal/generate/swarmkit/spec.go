package swarmkit

import (
	"tracecheck/internal/generate/walk"
	"tracecheck/trace"
)

// Spec is SwarmKit.
var Spec = &walk.Spec{
	Name:  "swarmkit",
	Kinds: []trace.Kind{kindService, kindTask, kindNode},
	Rules: rules,
	New:   New,
}
