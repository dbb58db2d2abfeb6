package shrink

import "tracecheck/trace"

// Kinds that specs register.
var (
	kindNode = trace.KindNamed("node")

	fieldNode = trace.NewField("node")
)
