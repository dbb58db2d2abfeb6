package raftlog

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/encryption"
	"github.com/moby/swarmkit/v2/manager/state/raft/storage"
	"go.etcd.io/etcd/raft/v3/raftpb"
	"go.etcd.io/etcd/server/v3/wal/walpb"
)

const n1Down = `"kind":"node","op":"update","id":"n1","object":{"state":"down","status":"down"}}`

// existing is a store with n1, a service that has ports, and a job whose task
// is the only one left of it.
func existing() api.StoreSnapshot {
	web := service("web", 1, 3)
	web.Endpoint = &api.Endpoint{Ports: []*api.PortConfig{{TargetPort: 80, PublishedPort: 30000}}}
	left := task("t1", "job", 3, api.TaskStateRunning, 2)
	left.JobIteration = &api.Version{Index: 1}
	return api.StoreSnapshot{
		Clusters: []*api.Cluster{cluster(2)}, Nodes: []*api.Node{node("n1", api.NodeStatus_READY, 1)},
		Services: []*api.Service{web}, Tasks: []*api.Task{left},
	}
}

func TestSnapshot(t *testing.T) {
	m := long(t, 50)
	m.snapshot(existing(), false)
	m.commit(remove(task("t1", "job", 3, api.TaskStateRunning, 2)))
	m.commit(update(node("n1", api.NodeStatus_DOWN, 4)))
	newest := lines(
		strings.Replace(metaLine, ":5}", ":2}", 1),
		`{"kind":"node","op":"snapshot","id":"n1","object":{"availability":"active","role":"worker","state":"up","status":"ready"}}`,
		`{"kind":"service","op":"snapshot","id":"web","object":{"image":"tiny:1","mode":"replicated","name":"name-web","remove":false,"replicas":1}}`,
		`{"kind":"endpoint","op":"snapshot","id":"web","object":{"ports":[{"mode":"ingress","name":"/80","protocol":"tcp","published_port":30000}],"spec":[]}}`,
		`{"kind":"task","op":"snapshot","id":"t1","object":{"desired_state":"running","image":"","job_iteration":1,"node":"","service":"job","slot":4,"state":"running"}}`,
		`{"seq":1,"time":"2027-01-15T12:00:03.000000Z","tx":53,"kind":"task","op":"delete","id":"t1"}`,
		`{"seq":2,"time":"2027-01-15T12:00:04.000000Z","tx":54,`+n1Down,
	)
	compare(t, m.mustRead(Options{}), newest)
	if text := m.mustRead(Options{FromStart: true}); !strings.Contains(text, `"seq":52,`) {
		t.Errorf("from the start:\n%s", text)
	}
}

// TestSnapshotOnly: a manager that stopped right after it made one.
func TestSnapshotOnly(t *testing.T) {
	m := long(t, 50)
	m.snapshot(existing(), true)
	for _, opts := range []Options{{}, {FromStart: true}} {
		if text := m.mustRead(opts); strings.Count(text, "\n") != 5 || strings.Contains(text, `"seq"`) {
			t.Errorf("%+v:\n%s", opts, text)
		}
	}
}

