package updatecluster

import "tracecheck/trace"

// Kinds that specs register.
var (
	kindCluster = trace.KindNamed("cluster")
	kindRequest = trace.KindNamed("request")
)
