package workerimpl

import (
	"strings"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// table is a kind of object: columns of values V.
type table[V comparable] struct {
	*model.Schema[state, V]
	kind   trace.Kind
	hidden model.Columns // that the first sight under --attach may leave unknown
	marks  func(*V) *model.Marks
	place  func(*V) *node // that it is on
	blank  func(*state) V // before anything of it is known
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
	kind: kindTask, hidden: 1<<5 - 1,
	marks: func(v *taskValue) *model.Marks { return &v.Marks },
	place: func(v *taskValue) *node { return v.node },
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
				var id string
				if !c.Reading() {
					id = v.service.id
				}
				if c.Name(&id); c.Reading() {
					v.service = s.service(id)
				}
			},
		},
		model.Column[state, taskValue]{
			Field: fieldSlot, Type: `Slot \union { global } (an integer from 1, or "global")`, Needed: true,
			Read: func(_ *state, v *taskValue, f trace.Value) model.Reading {
				switch {
				case f.Type == trace.Int && f.Int >= 1:
					v.slot = f.Int
				case f.Type == trace.String && f.Str == "global":
					v.slot = globalSlot
				default:
					v.slot = badSlot
					return model.Outside
				}
				return model.Good
			},
			Show: func(_ *state, v *taskValue) (any, bool) {
				switch v.slot {
				case globalSlot:
					return "global", true
				case badSlot:
					return nil, true
				}
				return v.slot, true
			},
			Code: func(_ *state, c *codec.Codec, v *taskValue) {
				if codec.Int(c, &v.slot); v.slot < badSlot {
					c.Fail("there is no task in slot %d", v.slot)
				}
			},
		},
		nodeColumn(`Node \union { unassigned } (an id, "" or null)`, false, func(v *taskValue) **node { return &v.node },
			func(f trace.Value) bool { return f.Type == trace.String || f.Type == trace.Null }),
		stateColumn(fieldState, "TaskState (new, pending, assigned, … orphaned; not remove)", State.IsTaskState,
			func(v *taskValue) *State { return &v.state }),
		stateColumn(fieldDesiredState, "DesiredState (ready, running, shutdown, remove)", State.IsDesiredState,
			func(v *taskValue) *State { return &v.desired }),
	),
}

// containerTable is the variable containers, of every worker.
var containerTable = &table[containerValue]{
	kind: kindContainer, hidden: 1<<2 - 1,
	marks: func(v *containerValue) *model.Marks { return &v.Marks },
	place: func(v *containerValue) *node { return v.node },
	blank: func(*state) containerValue { return containerValue{} },
	Schema: model.NewSchema(kindContainer,
		nodeColumn("Node (an id)", true, func(v *containerValue) **node { return &v.node },
			func(f trace.Value) bool { return f.Type == trace.String && f.Str != "" }),
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
	kind:  kindNode,
	marks: func(v *nodeValue) *model.Marks { return &v.Marks },
	place: func(*nodeValue) *node { return nil },
	blank: func(*state) nodeValue { return nodeValue{} },
	Schema: model.NewSchema(kindNode, model.Column[state, nodeValue]{
		Field: fieldState, Type: `NodeState ("up", "down")`, Needed: true,
		Read: func(_ *state, v *nodeValue, f trace.Value) model.Reading {
			if v.up = f.Type == trace.String && f.Str == "up"; v.up || f.Type == trace.String && f.Str == "down" {
				return model.Good
			}
			return model.Outside
		},
		Show: func(_ *state, v *nodeValue) (any, bool) {
			if v.Bad != 0 {
				return "?", true
			}
			return upOrDown(v.up), true
		},
		Code: func(_ *state, c *codec.Codec, v *nodeValue) { codec.Bool(c, &v.up) },
	}),
}

func stateColumn(field trace.FieldName, typ string, is func(State) bool, at func(*taskValue) *State) model.Column[state, taskValue] {
	return model.Column[state, taskValue]{
		Field: field, Type: typ, Needed: true,
		Read: func(_ *state, v *taskValue, f trace.Value) model.Reading {
			s := NoState
			if f.Type == trace.String {
				s = swarm.ParseState(f.Str)
			}
			if *at(v) = s; !is(s) {
				return model.Outside
			}
			return model.Good
		},
		Show: func(_ *state, v *taskValue) (any, bool) { return at(v).String(), true },
		Code: func(_ *state, c *codec.Codec, v *taskValue) {
			if codec.Uint(c, at(v)); *at(v) > Orphaned {
				c.Fail("there is no %s %d", field, uint8(*at(v)))
			}
		},
	}
}

func nodeColumn[V comparable](typ string, needed bool, at func(*V) **node, is func(trace.Value) bool) model.Column[state, V] {
	return model.Column[state, V]{
		Field: fieldNode, Type: typ, Needed: needed,
		Read: func(s *state, v *V, f trace.Value) model.Reading {
			if *at(v) = nil; f.Type == trace.String && f.Str != "" {
				*at(v) = s.node(f.Str)
			}
			if !is(f) {
				return model.Outside
			}
			return model.Good
		},
		Show: func(_ *state, v *V) (any, bool) {
			if n := *at(v); n != nil {
				return n.id, true
			}
			return "", true
		},
		Code: func(s *state, c *codec.Codec, v *V) { s.codeNode(c, at(v)) },
	}
}

// snapshot puts the object that the line gives, by way of the room of the list.
func (t *table[V]) snapshot(m *machine, room *[]change[V], ev *trace.Event, put func(id string, v V)) *V {
	s, run := m.s, &m.run
	*room = append((*room)[:0], change[V]{new: t.blank(s)})
	v := &(*room)[0].new
	marks := t.marks(v)
	marks.Bad = t.Whole
	t.Merge(s, v, marks, new(model.Columns), ev.Fields)
	put(ev.ID, *v)
	switch {
	case len(run.found) > 0:
	case marks.Bad != 0:
		run.found = append(run.found, validators.Finding{Kind: validators.OfType, Rule: typeOK.Name, Pos: ev.Pos, Message: t.wrong(s, ev, marks.Bad)})
	case t.breaks(s, ev.ID, v) != "":
		run.suspects = validators.Distinct(run.suspects, s.live, suspect.object)
		run.suspects = append(run.suspects, suspect{strings.Clone(ev.ID), ev.Kind, ev.Pos})
	}
	return v
}

// wrong says which field of the line has a value outside its type first.
func (t *table[V]) wrong(s *state, ev *trace.Event, bad model.Columns) (first string) {
	t.Wrong(s, t.kind.String()+" "+ev.ID, ev, bad, func(text string) {
		if first == "" {
			first = text
		}
	})
	return first
}
