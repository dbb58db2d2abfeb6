package export

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

	fieldClusters  = trace.NewField("clusters")
	fieldConfOK    = trace.NewField("conf_ok")
	fieldNamespace = trace.NewField("namespace")
	fieldNode      = trace.NewField("node")
	fieldStatus    = trace.NewField("status")
)
