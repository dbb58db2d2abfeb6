package model_test

import "tracecheck/trace"

var (
	kindCluster = trace.NewSingleton("cluster")
	kindNode    = trace.NewKind("node")
)
