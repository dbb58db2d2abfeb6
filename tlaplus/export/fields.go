package export

import "tracecheck/trace"

var (
	fieldClusters  = trace.NewField("clusters")
	fieldConfOK    = trace.NewField("conf_ok")
	fieldNamespace = trace.NewField("namespace")
	fieldNode      = trace.NewField("node")
	fieldStatus    = trace.NewField("status")
)
