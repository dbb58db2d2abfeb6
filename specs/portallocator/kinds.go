package portallocator

import "tracecheck/trace"

// The kinds and fields that this spec reads.
var (
	kindAllocator = trace.NewSingleton("allocator")
	kindEndpoint  = trace.NewKind("endpoint")

	fieldAllocated = trace.NewField("allocated")
	fieldPorts     = trace.NewField("ports")
	fieldSpec      = trace.NewField("spec")
)
