package swarm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/swarm/object"
)

// errHole says that a change does not follow from what was told before it, so
// that something was missed.
var errHole = errors.New("changes were missed")

var ops = map[api.WatchActionKind]string{
	api.WatchActionKindCreate: opCreate, api.WatchActionKindUpdate: opUpdate, api.WatchActionKindRemove: opDelete,
}

// told is an object as the recording has it.
type told struct {
	version  uint64
	data     object.Fields
	endpoint object.Fields // of a service; nil: none
	hash     uint64        // its sum
}

// mirror is what the recording has told so far.
type mirror struct {
	objects   map[key]told
	jobs      object.Jobs
	index     uint64 // the newest version of an object
	deletions int    // later transactions that have no version of their own: they only delete, or have the same
	sum       uint64 // of the objects' sums

	// base is an entry of the manager's log up to which all is told, known for
	// sure: what is older and does not stand is gone.
	base uint64
	// same has the sums of the transactions that have the version index.
	same []uint64
}

// copy shares with the mirror only what does not change.
func (m *mirror) copy() *mirror {
	c := *m
	c.objects, c.jobs, c.same = maps.Clone(m.objects), maps.Clone(m.jobs), slices.Clone(m.same)
	return &c
}

// newMirror tells nothing yet but what stands at the cut.
func newMirror(c cut) *mirror {
	m := &mirror{objects: make(map[key]told, len(c)), jobs: object.Jobs{}}
	for _, o := range c {
		m.jobs.See(o)
	}
	for k, o := range c {
		m.set(k, m.tell(o))
		m.index = max(m.index, versionOf(o))
	}
	return m
}

func (m *mirror) set(k key, t told) {
	t.hash = t.sum(k)
	m.sum += t.hash - m.objects[k].hash
	m.objects[k] = t
}

func (m *mirror) tell(o api.StoreObject) told {
	t := told{version: versionOf(o)}
	switch o := o.(type) {
	case *api.Node:
		t.data = object.Node(o)
	case *api.Service:
		t.data, t.endpoint = object.Service(o), object.Endpoint(o)
	case *api.Task:
		t.data = object.Task(o, m.jobs)
	}
	return t
}

// order is that of a snapshot: what is referred to comes first.
var order = map[string]int{kindNode: 0, kindService: 1, kindTask: 2}

// snapshot lists all that stands.
func (m *mirror) snapshot() []change {
	keys := make([]key, 0, len(m.objects))
	for k := range m.objects {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(order[a.kind], order[b.kind]), cmp.Compare(a.id, b.id))
	})
	var list []change
	for _, k := range keys {
		t := m.objects[k]
		list = append(list, change{opSnapshot, k, t.data})
		if t.endpoint != nil {
			list = append(list, change{opSnapshot, key{kindEndpoint, k.id}, t.endpoint})
		}
	}
	return list
}

// apply takes a transaction and returns what to tell of it, nothing if it does
// not touch what is recorded. With errHole, the mirror is of no use any more.
func (m *mirror) apply(msg changes) (tx any, list []change, err error) {
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
		sum = sum*odd + m.objects[keyOf(o)].hash
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

// versionOf is the one that all objects of the transaction got, 0 where it only
// deletes. It is the store's when the transaction was proposed: a leader that is
// being stopped gives up waiting for a proposal, and the next one then has the
// same version, though both may be committed.
func (m *mirror) versionOf(msg changes) (uint64, error) {
	var version uint64
	for _, e := range msg.events {
		o := objectOf(e)
		if o == nil || e.Action == api.WatchActionKindRemove {
			continue
		}
		v := versionOf(o)
		switch {
		case version != 0 && v != version:
			// A manager that had fallen far behind took over a whole store.
			return 0, fmt.Errorf("%w: versions %d and %d came as one", errHole, version, v)
		case v < m.index:
			return 0, fmt.Errorf("%w: version %d came after %d", errHole, v, m.index)
		}
		version = v
	}
	return version, nil
}

// name gives the transaction a tx that its neighbours have not.
func (m *mirror) name(version uint64) any {
	if version > m.index {
		m.index, m.deletions, m.same = version, 0, m.same[:0]
		return version
	}
	m.deletions++
	return fmt.Sprintf("%d+%d", m.index, m.deletions)
}

func (m *mirror) event(action api.WatchActionKind, o api.StoreObject) ([]change, error) {
	k := keyOf(o)
	before, stands := m.objects[k]
	if stands == (action == api.WatchActionKindCreate) {
		return nil, fmt.Errorf("%w: %s %s came as %s", errHole, k.kind, k.id, ops[action])
	}
	if action == api.WatchActionKindRemove {
		m.sum -= before.hash
		delete(m.objects, k)
		return append([]change{{opDelete, k, nil}}, endpointChange(k.id, before.endpoint, nil)...), nil
	}
	m.jobs.See(o)
	now := m.tell(o)
	if k.kind == kindTask && stands {
		now.data["slot"] = before.data["slot"] // for life, also where its service has become known since
	}
	m.set(k, now)
	c := change{opCreate, k, now.data}
	if stands {
		c.op, c.data = opUpdate, now.data.Since(before.data)
	}
	return append([]change{c}, endpointChange(k.id, before.endpoint, now.endpoint)...), nil
}

// endpointChange follows from a change of the service.
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

// odd makes a sum depend on the order of what is summed up.
const odd = 0x9E3779B97F4A7C15

// knows reports whether the transaction was told already, or has nothing that is
// recorded: a manager that resumes may repeat some, each with the version before
// its place in the log, and a deletion with that of the last change before. Of the newest version there
// may be several, and the content tells which was told.
func (m *mirror) knows(msg changes) bool {
	var sum, version uint64
	for _, e := range msg.events {
		o := objectOf(e)
		if o == nil {
			continue
		}
		k := keyOf(o)
		t, stands := m.objects[k]
		if !stands && versionOf(o) >= m.base {
			return false
		}
		sum *= odd
		if e.Action == api.WatchActionKindRemove {
			if stands {
				return false
			}
			continue
		}
		version = versionOf(o)
		if version > m.index || stands && t.version < version {
			return false
		}
		if version == m.index {
			is := m.tell(o)
			hash := is.sum(k)
			if stands && len(m.same) == 0 && hash != t.hash {
				return false
			}
			sum += hash
		}
	}
	return version < m.index || len(m.same) == 0 || slices.Contains(m.same, sum)
}

// agrees reports whether what was told is what stands at the cut.
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
