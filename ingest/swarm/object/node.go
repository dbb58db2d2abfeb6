package object

import "tracecheck/ingest/swarm/wire"

// Node has the state "up" only for a ready node. status is the original state.
func Node(n *wire.Node) Fields {
	f := Fields{
		"availability": word(n.Spec.Availability),
		"role":         word(n.Role),
		"state":        "down",
		"status":       word(n.Status.State),
	}
	if n.Status.State == wire.NodeReady {
		f["state"] = "up"
	}
	f.text("message", n.Status.Message)
	if labels := n.Spec.Annotations.Labels; len(labels) > 0 {
		f["labels"] = labels
	}
	return f
}