// TestOldSnapshots: the newest that can be read, or the oldest that leads on.
func TestOldSnapshots(t *testing.T) {
	m := long(t, 100)
	m.snapshot(existing(), true) // 102
	m.commit(update(node("n1", api.NodeStatus_DOWN, 103)))
	m.snapshot(existing(), false)
	m.commit(update(node("n1", api.NodeStatus_DOWN, 104)))
	m.stop()
	seen := func(opts Options) (tx []string, l *Log) {
		text, l, err := m.read(opts)
		m.must(err)
		for i := 100; i < 110; i++ {
			if strings.Contains(text, fmt.Sprintf(`"tx":%d,`, i)) {
				tx = append(tx, fmt.Sprint(i))
			}
		}
		return tx, l
	}
	want := func(opts Options, want string) *Log {
		t.Helper()
		got, l := seen(opts)
		if strings.Join(got, " ") != want {
			t.Errorf("%+v: entries %v, want %s", opts, got, want)
		}
		return l
	}
	want(Options{}, "104")
	want(Options{FromStart: true}, "103 104")
	newest := filepath.Join(m.dir, "raft", "snap-v3-encrypted", fmt.Sprintf("%016x-%016x.snap", 2, 103))
	m.change(newest, func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
	wantNote(t, want(Options{}, "103 104"), newest+" cannot be read")
	m.must(os.Remove(newest))
	want(Options{}, "103 104")

	oldest := strings.Replace(newest, fmt.Sprintf("%x.snap", 103), fmt.Sprintf("%x.snap", 102), 1)
	m.must(os.Rename(oldest, newest))
	if _, _, err := m.read(Options{}); err == nil || !strings.Contains(err.Error(), "is wrong: it is a snapshot of entry 102") {
		t.Error(err)
	}
	m.must(os.Remove(newest))
	if _, _, err := m.read(Options{}); err == nil || !strings.Contains(err.Error(), "no snapshot leads to the log, which has the entries from") {
		t.Error(err)
	}
}

func TestUncommitted(t *testing.T) {
	m := newManager(t)
	m.commit(create(cluster(5)))
	m.commit(create(node("n1", api.NodeStatus_READY, 1)))
	m.propose(update(node("n1", api.NodeStatus_UNKNOWN, 2)))
	m.propose(update(node("n1", api.NodeStatus_UNKNOWN, 3)))
	m.index, m.term = 2, 3 // a new leader, who knows nothing of these two
	m.commit(update(node("n1", api.NodeStatus_DOWN, 4)))
	m.propose(remove(node("n1", api.NodeStatus_DOWN, 4)))
	m.stop()
	text, l, err := m.read(Options{})
	m.must(err)
	compare(t, text, lines(metaLine,
		`{"seq":1,"time":"2027-01-15T12:00:01.000000Z","tx":2,"kind":"node","op":"create","id":"n1","object":{"availability":"active","role":"worker","state":"up","status":"ready"}}`,
		`{"seq":2,"time":"2027-01-15T12:00:04.000000Z","tx":3,`+n1Down,
	))
	wantNote(t, l, "1 entries after 3 are left out")
}

// TestFallenBehind: the leader sent this manager a snapshot instead of entries.
func TestFallenBehind(t *testing.T) {
	m := newManager(t)
	m.commit(create(cluster(5)))
	m.commit(create(node("n2", api.NodeStatus_READY, 1)))
	m.propose(remove(node("n2", api.NodeStatus_READY, 1)))
	m.index = 500
	m.snapshot(existing(), false)
	m.commit(update(node("n1", api.NodeStatus_DOWN, 4)))
	m.stop()
	for _, opts := range []Options{{}, {FromStart: true}} {
		text, l, err := m.read(opts)
		m.must(err)
		if !strings.HasSuffix(text, `"tx":501,`+n1Down+"\n") || strings.Contains(text, "n2") {
			t.Errorf("%+v:\n%s", opts, text)
		}
		if opts.FromStart {
			wantNote(t, l, "an older part of the log is left out: this manager had fallen behind after entry 3, and continued from a snapshot of entry 500")
		}
	}
	m.must(os.RemoveAll(filepath.Join(m.dir, "raft", "snap-v3-encrypted")))
	text, _, err := m.read(Options{})
	if err == nil || !strings.Contains(err.Error(), "entries after 3 cannot be used: this manager had fallen behind") {
		t.Error(err)
	}
	if strings.Contains(text, "delete") || !strings.Contains(text, "n2") {
		t.Errorf("what is not known as committed:\n%s", text)
	}
}

// TestDeadBranch: entries of a leader that was overthrown lead to nothing.
func TestDeadBranch(t *testing.T) {
	m := newManager(t)
	m.commit(create(cluster(5)))
	m.propose(create(node("dead", api.NodeStatus_READY, 1)))
	m.propose(create(node("deader", api.NodeStatus_READY, 1)))
	m.index, m.term = 2, 3
	m.snapshot(existing(), false)
	m.commit(update(node("n1", api.NodeStatus_DOWN, 4)))
	if text := m.mustRead(Options{FromStart: true}); strings.Contains(text, "dead") || !strings.HasSuffix(text, `"tx":3,`+n1Down+"\n") {
		t.Error(text)
	}
}

// TestAsEtcd: swarmkit's own reader finds the same entries, and nothing in the
// directory has changed before it comes.
func TestAsEtcd(t *testing.T) {
	m := long(t, 100)
	m.propose(create(node("n3", api.NodeStatus_READY, 1)))
	m.index, m.term = m.index-3, 3
	m.commit(create(node("n4", api.NodeStatus_READY, 1)))
	m.stop()
	before := m.content()
	h, err := readWAL(filepath.Join(m.dir, "raft", "wal-v3-encrypted"))
	m.must(err)
	if _, _, err := m.read(Options{}); err != nil {
		t.Error(err)
	}
	if after := m.content(); !bytes.Equal(before, after) {
		t.Error("the directory has changed")
	}
	_, d := encryption.Defaults(m.logger.EncryptionKey, false)
	_, data, err := storage.ReadRepairWAL(context.Background(), filepath.Join(m.dir, "raft", "wal-v3-encrypted"), walpb.Snapshot{}, storage.NewWALFactory(nil, d))
	m.must(err)
	got := h.runs[0]
	if len(h.runs) != 1 || got.first != 1 || got.commit != data.HardState.Commit || len(got.entries) != len(data.Entries) {
		t.Fatalf("%d runs, from %d, committed up to %d, %d entries; want %d, %d", len(h.runs), got.first, got.commit, len(got.entries), data.HardState.Commit, len(data.Entries))
	}
	for i, e := range got.entries {
		want := data.Entries[i]
		plain, err := encryption.Decrypt(e.Data, d)
		if err != nil || e.Index != want.Index || e.Term != want.Term || e.Type != want.Type || !bytes.Equal(plain, want.Data) {
			t.Errorf("entry %d: %+v, want %+v (%v)", i, e, want, err)
		}
	}
}

// content is every file's name and bytes.
func (m *manager) content() []byte {
	m.t.Helper()
	var b bytes.Buffer
	m.must(filepath.Walk(m.dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %v %q\n", path, info.ModTime(), data)
		return err
	}))
	return b.Bytes()
}

func TestCommittedButMissing(t *testing.T) {
	m := newManager(t)
	m.commit(create(cluster(5)))
	m.must(m.logger.SaveEntries(raftpb.HardState{Term: 2, Vote: 1, Commit: 9}, nil))
	m.stop()
	text, _, err := m.read(Options{})
	if err == nil || !strings.Contains(err.Error(), "entries up to 9 were committed, but the log ends at 1") {
		t.Error(err)
	}
	compare(t, text, lines(metaLine))
}
