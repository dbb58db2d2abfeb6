package swarmkit

import (
	"fmt"
	"strings"

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
func (m *machine) subject() subject {
	switch {
	case len(m.tasks) > 0:
		return m.tasks[0].subject()
	case len(m.services) > 0:
		return m.services[0].subject()
	}
	return m.nodes[0].subject()
}

// unexplained is the finding of a step that nothing explains.
func (m *machine) unexplained(step *trace.Step, nothing string, why trouble) validators.Finding {
	var text strings.Builder
	fmt.Fprintf(&text, "%s explains this step: %s", nothing, why.what)
	if n := len(m.tasks) + len(m.services) + len(m.nodes); n > 1 {
		fmt.Fprintf(&text, " (one of %d objects that change)", n)
		if !m.batched {
			text.WriteString("; an atomic step is one action: if the recording sums up several, judge it with --steps batched")
		}
	}
	text.WriteString(validators.NearestText(why.near))
	return validators.Finding{Kind: validators.OfTransition, Rule: validators.NextRule, Pos: step.Events[why.line].Pos,
		Message: text.String(), Nearest: why.near, Changes: m.changes()}
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
func (m *machine) changes() []validators.Change {
	var list []validators.Change
	add := func(kind, id string, was, is bool, before, after func() []byte) {
		if len(list) == validators.MaxChanges {
			return
		}
		c := validators.Change{Kind: kind, ID: strings.Clone(id)}
		if was {
			c.Before = before()
		}
		if is {
			c.After = after()
		}
		list = append(list, c)
	}
	for i := range m.services {
		c := &m.services[i]
		add("service", c.id, c.was, c.is, func() []byte { return c.old.json() }, func() []byte { return c.new.json() })
	}
	for i := range m.nodes {
		c := &m.nodes[i]
		add("node", c.id, true, true, func() []byte { return c.old.json() }, func() []byte { return c.new.json() })
	}
	for i := range m.tasks {
		c := &m.tasks[i]
		add("task", c.id, c.was, c.is, func() []byte { return c.old.json() }, func() []byte { return c.new.json() })
	}
	return list
}
