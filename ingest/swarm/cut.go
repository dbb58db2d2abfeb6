package swarm

import (
	"context"
	"time"

	"github.com/moby/swarmkit/v2/api"
)

// The kinds that a recording has.
const (
	kindNode     = "node"
	kindService  = "service"
	kindTask     = "task"
	kindEndpoint = "endpoint"
)

// key names an object of the store.
type key struct{ kind, id string }

func keyOf(o api.StoreObject) key {
	switch o.(type) {
	case *api.Node:
		return key{kindNode, o.GetID()}
	case *api.Service:
		return key{kindService, o.GetID()}
	}
	return key{kindTask, o.GetID()}
}

func versionOf(o api.StoreObject) uint64 {
	meta := o.GetMeta()
	return meta.Version.Index
}

// objectOf is the event's object, nil where the kind is not recorded.
func objectOf(e *api.WatchMessage_Event) api.StoreObject {
	switch {
	case e.Object == nil:
	case e.Object.GetNode() != nil:
		return e.Object.GetNode()
	case e.Object.GetService() != nil:
		return e.Object.GetService()
	case e.Object.GetTask() != nil:
		return e.Object.GetTask()
	}
	return nil
}

// cut is the store's content between two transactions.
type cut map[key]api.StoreObject

// take makes a cut. The lists are of several moments, all of them after the
// watch began; with the changes since then they all come to the same one. An
// id is never used again, so it does no harm that a list already shows some of
// the changes. The pause lets those arrive that it shows; one that is later
// still contradicts the cut, and is found.
func (m *manager) take(ctx context.Context, s *stream, pause time.Duration) (cut, []changes, error) {
	listed, err := m.objects(ctx)
	if err != nil {
		return nil, nil, err
	}
	c := cut{}
	for _, o := range listed {
		c[keyOf(o)] = o
	}
	over := time.NewTimer(pause)
	defer over.Stop()
	var since []changes
	for {
		select {
		case msg, ok := <-s.messages:
			if !ok {
				return nil, nil, s.err
			}
			c.replay(msg)
			since = append(since, msg)
		case <-over.C:
			return c, since, nil
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

func (c cut) replay(msg changes) {
	for _, e := range msg.events {
		o := objectOf(e)
		switch {
		case o == nil:
		case e.Action == api.WatchActionKindRemove:
			delete(c, keyOf(o))
		default:
			c[keyOf(o)] = o
		}
	}
}
