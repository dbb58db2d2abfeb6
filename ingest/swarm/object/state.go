package object

import (
	"cmp"
	"maps"
	"slices"

	"tracecheck/ingest/swarm/wire"
)

// The kinds that a recording has.
const (
	KindNode     = "node"
	KindService  = "service"
	KindTask     = "task"
	KindEndpoint = "endpoint"
)

// Key identifies an object of a manager's store.
type Key struct{ Kind, ID string }

// KeyOf is the key of a node, a service or a task.
func KeyOf(o wire.Object) Key {
	switch o.(type) {
	case *wire.Node:
		return Key{KindNode, o.GetID()}
	case *wire.Service:
		return Key{KindService, o.GetID()}
	}
	return Key{KindTask, o.GetID()}
}

// State is an object as a recording has it.
type State struct {
	Data     Fields
	Endpoint Fields // of a service; nil: none
}

// State converts a node, a service or a task.
func (j Jobs) State(o wire.Object) State {
	switch o := o.(type) {
	case *wire.Node:
		return State{Data: Node(o)}
	case *wire.Service:
		return State{Service(o), Endpoint(o)}
	case *wire.Task:
		return State{Data: Task(o, j)}
	}
	return State{}
}

// Change is the change of one object. Data is nil in a deletion, and the
// differences in an update.
type Change struct {
	Op   string
	Key  Key
	Data Fields
}

// order is the order of a snapshot: referenced objects come first.
var order = map[string]int{KindNode: 0, KindService: 1, KindTask: 2}

// Snapshot lists all objects.
func Snapshot[S any](objects map[Key]S, state func(S) State) []Change {
	keys := slices.SortedFunc(maps.Keys(objects), func(a, b Key) int {
		return cmp.Or(cmp.Compare(order[a.Kind], order[b.Kind]), cmp.Compare(a.ID, b.ID))
	})
	var list []Change
	for _, k := range keys {
		s := state(objects[k])
		list = append(list, Change{OpSnapshot, k, s.Data})
		if s.Endpoint != nil {
			list = append(list, Change{OpSnapshot, Key{KindEndpoint, k.ID}, s.Endpoint})
		}
	}
	return list
}

// Created is the creation of an object.
func Created(k Key, now State) []Change {
	return append([]Change{{OpCreate, k, now.Data}}, endpointChange(k.ID, nil, now.Endpoint)...)
}

// Updated is the change of an object. It keeps the slot of a task: a slot never
// changes, even if the task's service has become known since.
func Updated(k Key, before, now State) []Change {
	if k.Kind == KindTask {
		now.Data["slot"] = before.Data["slot"]
	}
	return append([]Change{{OpUpdate, k, now.Data.Since(before.Data)}}, endpointChange(k.ID, before.Endpoint, now.Endpoint)...)
}

// Deleted is the deletion of an object.
func Deleted(k Key, before State) []Change {
	return append([]Change{{OpDelete, k, nil}}, endpointChange(k.ID, before.Endpoint, nil)...)
}

// endpointChange is the change of the endpoint of a changed service.
func endpointChange(id string, before, now Fields) []Change {
	k := Key{KindEndpoint, id}
	switch {
	case before == nil && now == nil:
		return nil
	case before == nil:
		return []Change{{OpCreate, k, now}}
	case now == nil:
		return []Change{{OpDelete, k, nil}}
	}
	if patch := now.Since(before); len(patch) > 0 {
		return []Change{{OpUpdate, k, patch}}
	}
	return nil
}
