// Package kinds names the kinds of object that the five specs register, for
// packages other than the specs.
package kinds

import "tracecheck/trace"

var (
	Allocator = trace.KindNamed("allocator")
	Cluster   = trace.KindNamed("cluster")
	Container = trace.KindNamed("container")
	Endpoint  = trace.KindNamed("endpoint")
	Namespace = trace.KindNamed("namespace")
	Node      = trace.KindNamed("node")
	PVC       = trace.KindNamed("pvc")
	Request   = trace.KindNamed("request")
	Service   = trace.KindNamed("service")
	Syncer    = trace.KindNamed("syncer")
	Task      = trace.KindNamed("task")
)
