package portallocator

import "tracecheck/trace"

// The kinds that are this spec's own.
var _ = [...]trace.Kind{trace.NewKind("endpoint"), trace.NewSingleton("allocator")}
