package converge

import "tracecheck/trace"

// Kinds that specs register.
var (
	kindEndpoint = trace.KindNamed("endpoint")
	kindNode     = trace.KindNamed("node")
	kindService  = trace.KindNamed("service")
	kindTask     = trace.KindNamed("task")
)
