package swarmkit

import (
	"fmt"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
)

// seen is one object of a state, for invariants; one of the three is set.
type seen struct {
	s       *state
	id      string
	task    *taskValue
	service *serviceValue
	node    *nodeValue
}

type stateClause = validators.Clause[seen]

// Under the profile moby (s.moby), some clauses hold for more states.

// inNode is t.node \in Node.
func (v *seen) inNode() bool {
	n := v.task.node
	return n != nil && (n.shown || v.s.attach)
}

var typeOK = &validators.Invariant[seen]{
	Name: "TypeOK", Kind: validators.OfType,
	Doc: "Every variable has its type.",
	Clauses: []stateClause{
		{Text: `services \in [DOMAIN services -> ServiceSpec]`, Holds: func(v *seen) bool { return v.service == nil || v.service.bad == 0 }},
		{
			Text: `TasksTypeOK`,
			Holds: func(v *seen) bool {
				return v.task == nil || v.task.bad == 0 && (v.task.node == nil || v.inNode()) && (!v.s.moby || v.task.mayComplete())
			},
			Shows: func(v *seen) string {
				if v.task.node != nil && !v.inNode() {
					return fmt.Sprintf("node %s is not in Node: the stream has shown no such node", v.task.node.id)
				}
				return "a field has a value outside its type"
			},
		},
		{Text: `WorkerTypeOK`, Holds: func(v *seen) bool { return v.node == nil || v.node.bad == 0 }},
	},
}

// inv is Inv. That ids are unique holds by the format: an id names one task.
var inv = &validators.Invariant[seen]{
	Name: "Inv", Kind: validators.OfInvariant,
	Doc: "Things that should be true of every task, in every state.",
	Clauses: []stateClause{
		{
			Text: `t.service \in DOMAIN services`,
			Holds: func(v *seen) bool {
				return v.task == nil || v.task.service.exists || v.task.unseen&ofService != 0 ||
					v.s.attach && !v.task.service.gone || v.s.moby && (v.task.service.isGone() || v.task.service.isAttachment())
			},
			Shows: func(v *seen) string { return fmt.Sprintf("there is no service %q", v.task.service.id) },
		},
		{
			Text: `assigned \preceq State(t) => t.node \in Node \/ State(t) = rejected`,
			Holds: func(v *seen) bool {
				return v.task == nil || !Assigned.Preceq(v.task.state) || v.inNode() || v.task.state == Rejected ||
					v.task.unseen&ofNode != 0 || v.s.moby && v.task.state == Shutdown && v.task.node == nil
			},
			Shows: func(v *seen) string {
				return fmt.Sprintf("State(t) = %s, t.node = %s", v.task.state, v.task.node.name())
			},
		},
		{Text: `State(t) # remove`, Holds: func(v *seen) bool { return v.task == nil || v.task.state != Remove }},
	},
}

var invariants = []*validators.Invariant[seen]{typeOK, inv}

var stepTransitionsOK = validators.RuleDoc{
	Name: "StepTransitionsOK", Kind: validators.OfProperty,
	Doc: "Each change of a task's state is one that Transitions permits to the component. The action that explains the step names the component.",
	Clauses: []string{
		`\A id \in newIds \union oldIds : << Get(tasks, id), Get(tasks', id) >> \in permitted`,
	},
}

// notPermitted returns a task whose change StepTransitionsOK does not allow to
// a step of the action, nil if there is none.
func (m *machine) notPermitted(p *pair, a *action) *taskChange {
	for i := range p.tasks {
		if from, to := p.tasks[i].states(); !swarm.Permitted(a.Actor, from, to) {
			return &p.tasks[i]
		}
	}
	return nil
}

func (m *machine) transitionFinding(step *trace.Step, c *taskChange, line int, a *action) validators.Finding {
	return validators.Finding{Kind: validators.OfProperty, Rule: stepTransitionsOK.Name, Pos: step.Events[line].Pos,
		Message: fmt.Sprintf("%s, which Transitions does not permit to the %s (%s)", c.what(), a.Actor, a.Name), Changes: m.changes()}
}

var inDesiredState = validators.RuleDoc{
	Name: "InDesiredState",
	Doc:  "Reported for each stream at the end of a run, with the time since which it fails. It is not a violation. Node is the set of existing nodes.",
	Clauses: []string{
		`\A sid \in DOMAIN services : ~services[sid].remove`,
		`IsReplicated(sid) -> nRunning = services[sid].replicas`,
		`IsGlobal(sid) -> nRunning = Cardinality(Node) /\ { t.node : t \in runningTasks } = Node`,
		`\A slot \in VSlotsOf(sid) : Cardinality(terminated) <= maxTerminated`,
	},
}

// check adds the invariants that are broken, where nothing that is found breaks them.
func (m *machine) check(found *[]validators.Finding, v *seen, at trace.Pos, rules ...*validators.Invariant[seen]) {
	for _, rule := range rules {
		if c := rule.Broken(v); c != nil {
			v.add(found, rule, c, at)
		}
	}
}

func (v *seen) add(found *[]validators.Finding, rule *validators.Invariant[seen], c *stateClause, at trace.Pos) {
	if validators.HasRule(*found, rule.Name) {
		return
	}
	object := "task "
	switch {
	case v.service != nil:
		object = "service "
	case v.node != nil:
		object = "node "
	}
	*found = append(*found, rule.Finding(c, v, object+v.id, at))
}

// broken adds the first object of the step that breaks each invariant in the state
// that the step has made.
func (m *machine) broken(step *trace.Step, found []validators.Finding) []validators.Finding {
	check := func(v *seen, line int, rules ...*validators.Invariant[seen]) {
		m.check(&found, v, step.Events[line].Pos, rules...)
	}
	for i := range m.tasks {
		if c := &m.tasks[i]; c.is && m.breaks(c.id, &c.new) {
			check(&m.seen, c.line, invariants...)
		}
	}
	for i := range m.services {
		c := &m.services[i]
		if c.is {
			check(m.see(c.id, nil, &c.new, nil), c.line, invariants...)
		} else if sv := m.s.services.Get(c.id); sv != nil && !m.s.moby {
			if t := sv.someTask(); t != nil {
				v := t.value()
				check(m.see(t.id, &v, nil, nil), c.line, inv) // what it leaves alone was judged before
			}
		}
	}
	for i := range m.nodes {
		c := &m.nodes[i]
		check(m.see(c.id, nil, nil, &c.new), c.line, invariants...)
	}
	return found
}

// see reuses one value: invariants are judged after every step.
func (m *machine) see(id string, t *taskValue, sv *serviceValue, n *nodeValue) *seen {
	m.seen = seen{s: m.s, id: id, task: t, service: sv, node: n}
	return &m.seen
}

// breaks says that some invariant does not hold for the task. If so, m.seen is the task.
func (m *machine) breaks(id string, v *taskValue) bool {
	if v.isPlain() {
		return false
	}
	seen := m.see(id, v, nil, nil)
	return typeOK.Broken(seen) != nil || inv.Broken(seen) != nil
}

// isPlain says, at a glance, that no invariant is broken. This applies to most tasks.
func (v *taskValue) isPlain() bool {
	placed := v.node != nil && v.node.shown || v.node == nil && !Assigned.Preceq(v.state)
	return placed && v.service.exists && v.bad == 0 && v.state != Remove && v.desired != Complete
}
