package report

import "tracecheck/trace"

// Kinds that specs register.
var (
	kindAllocator = trace.KindNamed("allocator")
	kindCluster   = trace.KindNamed("cluster")
	kindContainer = trace.KindNamed("container")
	kindEndpoint  = trace.KindNamed("endpoint")
	kindNamespace = trace.KindNamed("namespace")
	kindNode      = trace.KindNamed("node")
	kindPVC       = trace.KindNamed("pvc")
	kindRequest   = trace.KindNamed("request")
	kindService   = trace.KindNamed("service")
	kindSyncer    = trace.KindNamed("syncer")
	kindTask      = trace.KindNamed("task")
)
