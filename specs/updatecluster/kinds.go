package updatecluster

import "tracecheck/trace"

// The kinds and fields that this spec reads.
var (
	kindCluster, kindRequest = trace.NewSingleton("cluster"), trace.NewKind("request")

	fieldComplete      = trace.NewField("complete")
	fieldConfOK        = trace.NewField("conf_ok")
	fieldLastSubmitted = trace.NewField("last_submitted")
	fieldQueued        = trace.NewField("queued")
	fieldRank          = trace.NewField("rank")
	fieldRequest       = trace.NewField("request")
	fieldStatus        = trace.NewField("status")
)
