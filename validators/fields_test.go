package validators

import "tracecheck/trace"

var (
	fieldState = trace.NewField("state")
)
