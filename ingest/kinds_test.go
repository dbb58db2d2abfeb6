package ingest

import (
	_ "tracecheck/internal/format1"
	"tracecheck/trace"
)

var (
	kindTask = trace.KindNamed("task")

	fieldNode  = trace.NewField("node")
	fieldState = trace.NewField("state")
)
