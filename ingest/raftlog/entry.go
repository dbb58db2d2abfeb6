package raftlog

import (
	"fmt"
	"time"

	"github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/encryption"
	"go.etcd.io/etcd/raft/v3/raftpb"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/wire"
)

// action is one change of a recorded object.
type action struct {
	op     string
	object wire.Object
}

var ops = map[api.StoreActionKind]string{
	api.StoreActionKindCreate: object.OpCreate, api.StoreActionKindUpdate: object.OpUpdate, api.StoreActionKindRemove: object.OpDelete,
}

// holdsActions is false for an entry about the managers themselves.
func holdsActions(e *raftpb.Entry) bool { return e.Type == raftpb.EntryNormal && len(e.Data) > 0 }

// decode returns the actions of an entry. An entry that opens a leader's term
// has none.
func decode(e *raftpb.Entry, d encryption.Decrypter) ([]api.StoreAction, error) {
	if !holdsActions(e) {
		return nil, nil
	}
	plain, err := encryption.Decrypt(e.Data, d)
	if err != nil {
		return nil, fmt.Errorf("entry %d cannot be decrypted with this directory's keys, which may have changed since: %w", e.Index, err)
	}
	var request api.InternalRaftRequest
	if err := request.Unmarshal(plain); err != nil {
		return nil, fmt.Errorf("entry %d cannot be decoded: %w", e.Index, err)
	}
	return request.Action, nil
}

// recorded returns the actions on recorded kinds. All other objects, such as
// secrets and configs, are ignored.
func recorded(all []api.StoreAction) []action {
	var list []action
	for _, a := range all {
		op, known := ops[a.Action]
		if o := target(a); o != nil && known {
			list = append(list, action{op, o})
		}
	}
	return list
}

// target is the object of an action, nil if it is not recorded.
func target(a api.StoreAction) wire.Object {
	switch {
	case a.GetNode() != nil:
		return reduced(a.GetNode(), &wire.Node{})
	case a.GetService() != nil:
		return reduced(a.GetService(), &wire.Service{})
	case a.GetTask() != nil:
		return reduced(a.GetTask(), &wire.Task{})
	}
	return nil
}

// reduced is the object with the fields that a trace has.
func reduced(o interface{ Marshal() ([]byte, error) }, to wire.Object) wire.Object {
	data, err := o.Marshal()
	if err == nil {
		err = wire.Decode(data, to)
	}
	if err != nil {
		panic(err) // it was just decoded itself
	}
	return to
}

// stamp is the leader's time of the changes. A deletion has only the time of
// the object's last change.
func stamp(actions []action) time.Time {
	var at time.Time
	for _, a := range actions {
		at = later(at, a.object.GetMeta().Time())
	}
	return at
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
