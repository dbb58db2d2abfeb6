package raftlog

import (
	"strings"
	"testing"

	"github.com/moby/swarmkit/v2/api"
	"go.etcd.io/etcd/raft/v3/raftpb"
)

// compare names the first line that differs.
func compare(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g):
			t.Fatalf("line %d is missing: %s", i+1, w[i])
		case i >= len(w):
			t.Fatalf("line %d is too many: %s", i+1, g[i])
		case g[i] != w[i]:
			t.Fatalf("line %d:\n%s\nwant\n%s", i+1, g[i], w[i])
		}
	}
}

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

const metaLine = `{"kind":"meta","object":{"constants":{"max_terminated":5},"format":1,"profile":"moby","spec":["swarmkit","portallocator"],"steps":"batched"}}`

func TestSteps(t *testing.T) {
	m := newManager(t)
	m.entry(raftpb.EntryConfChange, []byte("not for a trace"))
	m.entry(raftpb.EntryNormal, nil) // a new leader's
	m.commit(create(cluster(5)))
	m.commit(create(node("n1", api.NodeStatus_UNKNOWN, 1)))
	m.commit(update(node("n1", api.NodeStatus_READY, 2)), update(cluster(5)))

	m.commit(create(service("web", 2, 3)), create(&api.Secret{ID: "s1"}))
	allocated := service("web", 2, 4)
	ports := []*api.PortConfig{{TargetPort: 80}}
	allocated.Endpoint = &api.Endpoint{Spec: &api.EndpointSpec{Ports: ports}, Ports: []*api.PortConfig{{TargetPort: 80, PublishedPort: 30000}}}
	m.commit(update(allocated))
	m.commit(create(task("t1", "web", 1, api.TaskStateNew, 5)), create(task("t2", "web", 2, api.TaskStateNew, 5)))
	placed := task("t1", "web", 1, api.TaskStateAssigned, 4) // by a leader whose clock is behind
	placed.NodeID = "n1"
	placed.Status.Err = "<none> & such"
	m.commit(update(placed))
	m.commit(remove(task("t2", "web", 2, api.TaskStateNew, 5)))
	m.commit(remove(allocated))

	compare(t, m.mustRead(Options{}), lines(metaLine,
		`{"seq":1,"time":"2027-01-15T12:00:01.000000Z","tx":4,"kind":"node","op":"create","id":"n1","object":{"availability":"active","role":"worker","state":"down","status":"unknown"}}`,
		`{"seq":2,"time":"2027-01-15T12:00:02.000000Z","tx":5,"kind":"node","op":"update","id":"n1","object":{"state":"up","status":"ready"}}`,
		`{"seq":3,"time":"2027-01-15T12:00:03.000000Z","tx":6,"kind":"service","op":"create","id":"web","object":{"image":"tiny:1","mode":"replicated","name":"name-web","remove":false,"replicas":2}}`,
		`{"seq":4,"time":"2027-01-15T12:00:04.000000Z","tx":7,"kind":"service","op":"update","id":"web","object":{}}`,
		`{"seq":5,"time":"2027-01-15T12:00:04.000000Z","tx":7,"kind":"endpoint","op":"create","id":"web","object":{"ports":[{"mode":"ingress","name":"/80","protocol":"tcp","published_port":30000}],"spec":[{"mode":"ingress","name":"/80","protocol":"tcp","published_port":0}]}}`,
		`{"seq":6,"time":"2027-01-15T12:00:05.000000Z","tx":8,"kind":"task","op":"create","id":"t1","object":{"desired_state":"running","image":"","node":"","service":"web","slot":1,"state":"new"}}`,
		`{"seq":7,"time":"2027-01-15T12:00:05.000000Z","tx":8,"kind":"task","op":"create","id":"t2","object":{"desired_state":"running","image":"","node":"","service":"web","slot":2,"state":"new"}}`,
		`{"seq":8,"time":"2027-01-15T12:00:05.000000Z","tx":9,"kind":"task","op":"update","id":"t1","object":{"err":"<none> & such","node":"n1","state":"assigned"}}`,
		`{"seq":9,"time":"2027-01-15T12:00:05.000000Z","tx":10,"kind":"task","op":"delete","id":"t2"}`,
		`{"seq":10,"time":"2027-01-15T12:00:05.000000Z","tx":11,"kind":"service","op":"delete","id":"web"}`,
		`{"seq":11,"time":"2027-01-15T12:00:05.000000Z","tx":11,"kind":"endpoint","op":"delete","id":"web"}`,
	))
}

// TestReplicatedJob: its slots count from 0 in the store.
func TestReplicatedJob(t *testing.T) {
	m := newManager(t)
	m.commit(create(cluster(5)))
	job := service("job", 0, 1)
	job.Spec.Mode = &api.ServiceSpec_ReplicatedJob{ReplicatedJob: &api.ReplicatedJob{TotalCompletions: 2, MaxConcurrent: 1}}
	m.commit(create(job), create(task("t1", "job", 0, api.TaskStateNew, 1)), create(task("t2", "other", 0, api.TaskStateNew, 1)))
	compare(t, m.mustRead(Options{Stream: "prod"}), lines(
		strings.Replace(metaLine, `{`, `{"stream":"prod",`, 1),
		`{"stream":"prod","seq":1,"time":"2027-01-15T12:00:01.000000Z","tx":2,"kind":"service","op":"create","id":"job","object":{"image":"tiny:1","max_concurrent":1,"mode":"replicated-job","name":"name-job","remove":false,"replicas":2}}`,
		`{"stream":"prod","seq":2,"time":"2027-01-15T12:00:01.000000Z","tx":2,"kind":"task","op":"create","id":"t1","object":{"desired_state":"running","image":"","node":"","service":"job","slot":1,"state":"new"}}`,
		`{"stream":"prod","seq":3,"time":"2027-01-15T12:00:01.000000Z","tx":2,"kind":"task","op":"create","id":"t2","object":{"desired_state":"running","image":"","node":"","service":"other","slot":"global","state":"new"}}`,
	))
}

