// Package format1 registers the kinds and fields of format 1, for tests of packages
// that know no spec.
package format1

import "tracecheck/trace"

var (
	_ = []trace.Kind{
		trace.NewKind("service"),
		trace.NewKind("task"),
		trace.NewKind("node"),
		trace.NewKind("container"),
		trace.NewKind("endpoint"),
		trace.NewSingleton("allocator"),
		trace.NewKind("request"),
		trace.NewSingleton("cluster"),
		trace.NewKind("namespace"),
		trace.NewKind("pvc"),
		trace.NewKind("syncer"),
	}
	_ = []trace.FieldName{
		trace.NewField("service"),
		trace.NewField("slot"),
		trace.NewField("node"),
		trace.NewField("state"),
		trace.NewField("desired_state"),
		trace.NewField("replicas"),
		trace.NewField("remove"),
		trace.NewField("spec"),
		trace.NewField("ports"),
		trace.NewField("allocated"),
		trace.NewField("status"),
		trace.NewField("rank"),
		trace.NewField("queued"),
		trace.NewField("request"),
		trace.NewField("complete"),
		trace.NewField("last_submitted"),
		trace.NewField("conf_ok"),
		trace.NewField("clusters"),
		trace.NewField("namespace"),
		trace.NewField("pvc_state"),
		trace.NewField("mode"),
		trace.NewField("max_attempts"),
		trace.NewField("update_order"),
		trace.NewField("rollback_order"),
		trace.NewField("constraints"),
		trace.NewField("spec_ports"),
		trace.NewField("spec_version"),
		trace.NewField("job_iteration"),
		trace.NewField("availability"),
		trace.NewField("update_state"),
		trace.NewField("restart_condition"),
		trace.NewField("volume_drained"),
	}
)
