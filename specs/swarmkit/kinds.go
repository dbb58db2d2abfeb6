package swarmkit

import "tracecheck/trace"

// The kinds and fields that this spec reads: a swarm tells more of them than the text
// has.
var (
	kindNode, kindService, kindTask = trace.NewKind("node"), trace.NewKind("service"), trace.NewKind("task")

	fieldAvailability     = trace.NewField("availability")
	fieldDesiredState     = trace.NewField("desired_state")
	fieldSlot             = trace.NewField("slot")
	fieldConstraints      = trace.NewField("constraints")
	fieldJobIteration     = trace.NewField("job_iteration")
	fieldMaxAttempts      = trace.NewField("max_attempts")
	fieldMode             = trace.NewField("mode")
	fieldNode             = trace.NewField("node")
	fieldRemove           = trace.NewField("remove")
	fieldReplicas         = trace.NewField("replicas")
	fieldRestartCondition = trace.NewField("restart_condition")
	fieldRollbackOrder    = trace.NewField("rollback_order")
	fieldService          = trace.NewField("service")
	fieldSpecPorts        = trace.NewField("spec_ports")
	fieldSpecVersion      = trace.NewField("spec_version")
	fieldState            = trace.NewField("state")
	fieldStatus           = trace.NewField("status")
	fieldUpdateOrder      = trace.NewField("update_order")
	fieldUpdateState      = trace.NewField("update_state")
	fieldVolumeDrained    = trace.NewField("volume_drained")
)
