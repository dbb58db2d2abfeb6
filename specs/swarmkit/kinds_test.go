package swarmkit_test

import "tracecheck/trace"

var (
	kindNode    = trace.KindNamed("node")
	kindService = trace.KindNamed("service")
	kindTask    = trace.KindNamed("task")
)
