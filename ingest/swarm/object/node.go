package object

import "github.com/moby/swarmkit/v2/api"

// Node has the state "up" only for a ready node. status is the original state.
func Node(n *api.Node) Fields {
	f := Fields{
		"availability": word(n.Spec.Availability),
		"role":         word(n.Role),
		"state":        "down",
		"status":       word(n.Status.State),
	}
	if n.Status.State == api.NodeStatus_READY {
		f["state"] = "up"
	}
	f.text("message", n.Status.Message)
	if labels := n.Spec.Annotations.Labels; len(labels) > 0 {
		f["labels"] = labels
	}
	return f
}
