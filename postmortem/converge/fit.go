package converge

import "strings"

// fit is whether a global service requires a task on a node.
type fit uint8

const (
	unfit   fit = iota
	perhaps     // an existing task may stay, but none needs to be created
	fits
)

// fitOf returns the scheduler's decision. If a constraint uses an attribute that traces do
// not have, the existing tasks show whether the node fits.
func fitOf(s *service, id string, n *node) fit {
	if n.status != "ready" || n.availability == "drain" {
		return unfit
	}
	all := fits
	if n.availability == "pause" {
		all = perhaps
	}
	for _, c := range s.constraints {
		all = min(all, meets(c, id, n))
	}
	return all
}

// meets reads a constraint such as node.labels.zone==a. Like the engine, it
// ignores case.
func meets(constraint, id string, n *node) fit {
	key, want, found := strings.Cut(constraint, "!=")
	equal := !found
	if equal {
		key, want, found = strings.Cut(constraint, "==")
	}
	if !found {
		return perhaps
	}
	key = strings.TrimSpace(key)
	var is string
	label, isLabel := strings.CutPrefix(key, "node.labels.")
	switch {
	case isLabel:
		is = n.labels[label]
	case key == "node.id":
		is = id
	case key == "node.role" && n.role != "":
		is = n.role
	default:
		return perhaps
	}
	if strings.EqualFold(is, strings.TrimSpace(want)) == equal {
		return fits
	}
	return unfit
}

// The states of a task's node that matter.
type footing uint8

const (
	present footing = iota
	unsure          // not ready, and not given up either
	lost            // down or gone: its last report does not count
)

// footing returns whether a task's last state counts, by its node. In a trace without nodes,
// they count as up.
func (s *store) footing(node string) footing {
	n := s.nodes[node]
	switch {
	case n == nil && len(s.nodes) > 0:
		return lost
	case n == nil || n.status == "" || n.status == "ready":
		return present
	case n.status == "down":
		return lost
	}
	return unsure
}
