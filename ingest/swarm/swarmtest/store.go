package swarmtest

import (
	"maps"

	gogo "github.com/gogo/protobuf/types"
	"github.com/moby/swarmkit/v2/api"
)

// Key names an object of the store.
type Key struct{ Kind, ID string }

// commit is one entry of the log.
type commit struct {
	index  uint64
	events []*api.WatchMessage_Event
}

// Action is one change of a transaction.
type Action struct {
	kind   api.WatchActionKind
	object api.StoreObject
}

// Create puts a new object into the store.
func Create(o api.StoreObject) Action { return Action{api.WatchActionKindCreate, o} }

// Update replaces an object.
func Update(o api.StoreObject) Action { return Action{api.WatchActionKindUpdate, o} }

// Remove deletes an object.
func Remove(o api.StoreObject) Action { return Action{api.WatchActionKindRemove, o} }

// Commit makes a transaction. As in the leader's store, objects get the version
// before it.
func (m *Manager) Commit(actions ...Action) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.write(actions); !m.behind {
		m.publish(c)
	}
}

// SetLimit makes a transaction that changes the task history limit.
func (m *Manager) SetLimit(limit int64) {
	m.Set(func(s *Settings) { s.HistoryLimit = limit })
	m.Commit(Update(m.now().cluster()))
}

// Unseen is a Commit that no watch hears of. Without actions it is one of what
// no recording is about.
func (m *Manager) Unseen(actions ...Action) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.write(actions)
}

// Together makes several transactions that come as one message.
func (m *Manager) Together(transactions ...[]Action) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all commit
	for _, actions := range transactions {
		c := m.write(actions)
		all.index, all.events = c.index, append(all.events, c.events...)
	}
	m.publish(all)
}

func (m *Manager) write(actions []Action) commit {
	c := commit{index: m.index + 1}
	for _, a := range actions {
		o := a.object.CopyStoreObject()
		if cluster, isCluster := o.(*api.Cluster); isCluster { // the settings have the rest
			m.limitAt, cluster.Meta.Version.Index = m.index, m.index
		} else if a.kind == api.WatchActionKindRemove {
			if stored := m.objects[keyOf(o)]; stored != nil {
				o = stored.CopyStoreObject()
			}
			delete(m.objects, keyOf(o))
		} else {
			meta := o.GetMeta()
			meta.Version.Index, meta.UpdatedAt = m.index, gogo.TimestampNow()
			o.SetMeta(meta)
			m.objects[keyOf(o)] = o
		}
		c.events = append(c.events, &api.WatchMessage_Event{Action: a.kind, Object: Wrap(o)})
	}
	m.index++
	m.log = append(m.log, c)
	return c
}

func (m *Manager) publish(c commit) {
	for w := range m.watchers {
		w <- c
	}
}

// Compact forgets the log: no watch can resume from before now.
func (m *Manager) Compact() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = m.index
}

// Behind makes the manager one that has restarted: its log ends n entries before
// the leader's, and its watches repeat the log from the start.
func (m *Manager) Behind(n uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.behind, m.known, m.applied = true, m.index-n, 0
}

// CatchUp is the end of Behind: the watches send the missing changes, step by step.
func (m *Manager) CatchUp() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = m.index
	for _, c := range m.log {
		if c.index > m.applied {
			m.publish(c)
		}
	}
	m.behind = false
}

// NewLeader makes the lists those of a new leader that has not applied its log yet: they
// show the objects of now, until Applied.
func (m *Manager) NewLeader() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.listed = maps.Clone(m.objects)
}

// Applied is the end of NewLeader.
func (m *Manager) Applied() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.listed = nil
}

// Falsify takes the last entry out of the log, but not its effect.
func (m *Manager) Falsify() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log = m.log[:len(m.log)-1]
}

// Objects returns the existing objects.
func (m *Manager) Objects() map[Key]api.StoreObject {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.objects)
}

// Log has the changes of each transaction so far.
func (m *Manager) Log() [][]*api.WatchMessage_Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all [][]*api.WatchMessage_Event
	for _, c := range m.log {
		all = append(all, c.events)
	}
	return all
}

func keyOf(o api.StoreObject) Key {
	switch o.(type) {
	case *api.Node:
		return Key{"node", o.GetID()}
	case *api.Service:
		return Key{"service", o.GetID()}
	}
	return Key{"task", o.GetID()}
}

// Wrap is the object as a message has it.
func Wrap(o api.StoreObject) *api.Object {
	switch o := o.(type) {
	case *api.Node:
		return &api.Object{Object: &api.Object_Node{Node: o}}
	case *api.Service:
		return &api.Object{Object: &api.Object_Service{Service: o}}
	case *api.Cluster:
		return &api.Object{Object: &api.Object_Cluster{Cluster: o}}
	}
	return &api.Object{Object: &api.Object_Task{Task: o.(*api.Task)}}
}
