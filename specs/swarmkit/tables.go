package swarmkit

import (
	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators/model"
)

// columns is a set of a table's columns.
type columns uint8

// marks are model.Marks in a byte each: tasks are many.
type marks struct {
	bad    columns // outside their types: until a later line gives a value of the type
	unseen columns // not known yet, under --attach
}

// table is a kind of object, with columns of values V.
type table[V comparable] struct {
	*model.Schema[state, V]
	blank  func(*state) V // before any column of it is known
	marks  func(*V) *marks
	hidden columns                                   // that the first sight under --attach may leave unknown
	given  func(s *state, v *V, fields trace.Fields) // optional: what follows from several fields of a line
}

// The columns of a task and of a service, by their places.
const (
	ofService columns = 1 << iota
	ofSlot
	ofNode
	ofState
	ofDesired

	ofReplicas = ofService
	ofRemove   = ofSlot
)

// taskTable is the variable tasks. A task's node is never missing where the whole
// object is given: it is unassigned. A checkpoint has a task with the others of its
// vslot, which says what its service and its slot are.
var taskTable = &table[taskValue]{
	hidden: 1<<5 - 1,
	marks:  func(v *taskValue) *marks { return &v.marks },
	blank: func(s *state) taskValue {
		v := taskValue{slot: badSlot}
		if s.moby {
			v.docker = v.docker.withIteration(noIteration)
		}
		return v
	},
	given: func(s *state, v *taskValue, fields trace.Fields) {
		if v.service == nil {
			v.service = s.unknown()
		}
		if s.moby && fields.Get(fieldService).Type == trace.String {
			v.docker = v.docker.withRestarts(v.service.alwaysRestarts(specVersionOf(fields.Get(fieldSpecVersion))))
		}
	},
	Schema: model.NewSchema(kindTask,
		model.Column[state, taskValue]{
			Field: fieldService, Type: "ServiceId (a string)", Needed: true,
			Read: func(s *state, v *taskValue, f trace.Value) model.Reading {
				id := ""
				if f.Type == trace.String {
					id = f.Str
				}
				v.service = s.service(id)
				return model.GoodIf(f.Type == trace.String)
			},
			Show: func(_ *state, v *taskValue) (any, bool) {
				if v.bad&ofService != 0 {
					return nil, true
				}
				return v.service.id, true
			},
			Code: func(*state, *codec.Codec, *taskValue) {},
		},
		ofVSlot(swarm.NumberColumn[state](fieldSlot, `Slot \union { global } (an integer from 1, or "global")`, 1,
			func(v *taskValue) *int64 { return &v.slot })),
		swarm.NodeColumn(fieldNode, `Node \union { unassigned } (an id, "" or null)`, false,
			func(v *taskValue) **node { return &v.node },
			func(f trace.Value) bool { return f.Type == trace.String || f.Type == trace.Null },
			func(v *taskValue) bool { return v.bad&ofNode != 0 }, (*state).node,
			func(s *state, c *codec.Codec, v *taskValue) {
				if v.slot != globalSlot {
					s.codeNode(c, &v.node)
				}
			}),
		swarm.StateColumn(fieldState, "TaskState (new, pending, assigned, … orphaned; not remove)",
			func(_ *state, is State) bool { return is.IsTaskState() }, func(v *taskValue) *State { return &v.state }),
		swarm.StateColumn(fieldDesiredState, "DesiredState (ready, running, shutdown, remove)",
			func(s *state, is State) bool { return is.IsDesiredState() || s.moby && is == Complete },
			func(v *taskValue) *State { return &v.desired }),
		model.Column[state, taskValue]{
			Field: fieldJobIteration, Type: "Int (under the profile moby)",
			Read: func(s *state, v *taskValue, f trace.Value) model.Reading {
				if s.moby {
					v.docker = v.docker.withIteration(iterationOf(f))
				}
				return model.Good
			},
			Show: func(_ *state, v *taskValue) (any, bool) {
				iteration := v.docker.iteration()
				return iteration, iteration != noIteration && v.service.mobyService != nil && v.service.docker.isJob()
			},
			Code: func(s *state, c *codec.Codec, v *taskValue) {
				if s.moby {
					codec.Int(c, &v.docker)
				}
			},
		},
	),
}

