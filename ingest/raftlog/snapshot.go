package raftlog

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/encryption"
	"github.com/moby/swarmkit/v2/manager/state/raft/storage"
	"go.etcd.io/etcd/server/v3/etcdserver/api/snap"
)

// start is a state from which the log can be replayed. It is a snapshot or, if
// path is empty, the empty store of a new swarm.
type start struct {
	index, term uint64
	path        string
}

// listStarts returns all starts, newest first.
func listStarts(dir string) ([]start, error) {
	names, err := storage.ListSnapshots(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []start
	for _, name := range names {
		s := start{path: filepath.Join(dir, name)}
		if _, err := fmt.Sscanf(name, "%016x-%016x.snap", &s.term, &s.index); err != nil {
			return nil, fmt.Errorf("%s does not have the name of a snapshot: remove it from the copy", s.path)
		}
		all = append(all, s)
	}
	return append(all, start{}), nil
}

// load returns the store of the snapshot.
func (s start) load(d encryption.Decrypter) (*api.StoreSnapshot, error) {
	if s.path == "" {
		return &api.StoreSnapshot{}, nil
	}
	raw, err := snap.Read(nil, s.path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", s.path, err)
	}
	if raw.Metadata.Index != s.index || raw.Metadata.Term != s.term {
		return nil, fmt.Errorf("the name of %s is wrong: it is a snapshot of entry %d. Copy the directory again", s.path, raw.Metadata.Index)
	}
	plain, err := encryption.Decrypt(raw.Data, d)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be decrypted with this directory's keys: %w", s.path, err)
	}
	var content api.Snapshot
	if err := content.Unmarshal(plain); err != nil {
		return nil, fmt.Errorf("%s cannot be decoded: %w", s.path, err)
	}
	if content.Version != api.Snapshot_V0 {
		return nil, fmt.Errorf("%s has the unknown version %d", s.path, content.Version)
	}
	return &content.Store, nil
}
