package validators

import "tracecheck/trace"

var (
	kindContainer = trace.KindNamed("container")
	kindNode      = trace.KindNamed("node")
	kindTask      = trace.KindNamed("task")

	fieldState = trace.NewField("state")
)
