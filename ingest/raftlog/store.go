package raftlog

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/swarm/object"
)

// The recorded kinds, in the order of a snapshot: referenced objects come
// first.
const (
	kindNode     = "node"
	kindService  = "service"
	kindTask     = "task"
	kindEndpoint = "endpoint"
)

var order = map[string]int{kindNode: 0, kindService: 1, kindTask: 2}

// key identifies an object of the store.
type key struct{ kind, id string }

// known is an object as the trace has it.
type known struct {
	data     object.Fields
	endpoint object.Fields // of a service; nil: none
}

// store is the state of the trace so far.
type store struct {
	objects map[key]known
	jobs    object.Jobs
}

// restore returns the store of a manager's snapshot, and the time of the last
// change before it.
func restore(base *api.StoreSnapshot) (*store, time.Time) {
	var at time.Time
	s := &store{objects: map[key]known{}, jobs: object.Jobs{}}
	var all []api.StoreObject
	for _, n := range base.Nodes {
		all = append(all, n)
	}
	for _, sv := range base.Services {
		all = append(all, sv)
	}
	for _, t := range base.Tasks {
		all = append(all, t)
	}
	for _, o := range all {
		s.jobs.See(o)
		at = later(at, updated(o))
	}
	for _, o := range all {
		s.objects[keyOf(o)] = s.convert(o)
	}
	return s, at
}

func keyOf(o api.StoreObject) key {
	switch o.(type) {
	case *api.Node:
		return key{kindNode, o.GetID()}
	case *api.Service:
		return key{kindService, o.GetID()}
	}
	return key{kindTask, o.GetID()}
}

func (s *store) convert(o api.StoreObject) known {
	switch o := o.(type) {
	case *api.Node:
		return known{data: object.Node(o)}
	case *api.Service:
		return known{object.Service(o), object.Endpoint(o)}
	case *api.Task:
		return known{data: object.Task(o, s.jobs)}
	}
	return known{}
}

// snapshot lists all objects.
func (s *store) snapshot() []change {
	keys := make([]key, 0, len(s.objects))
	for k := range s.objects {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(order[a.kind], order[b.kind]), cmp.Compare(a.id, b.id))
	})
	var list []change
	for _, k := range keys {
		t := s.objects[k]
		list = append(list, change{opSnapshot, k, t.data})
		if t.endpoint != nil {
			list = append(list, change{opSnapshot, key{kindEndpoint, k.id}, t.endpoint})
		}
	}
	return list
}

// apply applies the actions of an entry, and returns the changes to write. Like
// a manager, it applies all actions or none.
func (s *store) apply(actions []action) ([]change, error) {
	if err := s.check(actions); err != nil {
		return nil, err
	}
	var list []change
	for _, a := range actions {
		list = append(list, s.take(a)...)
	}
	return list, nil
}

func (s *store) check(actions []action) error {
	stand := map[key]bool{}
	for _, a := range actions {
		k := keyOf(a.object)
		exists, seen := stand[k]
		if !seen {
			_, exists = s.objects[k]
		}
		if exists == (a.op == opCreate) {
			return fmt.Errorf("%s of %s %s does not fit the state before it", a.op, k.kind, k.id)
		}
		stand[k] = a.op != opDelete
	}
	return nil
}

func (s *store) take(a action) []change {
	k := keyOf(a.object)
	before := s.objects[k]
	if a.op == opDelete {
		delete(s.objects, k)
		return append([]change{{opDelete, k, nil}}, endpointChange(k.id, before.endpoint, nil)...)
	}
	s.jobs.See(a.object)
	now := s.convert(a.object)
	c := change{opCreate, k, now.data}
	if a.op == opUpdate {
		if k.kind == kindTask {
			now.data["slot"] = before.data["slot"] // a slot never changes, even if its service has become known since
		}
		c.op, c.data = opUpdate, now.data.Since(before.data)
	}
	s.objects[k] = now
	return append([]change{c}, endpointChange(k.id, before.endpoint, now.endpoint)...)
}

// endpointChange is the change of the endpoint of a changed service.
func endpointChange(id string, before, now object.Fields) []change {
	k := key{kindEndpoint, id}
	switch {
	case before == nil && now == nil:
		return nil
	case before == nil:
		return []change{{opCreate, k, now}}
	case now == nil:
		return []change{{opDelete, k, nil}}
	}
	if patch := now.Since(before); len(patch) > 0 {
		return []change{{opUpdate, k, patch}}
	}
	return nil
}