// ofVSlot is a column that all tasks of a vslot share.
func ofVSlot(col model.Column[state, taskValue]) model.Column[state, taskValue] {
	col.Code = func(*state, *codec.Codec, *taskValue) {}
	return col
}

// serviceTable is the variable services.
var serviceTable = &table[serviceValue]{
	hidden: ofReplicas | ofRemove,
	marks:  func(v *serviceValue) *marks { return &v.marks },
	blank:  func(*state) serviceValue { return serviceValue{replicas: badReplicas} },
	Schema: model.NewSchema(kindService,
		swarm.NumberColumn[state](fieldReplicas, `0..maxReplicas \union { global } (an integer from 0, or "global")`, 0,
			func(v *serviceValue) *int64 { return &v.replicas }),
		model.Column[state, serviceValue]{
			Field: fieldRemove, Type: "BOOLEAN", Needed: true,
			Read: func(_ *state, v *serviceValue, f trace.Value) model.Reading {
				v.remove = f.Type == trace.Bool && f.Int == 1
				return model.GoodIf(f.Type == trace.Bool)
			},
			Show: func(_ *state, v *serviceValue) (any, bool) {
				if v.bad&ofRemove != 0 {
					return nil, true
				}
				return v.remove, true
			},
			Code: func(_ *state, c *codec.Codec, v *serviceValue) { codec.Bool(c, &v.remove) },
		},
	),
}

// nodeTable is the variable nodes.
var nodeTable = &table[nodeValue]{
	marks: func(v *nodeValue) *marks { return &v.marks },
	blank: func(*state) nodeValue { return nodeValue{} },
	Schema: model.NewSchema(kindNode, swarm.LinkColumn[state](fieldState,
		func(v *nodeValue) *bool { return &v.up }, func(v *nodeValue) bool { return v.bad != 0 })),
}

// begin makes it an object of which nothing is known yet. Of a whole one, which a line
// gives, what the line leaves out is outside its type.
func (t *table[V]) begin(s *state, v *V, isWhole bool) {
	*v = t.blank(s)
	if m := t.marks(v); isWhole {
		m.bad = columns(t.Whole)
	} else {
		m.unseen = t.hidden
	}
}

// whole makes it the object that a snapshot line gives.
func (t *table[V]) whole(s *state, ev *trace.Event, v *V) {
	t.begin(s, v, true)
	t.merge(s, v, ev.Fields)
}

// merge overlays the fields, and returns which of them are outside their types.
func (t *table[V]) merge(s *state, v *V, fields trace.Fields) columns {
	m := t.marks(v)
	now, given := model.Marks{Bad: model.Columns(m.bad), Unseen: model.Columns(m.unseen)}, model.Columns(0)
	t.Merge(s, v, &now, &given, fields)
	if m.bad, m.unseen = columns(now.Bad), columns(now.Unseen); t.given != nil {
		t.given(s, v, fields)
	}
	return columns(given) & m.bad
}

// code writes the value down, or reads it.
func (t *table[V]) code(s *state, c *codec.Codec, v *V) {
	m := t.marks(v)
	now := model.Marks{Bad: model.Columns(m.bad), Unseen: model.Columns(m.unseen)}
	t.Code(s, c, v, &now)
	m.bad, m.unseen = columns(now.Bad), columns(now.Unseen)
}

// wrong says which field of the line has a value outside its type, of the bad columns;
// "" if none is bad.
func (t *table[V]) wrong(s *state, ev *trace.Event, bad columns) string {
	if bad == 0 {
		return ""
	}
	return t.FirstWrong(s, ev, model.Columns(bad))
}
