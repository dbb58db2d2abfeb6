package swarmkit

import "tracecheck/trace"

// Kinds that specs register.
var (
	kindNode    = trace.KindNamed("node")
	kindService = trace.KindNamed("service")
	kindTask    = trace.KindNamed("task")
)
