package workerimpl

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
)

// fieldType says which mark a field has and what its type is.
type fieldType struct {
	name trace.FieldName
	mark badFields
	typ  string
}

// taskFields, containerFields and nodeFields are what a create or snapshot
// gives.
var (
	taskFields = []fieldType{
		{fieldService, badServiceField, "ServiceId (a string)"},
		{fieldSlot, badSlotField, `Slot \union { global } (an integer from 1, or "global")`},
		{fieldNode, badNodeField, `Node \union { unassigned } (an id, "" or null)`},
		{fieldState, badStateField, "TaskState (new, pending, assigned, … orphaned; not remove)"},
		{fieldDesiredState, badDesiredField, "DesiredState (ready, running, shutdown, remove)"},
	}
	containerFields = []fieldType{
		{fieldNode, badNodeField, "Node (an id)"},
		{fieldState, badStateField, "ContainerState (running, terminating, complete, failed)"},
	}
	nodeFields = []fieldType{
		{fieldState, badStateField, `NodeState ("up", "down")`},
	}
)

// A field that a create or snapshot leaves out is bad; one that the first sight
// of an object under --attach leaves out is not known yet. A task's node is never
// missing where the whole object is given: it is unassigned.
const (
	wholeTask      = badStateField | badDesiredField | badSlotField | badServiceField
	unseenTask     = wholeTask | badNodeField
	wholeContainer = badStateField | badNodeField
)

// blankTask is a task before any field of it is known.
func (s *state) blankTask(bad, unseen badFields) taskValue {
	return taskValue{service: s.none, slot: badSlot, marks: marks{bad, unseen}}
}

// mergeTask overlays the fields onto v.
func (s *state) mergeTask(v *taskValue, fields trace.Fields) {
	for i := range fields {
		f := &fields[i]
		switch f.Name {
		case fieldState:
			v.state = NoState
			if f.Type == trace.String {
				v.state = swarm.ParseState(f.Str)
			}
			v.mark(badStateField, !v.state.IsTaskState())
		case fieldDesiredState:
			v.desired = NoState
			if f.Type == trace.String {
				v.desired = swarm.ParseState(f.Str)
			}
			v.mark(badDesiredField, !v.desired.IsDesiredState())
		case fieldSlot:
			switch {
			case f.Type == trace.Int && f.Int >= 1:
				v.slot = f.Int
			case f.Type == trace.String && f.Str == "global":
				v.slot = globalSlot
			default:
				v.slot = badSlot
			}
			v.mark(badSlotField, v.slot == badSlot)
		case fieldNode:
			v.node = nil
			if f.Type == trace.String && f.Str != "" {
				v.node = s.node(f.Str)
			}
			v.mark(badNodeField, f.Type != trace.String && f.Type != trace.Null)
		case fieldService:
			v.service = s.none
			if f.Type == trace.String {
				v.service = s.service(f.Str)
			}
			v.mark(badServiceField, f.Type != trace.String)
		}
	}
}

// marks are the fields of an object that are outside their types, and those that
// are not known yet, under --attach.
type marks struct{ bad, unseen badFields }

func (v *marks) mark(m badFields, isBad bool) {
	v.unseen &^= m
	if v.bad &^= m; isBad {
		v.bad |= m
	}
}

// mergeContainer is as mergeTask.
func (s *state) mergeContainer(v *containerValue, fields trace.Fields) {
	for i := range fields {
		f := &fields[i]
		switch f.Name {
		case fieldState:
			v.state = noContainer
			if f.Type == trace.String {
				v.state = parseContainerState(f.Str)
			}
			v.mark(badStateField, v.state == noContainer)
		case fieldNode:
			v.node = nil
			if f.Type == trace.String && f.Str != "" {
				v.node = s.node(f.Str)
			}
			v.mark(badNodeField, v.node == nil)
		}
	}
}

// nodeValue is a NodeState.
type nodeValue struct {
	up bool
	marks
}

// mergeNode is as mergeTask, for a node's one field.
func mergeNode(v *nodeValue, fields trace.Fields, whole bool) {
	f := fields.Get(fieldState)
	if f.Type == trace.Absent && !whole {
		return
	}
	isUp := f.Type == trace.String && f.Str == "up"
	*v = nodeValue{up: isUp}
	v.mark(badStateField, !isUp && (f.Type != trace.String || f.Str != "down"))
}

// typeError says which field of the event has a value outside its type, "" if
// the event gives none of the marked fields a value.
func typeError(ev *trace.Event, bad badFields) string {
	fields := taskFields
	switch ev.Kind {
	case kindContainer:
		fields = containerFields
	case kindNode:
		fields = nodeFields
	}
	whole := ev.Op == trace.OpCreate || ev.Op == trace.OpSnapshot
	for _, f := range fields {
		v := ev.Fields.Get(f.name)
		if bad&f.mark != 0 && (whole || v.Type != trace.Absent) {
			return fmt.Sprintf("%s %s: %s %s is not in %s", ev.Kind, ev.ID, f.name, v, f.typ)
		}
	}
	return ""
}
