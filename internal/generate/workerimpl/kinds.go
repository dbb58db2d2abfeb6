package workerimpl

import "tracecheck/trace"

// Kinds that specs register.
var (
	kindContainer = trace.KindNamed("container")
	kindNode      = trace.KindNamed("node")
	kindTask      = trace.KindNamed("task")
)
