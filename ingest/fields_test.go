package ingest

import (
	_ "tracecheck/internal/format1"
	"tracecheck/trace"
)

var (
	fieldNode  = trace.NewField("node")
	fieldState = trace.NewField("state")
)
