package converge

import "tracecheck/trace"

var (
	fieldState = trace.NewField("state")
)
