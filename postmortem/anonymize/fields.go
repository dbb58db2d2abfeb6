package anonymize

import (
	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// sortOf maps a kind of object to the kind of name of its ids.
var sortOf = map[trace.Kind]string{
	kinds.Service: service, kinds.Endpoint: service,
	kinds.Task: task, kinds.Container: task,
	kinds.Node: node, kinds.Request: request,
	kinds.Namespace: namespace, kinds.PVC: pvc, kinds.Syncer: cluster,
	// Singletons: their ids have no meaning.
	trace.KindMeta: word, kinds.Cluster: word, kinds.Allocator: word,
}

// fieldsOf returns the rewriting of each field of a kind. Other fields are left out, since
// messages may quote anything.
func fieldsOf() map[trace.Kind]map[string]rewrite {
	return map[trace.Kind]map[string]rewrite{
		trace.KindMeta: {
			"format": plain, "spec": each(claimed), "steps": oneOf("atomic", "batched"),
			"profile": oneOf("spec", "moby"), "constants": constants,
		},
		kinds.Service: {
			"replicas": oneOf("global"), "remove": plain, "name": named(serviceName), "image": named(image),
			"mode":         oneOf("replicated", "global", "replicated-job", "global-job"),
			"max_attempts": plain, "max_concurrent": plain, "spec_version": plain, "job_iteration": plain,
			"update_order": orders, "rollback_order": orders, "constraints": each(constraint), "spec_ports": ports,
			"restart_condition": oneOf("none", "any", "on_failure"),
			"update_state": oneOf("unknown", "updating", "paused", "completed",
				"rollback_started", "rollback_paused", "rollback_completed"),
		},
		kinds.Task: {
			"service": named(service), "slot": oneOf("global"), "node": named(node),
			"state": taskStates, "desired_state": taskStates, "image": named(image),
			"spec_version": plain, "job_iteration": plain, "volume_drained": plain,
		},
		kinds.Node: {
			"state": oneOf("up", "down"), "status": oneOf("ready", "down", "unknown", "disconnected"),
			"availability": oneOf("active", "pause", "drain"), "role": oneOf("manager", "worker"),
			"labels": mapOf(label, named(labelValue)),
		},
		kinds.Container: {
			"node": named(node), "state": oneOf("running", "terminating", "complete", "failed"),
		},
		kinds.Endpoint:  {"spec": ports, "ports": ports},
		kinds.Allocator: {"allocated": each(address)},
		kinds.Request: {
			"status": oneOf("waiting", "submitted", "rejected", "valid", "processing", "partial",
				"partialFailure", "success", "failure", "rolledback"),
			"rank": plain, "queued": plain,
		},
		kinds.Cluster: {
			"request": named(request), "complete": plain, "last_submitted": plain, "conf_ok": plain,
		},
		kinds.Namespace: {"clusters": mapOf(cluster, syncStates)},
		kinds.PVC:       {"namespace": named(namespace), "clusters": mapOf(cluster, syncStates)},
		kinds.Syncer:    {"namespace": named(namespace), "pvc_state": syncStates},
	}
}

var (
	taskStates = oneOf("new", "pending", "assigned", "accepted", "preparing", "ready", "starting", "running",
		"complete", "shutdown", "failed", "rejected", "remove", "orphaned")
	orders     = oneOf("stop_first", "start_first")
	syncStates = oneOf("nil", "Empty", "Sync")
	protocols  = withNames(protocol, "tcp", "udp", "sctp")
	ports      = each(fields(map[string]rewrite{
		"name": named(port), "protocol": protocols, "mode": oneOf("ingress", "host"), "published_port": plain,
	}))
	constants = fields(map[string]rewrite{
		"max_terminated": plain, "clusters": each(named(cluster)), "dynamic_ports": plain, "protocols": each(protocols),
	})
)
