package swarmkit

import (
	"fmt"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
)

// badFields marks the fields of an object that are outside their types. An
// object keeps such a mark until a later event gives the field a good value.
type badFields uint8

const (
	badStateField badFields = 1 << iota
	badDesiredField
	badSlotField
	badNodeField
	badServiceField
	badReplicasField
	badRemoveField
)

// typed says of each field which mark it has and what its type is.
var typed = map[trace.FieldName]struct {
	mark badFields
	typ  string
}{
	fieldState:        {badStateField, "TaskState (new, pending, assigned, … orphaned; not remove)"},
	fieldDesiredState: {badDesiredField, "DesiredState (ready, running, shutdown, remove)"},
	fieldSlot:         {badSlotField, `Slot \union { global } (an integer from 1, or "global")`},
	fieldNode:         {badNodeField, `Node \union { unassigned } (an id, "" or null)`},
	fieldService:      {badServiceField, "ServiceId (a string)"},
	fieldReplicas:     {badReplicasField, `0..maxReplicas \union { global } (an integer from 0, or "global")`},
	fieldRemove:       {badRemoveField, "BOOLEAN"},
}

// taskFields and serviceFields are what a create or snapshot gives.
var (
	taskFields    = []trace.FieldName{fieldService, fieldSlot, fieldNode, fieldState, fieldDesiredState}
	serviceFields = []trace.FieldName{fieldReplicas, fieldRemove}
)

// A field that a create or snapshot leaves out is bad; one that the first sight
// of an object under --attach leaves out is not known yet. A task's node is
// never missing where the whole object is given: it is unassigned.
const (
	wholeTask    = badStateField | badDesiredField | badSlotField | badServiceField
	unseenTask   = wholeTask | badNodeField
	wholeService = badReplicasField | badRemoveField
)

// blankTask is a task before any field of it is known. It has a service once
// fields are merged.
func (s *state) blankTask(bad, unseen badFields) taskValue {
	v := taskValue{slot: badSlot, bad: bad, unseen: unseen}
	if s.moby {
		v.docker = v.docker.withIteration(untold)
	}
	return v
}

// mergeTask overlays the fields onto v, and returns which of them are outside
// their types.
func (s *state) mergeTask(v *taskValue, fields trace.Fields) (bad badFields) {
	for i := range fields {
		f := &fields[i]
		switch f.Name {
		case fieldState:
			v.state = NoState
			if f.Type == trace.String {
				v.state = swarm.ParseState(f.Str)
			}
			bad |= mark(&v.bad, &v.unseen, badStateField, !v.state.IsTaskState())
		case fieldDesiredState:
			v.desired = NoState
			if f.Type == trace.String {
				v.desired = swarm.ParseState(f.Str)
			}
			bad |= mark(&v.bad, &v.unseen, badDesiredField, !v.desired.IsDesiredState() && !(s.moby && v.desired == Complete))
		case fieldSlot:
			v.slot = countOrGlobal(f.Value, 1, globalSlot, badSlot)
			bad |= mark(&v.bad, &v.unseen, badSlotField, v.slot == badSlot)
		case fieldNode:
			v.node = nil
			if f.Type == trace.String && f.Str != "" {
				v.node = s.node(f.Str)
			}
			bad |= mark(&v.bad, &v.unseen, badNodeField, f.Type != trace.String && f.Type != trace.Null)
		case fieldService:
			name := ""
			if f.Type == trace.String {
				name = f.Str
			}
			v.service = s.service(name)
			bad |= mark(&v.bad, &v.unseen, badServiceField, f.Type != trace.String)
		case fieldJobIteration:
			if s.moby {
				v.docker = v.docker.withIteration(iterationOf(f.Value))
			}
		}
	}
	if v.service == nil {
		v.service = s.unknown()
	}
	if s.moby && fields.Get(fieldService).Type == trace.String {
		v.docker = v.docker.withRestarts(v.service.alwaysRestarts(specVersionOf(fields.Get(fieldSpecVersion))))
	}
	return bad
}

// countOrGlobal reads an integer that is at least so much, or "global".
func countOrGlobal(v trace.Value, least, global, bad int64) int64 {
	switch {
	case v.Type == trace.Int && v.Int >= least:
		return v.Int
	case v.Type == trace.String && v.Str == "global":
		return global
	}
	return bad
}

// mergeService is as mergeTask.
func mergeService(v *serviceValue, fields trace.Fields) (bad badFields) {
	for i := range fields {
		f := &fields[i]
		switch f.Name {
		case fieldReplicas:
			v.replicas = countOrGlobal(f.Value, 0, globalReplicas, badReplicas)
			bad |= mark(&v.bad, &v.unseen, badReplicasField, v.replicas == badReplicas)
		case fieldRemove:
			v.remove = f.Type == trace.Bool && f.Int == 1
			bad |= mark(&v.bad, &v.unseen, badRemoveField, f.Type != trace.Bool)
		}
	}
	return bad
}

// nodeValue is a NodeState.
type nodeValue struct {
	up  bool
	bad badFields
}

// mergeNode is as mergeTask, for a node's one field.
func mergeNode(v *nodeValue, fields trace.Fields, whole bool) {
	f := fields.Get(fieldState)
	if f.Type == trace.Absent && !whole {
		return
	}
	isUp := f.Type == trace.String && f.Str == "up"
	*v = nodeValue{up: isUp}
	if !isUp && (f.Type != trace.String || f.Str != "down") {
		v.bad = badStateField
	}
}

func mark(bad, unseen *badFields, m badFields, isBad bool) badFields {
	*unseen &^= m
	*bad &^= m
	if !isBad {
		return 0
	}
	*bad |= m
	return m
}

// typeError says which field of the event has a value outside its type, "" if
// the event gives none of the marked fields a value.
func typeError(ev *trace.Event, bad badFields) string {
	if ev.Kind == kindNode {
		return fmt.Sprintf(`node %s: state %s is not in NodeState ("up", "down")`, ev.ID, ev.Fields.Get(fieldState))
	}
	names := taskFields
	if ev.Kind == kindService {
		names = serviceFields
	}
	whole := ev.Op == trace.OpCreate || ev.Op == trace.OpSnapshot
	for _, name := range names {
		v := ev.Fields.Get(name)
		if t := typed[name]; bad&t.mark != 0 && (whole || v.Type != trace.Absent) {
			return fmt.Sprintf("%s %s: %s %s is not in %s", ev.Kind, ev.ID, name, v, t.typ)
		}
	}
	return ""
}
