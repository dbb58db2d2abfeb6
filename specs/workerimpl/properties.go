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
func (t *table[V]) breaks(s *state, id string, v *V) string {
	bad, u, shows := t.marks(v).Bad != 0, s.find(id), ""
	n := t.place(v)
	stray := n != nil && !n.shown && !s.attach // n \notin Node
	if stray {
		shows = fmt.Sprintf(" (node %s is not in Node: the stream has shown no such node)", n.id)
	}
	clause := 0
	switch {
	case t.kind == kindTask && bad:
		shows = " (a field has a value outside its type)"
	case t.kind == kindTask && stray:
	case t.kind != kindNode && u != nil && u.hasCont && u.hasTask && u.task.Bad == 0 && u.task.isGlobal() && u.task.node == nil:
		clause, shows = 1, " (its task is global and has no node)" // which shows what its id is
	case t.kind == kindContainer && bad:
		clause, shows = 2, ""
	case t.kind == kindContainer && stray:
		clause = 3
	case t.kind == kindNode && bad:
		clause = 4
	default:
		return ""
	}
	return fmt.Sprintf("%s %s breaks %s: %s%s", t.kind, id, typeOK.Name, typeOK.Clauses[clause], shows)
}

// broken reports the first object of the step that breaks TypeOK in the state
// that the step has made.
func (m *machine) broken(step *trace.Step) (found []validators.Finding) {
	firstBroken(m, taskTable, m.tasks, step, &found)
	firstBroken(m, containerTable, m.conts, step, &found)
	firstBroken(m, nodeTable, m.nodes, step, &found)
	firstBroken(m, nodeTable, m.environment, step, &found)
	return found
}

func firstBroken[V comparable](m *machine, t *table[V], list []change[V], step *trace.Step, found *[]validators.Finding) {
	for i := 0; i < len(list) && len(*found) == 0; i++ {
		if c := &list[i]; c.is {
			*found = t.judged(m.s, c.id, &c.new, step.Events[c.line].Pos, *found)
		}
	}
}

// judged adds the finding if the object, unless that is nil, breaks TypeOK.
func (t *table[V]) judged(s *state, id string, v *V, at trace.Pos, found []validators.Finding) []validators.Finding {
	if v == nil {
		return found
	}
	if text := t.breaks(s, id, v); text != "" {
		found = append(found, validators.Finding{Kind: validators.OfType, Rule: typeOK.Name, Pos: at, Message: text})
	}
	return found
}
