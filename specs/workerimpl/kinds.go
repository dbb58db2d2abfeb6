package workerimpl

import "tracecheck/trace"

// The kinds and fields that this spec reads.
var (
	kindContainer, kindNode, kindTask = trace.NewKind("container"), trace.NewKind("node"), trace.NewKind("task")

	fieldDesiredState = trace.NewField("desired_state")
	fieldNode         = trace.NewField("node")
	fieldService      = trace.NewField("service")
	fieldSlot         = trace.NewField("slot")
	fieldState        = trace.NewField("state")
)
