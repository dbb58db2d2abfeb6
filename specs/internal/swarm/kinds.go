package swarm

import "tracecheck/trace"

var (
	kindNode = trace.NewKind("node")
)
