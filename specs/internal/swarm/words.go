package swarm

import (
	"fmt"
	"strings"
)

// Seen is what a report says about a task.
type Seen struct {
	State, Desired State
	Node           string // its name, or unassigned
}

// Change says in words what happens to the task: was and is say whether it is there before and
// after. moves says that its node changes, differs that its service or slot does.
func Change(id string, was, is bool, old, new Seen, moves, differs bool) string {
	if !was {
		return fmt.Sprintf("task %s is created in state %s, desired %s", id, new.State, new.Desired)
	}
	if !is {
		return fmt.Sprintf("task %s is deleted in state %s, desired %s", id, old.State, old.Desired)
	}
	var parts []string
	if old.State != new.State {
		parts = append(parts, fmt.Sprintf("goes from %s to %s", old.State, new.State))
	}
	if old.Desired != new.Desired {
		parts = append(parts, fmt.Sprintf("gets desired state %s after %s", new.Desired, old.Desired))
	}
	if moves {
		parts = append(parts, fmt.Sprintf("moves from node %s to %s", old.Node, new.Node))
	}
	if differs {
		parts = append(parts, "changes its service or slot")
	}
	if len(parts) == 0 {
		parts = append(parts, "gets a value outside its type")
	}
	return fmt.Sprintf("task %s %s", id, strings.Join(parts, " and "))
}

// NoNode says that there is nothing to say of a task's node.
const NoNode = "the task has no node"

// Link says in words how the node is: whether the stream has shown it, whether it is
// still there, and whether it is up.
func Link(id string, shown, exists, up bool) string {
	switch {
	case !shown:
		return fmt.Sprintf("the stream has shown no node %s", id)
	case !exists:
		return fmt.Sprintf("node %s was removed", id)
	case up:
		return fmt.Sprintf("nodes[%s] = up", id)
	}
	return fmt.Sprintf("nodes[%s] = down", id)
}
