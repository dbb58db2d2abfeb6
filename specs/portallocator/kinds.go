package portallocator

import "tracecheck/trace"

// The kinds and fields that this spec reads.
var (
	kindAllocator, kindEndpoint = trace.NewSingleton("allocator"), trace.NewKind("endpoint")

	fieldAllocated = trace.NewField("allocated")
	fieldPorts     = trace.NewPacked("ports", packText)
	fieldSpec      = trace.NewPacked("spec", packText)
)
