package swarm

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/wire"
)

// errHole means that a change does not follow from the recorded ones, so
// something was missed.
var errHole = errors.New("changes were missed")

var ops = map[wire.Action]string{
	wire.Create: object.OpCreate, wire.Update: object.OpUpdate, wire.Remove: object.OpDelete,
}

// recorded is an object as the recording has it.
type recorded struct {
	object.State
	version uint64
	hash    uint64
}

// mirror is the state of the recording.
type mirror struct {
	objects   map[object.Key]recorded
	jobs      object.Jobs
	index     uint64 // the newest version of an object
	deletions int    // later transactions without a version of their own: they only delete, or repeat it
	sum       uint64 // sum of the objects' hashes

	// base is an index of the manager's log up to which everything is recorded.
	// An older object that does not exist was deleted.
	base uint64
	// same has the hashes of the transactions with the version index.
	same []uint64
}

// copy returns a copy that is independent of m.
func (m *mirror) copy() *mirror {
	c := *m
	c.objects, c.jobs, c.same = maps.Clone(m.objects), maps.Clone(m.jobs), slices.Clone(m.same)
	return &c
}

// newMirror returns a mirror with the objects of the cut.
func newMirror(c cut) *mirror {
	m := &mirror{objects: make(map[object.Key]recorded, len(c)), jobs: object.Jobs{}}
	for _, o := range c {
		m.jobs.See(o)
	}
	for k, o := range c {
		m.set(k, m.convert(o))
		m.index = max(m.index, versionOf(o))
	}
	return m
}

func (m *mirror) set(k object.Key, t recorded) {
	t.hash = t.sum(k)
	m.sum += t.hash - m.objects[k].hash
	m.objects[k] = t
}

func (m *mirror) convert(o wire.Object) recorded {
	return recorded{State: m.jobs.State(o), version: versionOf(o)}
}

// snapshot lists all objects.
func (m *mirror) snapshot() []object.Change {
	return object.Snapshot(m.objects, func(o recorded) object.State { return o.State })
}

// apply applies a transaction and returns the changes to record, if any. After
// errHole, the mirror is invalid.
func (m *mirror) apply(msg changes) (tx any, list []object.Change, err error) {
	version, err := m.versionOf(msg)
	if err != nil {
		return nil, nil, err
	}
	var sum uint64
	for _, e := range msg.events {
		o := objectOf(e)
		if o == nil {
			continue
		}
		more, err := m.event(e.Action, o)
		if err != nil {
			return nil, nil, err
		}
		sum = sum*odd + m.objects[object.KeyOf(o)].hash
		list = append(list, more...)
	}
	if len(list) == 0 {
		return nil, nil, nil
	}
	tx = m.name(version)
	if version != 0 {
		m.same = append(m.same, sum)
	}
	return tx, list, nil
}

// versionOf is the version of the transaction's objects, 0 if it only deletes.
// It is the store's version at the proposal. A leader that is being stopped may
// abandon a proposal, and the next one has the same version. Both may be
// committed.
func (m *mirror) versionOf(msg changes) (uint64, error) {
	var version uint64
	for _, e := range msg.events {
		o := objectOf(e)
		if o == nil || e.Action == wire.Remove {
			continue
		}
		v := versionOf(o)
		switch {
		case version != 0 && v != version:
			// A manager that was far behind took over a whole store.
			return 0, fmt.Errorf("%w: versions %d and %d came as one", errHole, version, v)
		case v < m.index:
			return 0, fmt.Errorf("%w: version %d came after %d", errHole, v, m.index)
		}
		version = v
	}
	return version, nil
}

// name returns a tx that differs from its neighbours'.
func (m *mirror) name(version uint64) any {
	if version > m.index {
		m.index, m.deletions, m.same = version, 0, m.same[:0]
		return version
	}
	m.deletions++
	return fmt.Sprintf("%d+%d", m.index, m.deletions)
}

func (m *mirror) event(action wire.Action, o wire.Object) ([]object.Change, error) {
	k := object.KeyOf(o)
	before, exists := m.objects[k]
	if exists == (action == wire.Create) {
		return nil, fmt.Errorf("%w: %s %s came as %s", errHole, k.Kind, k.ID, ops[action])
	}
	if action == wire.Remove {
		m.sum -= before.hash
		delete(m.objects, k)
		return object.Deleted(k, before.State), nil
	}
	m.jobs.See(o)
	now := m.convert(o)
	m.set(k, now)
	if !exists {
		return object.Created(k, now.State), nil
	}
	return object.Updated(k, before.State, now.State), nil
}

// odd makes a sum depend on the order of its terms.
const odd = 0x9E3779B97F4A7C15

// knows reports whether the transaction is recorded already, or has nothing to
// record. A resumed manager may repeat transactions, with the version before
// them in the log. Of the newest version there may be several, which are
// distinguished by content.
func (m *mirror) knows(msg changes) bool {
	var sum, version uint64
	for _, e := range msg.events {
		o := objectOf(e)
		if o == nil {
			continue
		}
		k := object.KeyOf(o)
		t, exists := m.objects[k]
		if !exists && versionOf(o) >= m.base {
			return false
		}
		sum *= odd
		if e.Action == wire.Remove {
			if exists {
				return false
			}
			continue
		}
		version = versionOf(o)
		if version > m.index || exists && t.version < version {
			return false
		}
		if version == m.index {
			is := m.convert(o)
			hash := is.sum(k)
			if exists && len(m.same) == 0 && hash != t.hash {
				return false
			}
			sum += hash
		}
	}
	return version < m.index || len(m.same) == 0 || slices.Contains(m.same, sum)
}

// agrees reports whether the mirror equals the cut.
func (m *mirror) agrees(c cut) bool {
	if len(c) != len(m.objects) {
		return false
	}
	for k, o := range c {
		if t, ok := m.objects[k]; !ok || t.version != versionOf(o) {
			return false
		}
	}
	return true
}
