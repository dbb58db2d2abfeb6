package raftlog

import (
	"fmt"
	"time"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/wire"
)

// store is the state of the trace so far.
type store struct {
	objects map[object.Key]object.State
	jobs    object.Jobs
}

// restore returns the store of a manager's snapshot, and the time of the last
// change before it.
func restore(base *api.StoreSnapshot) (*store, time.Time) {
	var at time.Time
	s := &store{objects: map[object.Key]object.State{}, jobs: object.Jobs{}}
	var all []wire.Object
	for _, n := range base.Nodes {
		all = append(all, reduced(n, &wire.Node{}))
	}
	for _, sv := range base.Services {
		all = append(all, reduced(sv, &wire.Service{}))
	}
	for _, t := range base.Tasks {
		all = append(all, reduced(t, &wire.Task{}))
	}
	for _, o := range all {
		s.jobs.See(o)
		at = later(at, o.GetMeta().Time())
	}
	for _, o := range all {
		s.objects[object.KeyOf(o)] = s.jobs.State(o)
	}
	return s, at
}

// snapshot lists all objects.
func (s *store) snapshot() []object.Change {
	return object.Snapshot(s.objects, func(o object.State) object.State { return o })
}

// apply applies the actions of an entry, and returns the changes to write. Like
// a manager, it applies all actions or none.
func (s *store) apply(actions []action) ([]object.Change, error) {
	if err := s.check(actions); err != nil {
		return nil, err
	}
	var list []object.Change
	for _, a := range actions {
		list = append(list, s.take(a)...)
	}
	return list, nil
}

func (s *store) check(actions []action) error {
	exists := map[object.Key]bool{}
	for _, a := range actions {
		k := object.KeyOf(a.object)
		is, seen := exists[k]
		if !seen {
			_, is = s.objects[k]
		}
		if is == (a.op == object.OpCreate) {
			return fmt.Errorf("%s of %s %s does not fit the state before it", a.op, k.Kind, k.ID)
		}
		exists[k] = a.op != object.OpDelete
	}
	return nil
}

func (s *store) take(a action) []object.Change {
	k := object.KeyOf(a.object)
	before := s.objects[k]
	if a.op == object.OpDelete {
		delete(s.objects, k)
		return object.Deleted(k, before)
	}
	s.jobs.See(a.object)
	now := s.jobs.State(a.object)
	s.objects[k] = now
	if a.op == object.OpCreate {
		return object.Created(k, now)
	}
	return object.Updated(k, before, now)
}
