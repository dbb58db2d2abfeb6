package kcpstorage

import "tracecheck/trace"

// The kinds and fields that are this spec's own.
var (
	kindNamespace, kindPVC, kindSyncer = trace.NewKind("namespace"), trace.NewKind("pvc"), trace.NewKind("syncer")

	fieldClusters  = trace.NewMap("clusters", kindNamespace, kindPVC)
	fieldNamespace = trace.NewField("namespace")
	fieldPVCState  = trace.NewField("pvc_state")
)
