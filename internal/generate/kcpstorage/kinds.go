package kcpstorage

import "tracecheck/trace"

// Kinds that specs register.
var (
	kindNamespace = trace.KindNamed("namespace")
	kindPVC       = trace.KindNamed("pvc")
	kindSyncer    = trace.KindNamed("syncer")
)
