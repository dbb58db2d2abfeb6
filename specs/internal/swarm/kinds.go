package swarm

import "tracecheck/trace"

// The kinds that are this spec's own.
var _ = [...]trace.Kind{trace.NewKind("service"), trace.NewKind("task"), trace.NewKind("node")}
