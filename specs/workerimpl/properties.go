package workerimpl

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// seen is one object of a state, for invariants; one of task, cont and node is
// set.
type seen struct {
	attach bool // what the stream has not shown may stand
	id     string
	unit   *unit // of the task or container
	task   *taskValue
	cont   *containerValue
	node   *nodeValue
}

type stateClause = validators.Clause[seen]

// inNode is n \in Node.
func (v *seen) inNode(n *node) bool { return n.shown || v.attach }

var typeOK = &validators.Invariant[seen]{
	Name: "TypeOK", Kind: validators.OfType,
	Doc: "Every variable has its type.",
	Clauses: []stateClause{
		{
			Text: `TasksTypeOK`,
			Holds: func(v *seen) bool {
				return v.task == nil || v.task.Bad == 0 && (v.task.node == nil || v.inNode(v.task.node))
			},
			Shows: func(v *seen) string { return v.showField(v.task.Bad, v.task.node) },
		},
		{
			// The container's own task, where it has one, shows what its id is.
			Text: `DOMAIN containers \in SUBSET ModelTaskId`,
			Holds: func(v *seen) bool {
				u := v.unit
				return u == nil || !u.hasCont || !u.hasTask || u.task.Bad != 0 || u.task.slot != globalSlot || u.task.node != nil
			},
			Shows: func(*seen) string { return "its task is global and has no node" },
		},
		{
			Text:  `containers \in [ DOMAIN containers -> ContainerState ]`,
			Holds: func(v *seen) bool { return v.cont == nil || v.cont.Bad == 0 },
		},
		{
			Text:  `ASSUME node \in Node`,
			Holds: func(v *seen) bool { return v.cont == nil || v.cont.node == nil || v.inNode(v.cont.node) },
			Shows: func(v *seen) string { return v.showField(v.cont.Bad, v.cont.node) },
		},
		{
			Text:  `WorkerTypeOK`,
			Holds: func(v *seen) bool { return v.node == nil || v.node.Bad == 0 },
		},
	},
}

func (v *seen) showField(bad model.Columns, n *node) string {
	if bad == 0 && n != nil {
		return fmt.Sprintf("node %s is not in Node: the stream has shown no such node", n.id)
	}
	return "a field has a value outside its type"
}

// broken reports the first object of the step that breaks TypeOK in the state
// that the step has made.
func (m *machine) broken(step *trace.Step) (f validators.Finding, is bool) {
	judge := func(s *span, v *seen) {
		if broken := typeOK.Broken(v); broken != nil && !is {
			f, is = m.typeFinding(broken, step.Events[s.line].Pos), true
		}
	}
	each(m.tasks, true, func(c *taskChange) { judge(&c.span, m.seeTask(c.id, &c.new)) })
	each(m.conts, true, func(c *containerChange) { judge(&c.span, m.seeContainer(c.id, &c.new)) })
	for _, nodes := range [...][]nodeChange{m.nodes, m.environment} {
		each(nodes, true, func(c *nodeChange) { judge(&c.span, m.see(seen{id: c.id, node: &c.new})) })
	}
	return f, is
}

// see reuses one value: invariants are judged after every step.
func (m *machine) see(v seen) *seen {
	m.seen = v
	m.seen.attach = m.attach
	return &m.seen
}

func (m *machine) seeTask(id string, v *taskValue) *seen {
	return m.see(seen{id: id, unit: m.s.units.Get(id), task: v})
}

func (m *machine) seeContainer(id string, v *containerValue) *seen {
	return m.see(seen{id: id, unit: m.s.units.Get(id), cont: v})
}

func (m *machine) typeFinding(c *stateClause, at trace.Pos) validators.Finding {
	v := &m.seen
	object := "task "
	switch {
	case v.cont != nil:
		object = "container "
	case v.node != nil:
		object = "node "
	}
	return typeOK.Finding(c, v, object+v.id, at)
}
