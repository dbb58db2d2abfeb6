package swarmkit

import (
	"encoding/json"

	"tracecheck/specs/internal/swarm"
)

// json is the service as a snapshot line would give it, with Docker's fields, if
// any of these was given.
func (sv *service) json() json.RawMessage {
	if sv.mobyService == nil || !sv.docker.known() {
		return sv.serviceValue.json()
	}
	d := &sv.docker
	return encode(struct {
		Replicas    any      `json:"replicas"`
		Remove      bool     `json:"remove"`
		Mode        string   `json:"mode"`
		MaxAttempts int64    `json:"max_attempts,omitempty"`
		Update      string   `json:"update_order,omitempty"`
		Rollback    string   `json:"rollback_order,omitempty"`
		Constraints []string `json:"constraints,omitempty"`
		Ports       []int    `json:"spec_ports,omitempty"`
		Run         *int32   `json:"job_iteration,omitempty"`
	}{swarm.OrGlobal(sv.replicas, 0), sv.remove, d.mode.String(), max(d.maxAttempts, 0),
		order(d.update), order(d.rollback), some("…", d.constrained), some(0, d.publishes), runOf(&d.iteration)})
}

// json is as a service's.
func (n *node) json() json.RawMessage {
	d := n.docker
	if d == nil || d.status == noStatus && d.availability == noAvailability {
		return n.nodeValue.json()
	}
	return encode(struct {
		State        string `json:"state"`
		Status       string `json:"status,omitempty"`
		Availability string `json:"availability,omitempty"`
	}{swarm.LinkName(n.up, n.bad != 0), statusNames[d.status], availabilityNames[d.availability]})
}

func order(startFirst bool) string {
	if startFirst {
		return startFirstOrder
	}
	return ""
}

// some is a list of which it is known only that it is not empty.
func some[T any](v T, is bool) []T {
	if !is {
		return nil
	}
	return []T{v}
}

func runOf(iteration *int32) *int32 {
	if *iteration == noIteration {
		return nil
	}
	return iteration
}
