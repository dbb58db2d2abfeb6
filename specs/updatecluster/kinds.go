package updatecluster

import "tracecheck/trace"

// The kinds that are this spec's own.
var _ = [...]trace.Kind{trace.NewKind("request"), trace.NewSingleton("cluster")}
