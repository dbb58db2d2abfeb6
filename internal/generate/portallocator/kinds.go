package portallocator

import "tracecheck/trace"

// Kinds that specs register.
var (
	kindAllocator = trace.KindNamed("allocator")
	kindEndpoint  = trace.KindNamed("endpoint")
)
