package swarmkit

import (
	"fmt"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
)

// subject is an object that changes: the line of its last event, an index into
// the step, and what happens to it.
type subject struct {
	line int
	what string
}

func (c *taskChange) subject() subject { return subject{c.line, c.what()} }

func (c *serviceChange) subject() subject {
	return subject{c.line, fmt.Sprintf("service %s %s", c.id, verb(c.was, c.is))}
}

func (c *nodeChange) subject() subject {
	return subject{c.line, fmt.Sprintf("node %s changes", c.id)}
}

// subject is the first object that changes.
func (p *pair) subject() subject {
	switch {
	case len(p.tasks) > 0:
		return p.tasks[0].subject()
	case len(p.services) > 0:
		return p.services[0].subject()
	}
	return p.nodes[0].subject()
}

// unexplained is the finding of a step that nothing explains.
func (m *machine) unexplained(step *trace.Step, nothing string, why trouble) validators.Finding {
	text := fmt.Sprintf("%s explains this step: %s%s", nothing, why.what, validators.Among(m.count(), "objects", !m.batched))
	return validators.Unexplained(step, why.line, text, why.near, m.changes())
}

func verb(was, is bool) string {
	switch {
	case !was:
		return "is created"
	case !is:
		return "is deleted"
	}
	return "changes"
}

// what says in words what happens to the task.
func (c *taskChange) what() string {
	return swarm.Change(c.id, c.was, c.is, c.old.shown(), c.new.shown(), c.old.node != c.new.node,
		c.old.slot != c.new.slot || c.old.service != c.new.service)
}

func (v *taskValue) shown() swarm.Seen {
	return swarm.Seen{State: v.state, Desired: v.desired, Node: v.node.name()}
}

// changes lists what the step changes, services first.
func (m *machine) changes() (list []validators.Change) {
	for i := range m.services {
		c := &m.services[i]
		validators.AddChange(&list, kindService, c.id, c.was, c.is, c.old.json, c.new.json)
	}
	for i := range m.nodes {
		c := &m.nodes[i]
		validators.AddChange(&list, kindNode, c.id, true, true, c.old.json, c.new.json)
	}
	for i := range m.tasks {
		c := &m.tasks[i]
		validators.AddChange(&list, kindTask, c.id, c.was, c.is, c.old.json, c.new.json)
	}
	return list
}
