package raftlog

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	gogo "github.com/gogo/protobuf/types"
	"github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/encryption"
	"github.com/moby/swarmkit/v2/manager/state/raft/storage"
	"go.etcd.io/etcd/raft/v3/raftpb"
	"go.etcd.io/etcd/server/v3/wal"
)

// manager writes a data directory as a swarm's manager does, with its storage.
type manager struct {
	t      testing.TB
	dir    string
	logger *storage.EncryptedRaftLogger
	term   uint64
	index  uint64 // of the last entry
}

// newManager has small segments: a test's log has several.
func newManager(t testing.TB) *manager {
	t.Helper()
	size := wal.SegmentSizeBytes
	wal.SegmentSizeBytes = 4096
	t.Cleanup(func() { wal.SegmentSizeBytes = size })
	m := &manager{t: t, dir: t.TempDir(), term: 2}
	m.logger = &storage.EncryptedRaftLogger{
		StateDir: filepath.Join(m.dir, "raft"), EncryptionKey: encryption.GenerateSecretKey(),
	}
	m.must(m.logger.BootstrapNew([]byte("about the manager")))
	m.writeKeys(nil, m.logger.EncryptionKey)
	t.Cleanup(m.stop)
	return m
}

func (m *manager) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *manager) stop() { m.logger.Close(context.Background()) }

// writeKeys writes the node's key with the log's keys, the current and the
// pending one, in its headers. lock is nil where the swarm is not locked.
func (m *manager) writeKeys(lock []byte, keys ...[]byte) {
	m.t.Helper()
	block := &pem.Block{Type: "PRIVATE KEY", Bytes: []byte("PRIVATEKEYBYTES"), Headers: map[string]string{"kek-version": "9"}}
	var encrypter encryption.Encrypter = encryption.NoopCrypter
	if lock != nil {
		encrypter, _ = encryption.Defaults(lock, false)
	}
	for i, key := range keys {
		wrapped, err := encryption.Encrypt(key, encrypter)
		m.must(err)
		block.Headers[[]string{"raft-dek", "raft-dek-pending"}[i]] = base64.StdEncoding.EncodeToString(wrapped)
	}
	path := filepath.Join(m.dir, "certificates", "swarm-node.key")
	m.must(os.MkdirAll(filepath.Dir(path), 0o700))
	m.must(os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
}

// entry writes an entry and does not say that it was committed.
func (m *manager) entry(kind raftpb.EntryType, data []byte) {
	m.t.Helper()
	m.index++
	m.must(m.logger.SaveEntries(raftpb.HardState{}, []raftpb.Entry{{Index: m.index, Term: m.term, Type: kind, Data: data}}))
}

func (m *manager) propose(actions ...api.StoreAction) {
	m.t.Helper()
	data, err := (&api.InternalRaftRequest{ID: 7, Action: actions}).Marshal()
	m.must(err)
	m.entry(raftpb.EntryNormal, data)
}

// settle states that all entries were committed.
func (m *manager) settle() {
	m.t.Helper()
	m.must(m.logger.SaveEntries(raftpb.HardState{Term: m.term, Vote: 1, Commit: m.index}, nil))
}

func (m *manager) commit(actions ...api.StoreAction) {
	m.t.Helper()
	m.propose(actions...)
	m.settle()
}

// snapshot writes one of the last entry, and keeps no older one where gc is set.
func (m *manager) snapshot(store api.StoreSnapshot, gc bool) {
	m.t.Helper()
	data, err := (&api.Snapshot{Store: store}).Marshal()
	m.must(err)
	m.must(m.logger.SaveSnapshot(raftpb.Snapshot{
		Data: data, Metadata: raftpb.SnapshotMetadata{Index: m.index, Term: m.term, ConfState: raftpb.ConfState{Voters: []uint64{1}}},
	}))
	if gc {
		m.must(m.logger.GC(m.index, m.term, 0))
	}
}

// segments are the log's files, oldest first.
func (m *manager) segments() []string {
	m.t.Helper()
	all, err := filepath.Glob(filepath.Join(m.dir, "raft", "wal-v3-encrypted", "*.wal"))
	m.must(err)
	return all
}

// read returns the trace, which may be a part of it.
func (m *manager) read(opts Options) (string, *Log, error) {
	m.t.Helper()
	l, err := Open(m.dir, opts)
	if err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	_, err = l.Write(&b)
	return b.String(), l, err
}

// mustRead stops the manager first.
func (m *manager) mustRead(opts Options) string {
	m.t.Helper()
	m.stop()
	text, _, err := m.read(opts)
	m.must(err)
	return text
}

func create(o api.StoreObject) api.StoreAction { return act(api.StoreActionKindCreate, o) }
func update(o api.StoreObject) api.StoreAction { return act(api.StoreActionKindUpdate, o) }
func remove(o api.StoreObject) api.StoreAction { return act(api.StoreActionKindRemove, o) }

func act(kind api.StoreActionKind, o api.StoreObject) api.StoreAction {
	a := api.StoreAction{Action: kind}
	switch o := o.(type) {
	case *api.Node:
		a.Target = &api.StoreAction_Node{Node: o}
	case *api.Service:
		a.Target = &api.StoreAction_Service{Service: o}
	case *api.Task:
		a.Target = &api.StoreAction_Task{Task: o}
	case *api.Cluster:
		a.Target = &api.StoreAction_Cluster{Cluster: o}
	case *api.Secret:
		a.Target = &api.StoreAction_Secret{Secret: o}
	case *api.Config:
		a.Target = &api.StoreAction_Config{Config: o}
	}
	return a
}

// meta is an object's at this many seconds after 12:00.
func meta(seconds int64) api.Meta {
	return api.Meta{UpdatedAt: &gogo.Timestamp{Seconds: 1_800_014_400 + seconds}}
}

func cluster(limit int64) *api.Cluster {
	c := &api.Cluster{ID: "c1"}
	c.Spec.Orchestration.TaskHistoryRetentionLimit = limit
	return c
}

func node(id string, state api.NodeStatus_State, at int64) *api.Node {
	return &api.Node{ID: id, Meta: meta(at), Status: api.NodeStatus{State: state}}
}

func service(id string, replicas uint64, at int64) *api.Service {
	s := &api.Service{ID: id, Meta: meta(at)}
	s.Spec.Annotations.Name = "name-" + id
	s.Spec.Task.Runtime = &api.TaskSpec_Container{Container: &api.ContainerSpec{Image: "tiny:1"}}
	s.Spec.Mode = &api.ServiceSpec_Replicated{Replicated: &api.ReplicatedService{Replicas: replicas}}
	return s
}

func task(id, service string, slot uint64, state api.TaskState, at int64) *api.Task {
	return &api.Task{
		ID: id, Meta: meta(at), ServiceID: service, Slot: slot, DesiredState: api.TaskStateRunning,
		Status: api.TaskStatus{State: state},
	}
}
