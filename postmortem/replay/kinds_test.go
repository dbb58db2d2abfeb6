package replay_test

import "tracecheck/trace"

var (
	kindAllocator = trace.KindNamed("allocator")
	kindCluster   = trace.KindNamed("cluster")
)
