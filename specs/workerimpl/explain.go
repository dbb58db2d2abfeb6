package workerimpl

import (
	"encoding/json"
	"fmt"
	"strconv"

	"tracecheck/specs/internal/swarm"
	"tracecheck/validators"
)

// count is how many objects differ.
func (b *binder) count() int { return len(b.tasks) + len(b.conts) + len(b.nodes) }

// instance says which instance the pair is of, where there could be a doubt.
func (m *machine) instance(p *pair) string {
	switch {
	case p.node == m.s.elsewhere:
		return " for a worker that it does not touch"
	case p.node.isWorker || m.s.shown > 1:
		return " for worker " + p.node.id
	}
	return ""
}

// subject is the first object that changes: its line and what happens to it.
func (p *pair) subject() (int, string) {
	switch {
	case len(p.tasks) > 0:
		return p.tasks[0].line, whatTask(&p.tasks[0])
	case len(p.containers) > 0:
		return p.containers[0].line, whatContainer(&p.containers[0])
	case len(p.nodes) > 0:
		c := &p.nodes[0]
		return c.line, fmt.Sprintf("node %s goes %s", c.id, swarm.LinkName(c.new.up, false))
	}
	return 0, "nothing changes"
}

// whatTask says in words what happens to the task.
func whatTask(c *taskChange) string {
	return swarm.Change(c.id, c.was, c.is, c.old.shown(), c.new.shown(), c.old.node != c.new.node,
		c.old.slot != c.new.slot || c.old.service != c.new.service)
}

func (v *taskValue) shown() swarm.Seen {
	return swarm.Seen{State: v.state, Desired: v.desired, Node: v.node.name()}
}

// whatContainer says in words what happens to the container.
func whatContainer(c *containerChange) string {
	switch {
	case !c.was:
		return fmt.Sprintf("container %s appears on %s, %s", c.id, c.new.node.name(), c.new.state)
	case !c.is:
		return fmt.Sprintf("container %s, %s, is removed from %s", c.id, c.old.state, c.old.node.name())
	case c.old.node != c.new.node:
		return fmt.Sprintf("container %s moves from node %s to %s", c.id, c.old.node.name(), c.new.node.name())
	}
	return fmt.Sprintf("container %s goes from %s to %s", c.id, c.old.state, c.new.state)
}

// changes lists what the step changes.
func (m *machine) changes() (list []validators.Change) {
	nodeTable.list(m.s, &list, m.nodes, m.environment)
	taskTable.list(m.s, &list, m.tasks)
	containerTable.list(m.s, &list, m.conts)
	return list
}

// list adds the changes, as far as a report goes.
func (t *table[V]) list(s *state, to *[]validators.Change, changes ...[]change[V]) {
	show := func(v *V) func() json.RawMessage { return func() json.RawMessage { return t.JSON(s, v) } }
	for _, list := range changes {
		each(func(c *change[V]) { validators.AddChange(to, t.Kind, c.id, c.was, c.is, show(&c.old), show(&c.new)) }, list)
	}
}

func (n *node) name() string {
	if n == nil {
		return "unassigned"
	}
	return n.id
}

func (v *taskValue) slotName() string {
	if v.isGlobal() {
		return "global"
	}
	return strconv.FormatInt(v.slot, 10)
}
