package shrink

import "tracecheck/trace"

var (
	fieldNode = trace.NewField("node")
)