// TestNoSecrets: nothing of what must stay is in the trace or in what is reported.
func TestNoSecrets(t *testing.T) {
	m := newManager(t)
	c := cluster(5)
	c.RootCA.CAKey = []byte("HIDDEN")
	c.RootCA.JoinTokens = api.JoinTokens{Worker: "HIDDEN", Manager: "HIDDEN"}
	c.UnlockKeys = []*api.EncryptionKey{{Subsystem: "manager", Key: []byte("HIDDEN")}}
	s := service("web", 1, 1)
	s.Spec.Task.GetContainer().Env = []string{"PASSWORD=HIDDEN"}
	s.Spec.Task.GetContainer().Args = []string{"HIDDEN"}
	s.Spec.Task.GetContainer().Command = []string{"HIDDEN"}
	s.Spec.Task.GetContainer().Labels = map[string]string{"l": "HIDDEN"}
	tk := task("t1", "web", 1, api.TaskStateNew, 1)
	tk.Spec = s.Spec.Task
	secret := &api.Secret{ID: "HIDDEN", Spec: api.SecretSpec{Data: []byte("HIDDEN")}}
	config := &api.Config{ID: "HIDDEN", Spec: api.ConfigSpec{Data: []byte("HIDDEN")}}
	m.commit(create(c), create(s), create(tk), create(secret), create(config))
	m.snapshot(api.StoreSnapshot{
		Clusters: []*api.Cluster{c}, Services: []*api.Service{s}, Tasks: []*api.Task{tk},
		Secrets: []*api.Secret{secret}, Configs: []*api.Config{config},
	}, false)
	m.commit(update(s), update(tk), update(secret), update(config), update(c))
	m.commit(remove(secret), remove(config), create(s)) // the last is not to be applied
	m.stop()
	for _, opts := range []Options{{}, {FromStart: true}} {
		text, l, err := m.read(opts)
		m.must(err)
		if all := text + strings.Join(l.Notes(), ""); strings.Contains(all, "HIDDEN") || !strings.Contains(all, "web") {
			t.Errorf("%+v: %s", opts, all)
		}
	}
}

// TestRejected: an entry that a manager cannot apply changes nothing at all.
func TestRejected(t *testing.T) {
	m := newManager(t)
	m.commit(create(cluster(5)))
	m.commit(create(node("n1", api.NodeStatus_READY, 1)))
	m.commit(remove(node("n1", api.NodeStatus_READY, 1)), create(node("n1", api.NodeStatus_READY, 2)), remove(node("n2", api.NodeStatus_READY, 1)))
	m.commit(update(node("n1", api.NodeStatus_DOWN, 3)))
	m.stop()
	text, l, err := m.read(Options{})
	m.must(err)
	compare(t, text, lines(metaLine,
		`{"seq":1,"time":"2027-01-15T12:00:01.000000Z","tx":2,"kind":"node","op":"create","id":"n1","object":{"availability":"active","role":"worker","state":"up","status":"ready"}}`,
		`{"seq":2,"time":"2027-01-15T12:00:03.000000Z","tx":4,"kind":"node","op":"update","id":"n1","object":{"state":"down","status":"down"}}`,
	))
	wantNote(t, l, "entry 3 is left out, as managers reject it: delete of node n2 does not fit the state before it")
}

func TestHistoryLimit(t *testing.T) {
	m := newManager(t)
	m.commit(create(cluster(5)))
	m.commit(create(node("n1", api.NodeStatus_READY, 1)))
	m.commit(update(cluster(2)))
	m.commit(update(cluster(3)))
	m.commit(update(node("n1", api.NodeStatus_DOWN, 2)))
	m.commit(update(cluster(5)))
	m.stop()
	text, _, err := m.read(Options{})
	m.must(err)
	// A change comes before the next step.
	compare(t, text, lines(metaLine,
		`{"seq":1,"time":"2027-01-15T12:00:01.000000Z","tx":2,"kind":"node","op":"create","id":"n1","object":{"availability":"active","role":"worker","state":"up","status":"ready"}}`,
		strings.Replace(metaLine, `"max_terminated":5`, `"max_terminated":3`, 1),
		`{"seq":2,"time":"2027-01-15T12:00:02.000000Z","tx":5,"kind":"node","op":"update","id":"n1","object":{"state":"down","status":"down"}}`,
	))

	m = newManager(t)
	m.commit(create(node("n1", api.NodeStatus_READY, 1)))
	m.stop()
	stateless, l, err := m.read(Options{})
	m.must(err)
	if strings.Contains(stateless, "max_terminated") {
		t.Error(stateless)
	}
	wantNote(t, l, "the trace does not state max_terminated")
}

// wantNote wants one note.
func wantNote(t *testing.T, l *Log, part string) {
	t.Helper()
	if len(l.Notes()) != 1 || !strings.Contains(l.Notes()[0], part) {
		t.Errorf("notes %q, want one: %s", l.Notes(), part)
	}
}
