package swarmkit

import (
	"tracecheck/internal/generate/walk"
	"tracecheck/trace"
)

// Spec is SwarmKit.
var Spec = &walk.Spec{
	Name:  "swarmkit",
	Kinds: []trace.Kind{trace.KindService, trace.KindTask, trace.KindNode},
	Rules: rules,
	New:   New,
}
