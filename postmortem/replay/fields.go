package replay

import "tracecheck/trace"

var (
	fieldNamespace = trace.NewField("namespace")
	fieldQueued    = trace.NewField("queued")
	fieldStatus    = trace.NewField("status")
)
