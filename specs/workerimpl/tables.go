package workerimpl

import (
	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators/model"
)

// table is a kind of object: columns of values V.
type table[V comparable] struct {
	*model.Schema[state, V]
	marks func(*V) *model.Marks
	place func(*V) *node                        // that it is on
	unit  func(*state, *trace.Event) *unit      // of a task or a container; nil: there is none
	get   func(s *state, id string, u *unit) *V // nil: there is none
	blank func(*state) V                        // before anything of it is known
}

// The columns of a task, by their places.
const (
	ofService model.Columns = 1 << iota
	ofSlot
	ofNode
)

// taskTable is the variable tasks. A task's node is never missing where the whole
// object is given: it is unassigned.
var taskTable = &table[taskValue]{
	marks: func(v *taskValue) *model.Marks { return &v.Marks },
	place: func(v *taskValue) *node { return v.node },
	unit:  (*state).unitOf,
	get: func(_ *state, _ string, u *unit) *taskValue {
		if u.hasTask {
			return &u.task
		}
		return nil
	},
	blank: func(s *state) taskValue { return taskValue{service: s.none, slot: badSlot} },
	Schema: model.NewSchema(kindTask,
		model.Column[state, taskValue]{
			Field: fieldService, Type: "ServiceId (a string)", Needed: true,
			Read: func(s *state, v *taskValue, f trace.Value) model.Reading {
				if v.service = s.none; f.Type != trace.String {
					return model.Outside
				}
				v.service = s.service(f.Str)
				return model.Good
			},
			Show: func(_ *state, v *taskValue) (any, bool) { return v.service.id, true },
			Code: func(s *state, c *codec.Codec, v *taskValue) {
				if (v.Bad|v.Unseen)&ofService != 0 {
					v.service = s.none
					return
				}
				swarm.CodeRecord(c, &v.service, s.service, c.Name, "service", false)
			},
		},
		swarm.NumberColumn[state](fieldSlot, `Slot \union { global } (an integer from 1, or "global")`, 1, func(v *taskValue) *int64 { return &v.slot }),
		nodeColumn(`Node \union { unassigned } (an id, "" or null)`, false, func(v *taskValue) **node { return &v.node },
			func(f trace.Value) bool { return f.Type == trace.String || f.Type == trace.Null },
			func(v *taskValue) bool { return v.Bad&ofNode != 0 }),
		swarm.StateColumn(fieldState, "TaskState (new, pending, assigned, … orphaned; not remove)",
			func(_ *state, is State) bool { return is.IsTaskState() }, func(v *taskValue) *State { return &v.state }),
		swarm.StateColumn(fieldDesiredState, "DesiredState (ready, running, shutdown, remove)",
			func(_ *state, is State) bool { return is.IsDesiredState() }, func(v *taskValue) *State { return &v.desired }),
	),
}

// containerTable is the variable containers, of every worker.
var containerTable = &table[containerValue]{
	marks: func(v *containerValue) *model.Marks { return &v.Marks },
	place: func(v *containerValue) *node { return v.node },
	unit:  (*state).unitOf,
	get: func(_ *state, _ string, u *unit) *containerValue {
		if u.hasCont {
			return &u.cont
		}
		return nil
	},
	blank: func(*state) containerValue { return containerValue{} },
	Schema: model.NewSchema(kindContainer,
		nodeColumn("Node (an id)", true, func(v *containerValue) **node { return &v.node },
			func(f trace.Value) bool { return f.Type == trace.String && f.Str != "" },
			func(v *containerValue) bool { return v.Bad&1 != 0 }),
		containerStates,
	),
}

var containerStates = func() model.Column[state, containerValue] {
	c := model.Enum[state](fieldState, containerNames[:badContainer], func(v *containerValue) *containerState { return &v.state })
	c.Type = "ContainerState (running, terminating, complete, failed)"
	return c
}()

// nodeTable is the variable nodes.
var nodeTable = &table[nodeValue]{
	marks: func(v *nodeValue) *model.Marks { return &v.Marks },
	place: func(*nodeValue) *node { return nil },
	unit:  func(*state, *trace.Event) *unit { return nil },
	get: func(s *state, id string, _ *unit) *nodeValue {
		if n := s.nodes.Get(id); n != nil && n.exists {
			return &n.nodeValue
		}
		return nil
	},
	blank: func(*state) nodeValue { return nodeValue{} },
	Schema: model.NewSchema(kindNode, swarm.LinkColumn[state](fieldState,
		func(v *nodeValue) *bool { return &v.up }, func(v *nodeValue) bool { return v.Bad != 0 })),
}

func nodeColumn[V comparable](typ string, needed bool, at func(*V) **node, is func(trace.Value) bool, bad func(*V) bool) model.Column[state, V] {
	return swarm.NodeColumn(fieldNode, typ, needed, at, is, bad, (*state).node,
		func(s *state, c *codec.Codec, v *V) { s.codeNode(c, at(v), true) })
}

// snapshot sets the object that the line gives, by way of the room of the list.
func (t *table[V]) snapshot(m *machine, room *[]change[V], ev *trace.Event, u *unit, set func(v *V)) *V {
	s, run := m.s, &m.run
	*room = append((*room)[:0], change[V]{new: t.blank(s)})
	v := &(*room)[0].new
	marks := t.marks(v)
	marks.Bad = t.Whole
	t.Merge(s, v, marks, new(model.Columns), ev.Fields)
	set(v)
	switch {
	case len(run.Found) > 0:
	case marks.Bad != 0:
		run.Outside(typeOK.Name, ev.Pos, t.FirstWrong(s, ev, marks.Bad))
	case t.breaks(s, ev.ID, u, v) != "":
		run.Suspect(ev.Kind, ev.ID, ev.Pos, s.live)
	}
	return v
}
