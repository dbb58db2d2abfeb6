package workerimpl

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

var typeOK = validators.TypeRule("TypeOK", "Every variable has its type.",
	`TasksTypeOK`,
	`DOMAIN containers \in SUBSET ModelTaskId`,
	`containers \in [ DOMAIN containers -> ContainerState ]`,
	`ASSUME node \in Node`,
	`WorkerTypeOK`)

// breaks says how the object breaks TypeOK, "" if it does not.
func (t *table[V]) breaks(s *state, id string, u *unit, v *V) string {
	bad, shows := t.marks(v).Bad != 0, ""
	n := t.place(v)
	stray := n != nil && !n.shown && !s.attach // n \notin Node
	if stray {
		shows = fmt.Sprintf(" (node %s is not in Node: the stream has shown no such node)", n.id)
	}
	clause := 0
	switch {
	case t.Kind == kindTask && bad:
		shows = " (a field has a value outside its type)"
	case t.Kind == kindTask && stray:
	case u != nil && u.hasCont && u.hasTask && (u.task.Bad|u.task.Unseen&ofNode) == 0 && u.task.isGlobal() && u.task.node == nil:
		clause, shows = 1, " (its task is global and has no node)" // which shows what its id is
	case t.Kind == kindContainer && bad:
		clause, shows = 2, ""
	case t.Kind == kindContainer && stray:
		clause = 3
	case t.Kind == kindNode && bad:
		clause = 4
	default:
		return ""
	}
	return fmt.Sprintf("%s %s breaks %s: %s%s", t.Kind, id, typeOK.Name, typeOK.Clauses[clause], shows)
}

// broken reports the first object of the step that breaks TypeOK in the state
// that the step has made.
func (m *machine) broken(step *trace.Step) (found []validators.Finding) {
	each(func(c *taskChange) { taskTable.judge(m.s, c.id, c.unit, c.now(), step.Events[c.line].Pos, &found) }, m.tasks)
	each(func(c *containerChange) {
		containerTable.judge(m.s, c.id, c.unit, c.now(), step.Events[c.line].Pos, &found)
	}, m.conts)
	m.eachNode(func(c *nodeChange) { nodeTable.judge(m.s, c.id, nil, c.now(), step.Events[c.line].Pos, &found) })
	return found
}

// judge adds the finding if the object, unless that is nil, breaks TypeOK, as the first
// that does.
func (t *table[V]) judge(s *state, id string, u *unit, v *V, at trace.Pos, found *[]validators.Finding) {
	if v != nil && len(*found) == 0 {
		if text := t.breaks(s, id, u, v); text != "" {
			*found = append(*found, validators.Finding{Kind: validators.OfType, Rule: typeOK.Name, Pos: at, Message: text})
		}
	}
}
