package raftlog

import (
	"strings"
	"testing"

	"github.com/moby/swarmkit/v2/api"
)

// A name that is not text ends the trace before its step, with the place.
func TestNamesAreText(t *testing.T) {
	for _, c := range []struct {
		action api.StoreAction
		want   string
	}{
		{create(node("n\xff", api.NodeStatus_READY, 1)), `node "n\xff": id is not valid UTF-8`},
		{create(task("t1", "s\xed\xa0\x80", 1, api.TaskStateNew, 1)), `task "t1": object.service is not valid UTF-8`},
	} {
		m := newManager(t)
		m.commit(create(cluster(5)))
		m.commit(create(node("n1", api.NodeStatus_READY, 1)))
		before := newManager(t)
		before.commit(create(cluster(5)))
		before.commit(create(node("n1", api.NodeStatus_READY, 1)))
		m.commit(create(node("n2", api.NodeStatus_READY, 1)), c.action)
		m.commit(create(node("n3", api.NodeStatus_READY, 1)))
		m.stop()
		text, _, err := m.read(Options{})
		if err == nil || err.Error() != "cannot write entry 3: "+c.want {
			t.Errorf("got error %v, want %s", err, c.want)
		}
		compare(t, text, before.mustRead(Options{}))
	}
}

// A message may have such bytes, and a snapshot may not have them in a name.
func TestSnapshotNamesAreText(t *testing.T) {
	m := newManager(t)
	m.commit(create(cluster(5)))
	bad := task("t1", "s", 1, api.TaskStateNew, 1)
	bad.Status.Err = "\xff"
	m.commit(create(bad))
	m.stop()
	if text, _, err := m.read(Options{}); err != nil || !strings.Contains(text, `"err":"\udfff"`) {
		t.Errorf("a message: %v, in %s", err, text)
	}
	m = newManager(t)
	m.commit(create(cluster(5)))
	store := existing()
	store.Services[0].Endpoint.Ports[0].Name = "\xff"
	m.snapshot(store, false)
	m.stop()
	text, _, err := m.read(Options{})
	if err == nil || !strings.Contains(err.Error(), `.snap: endpoint "web": object.ports is not valid UTF-8`) || strings.Count(text, "\n") != 1 {
		t.Errorf("a snapshot: %v, in %s", err, text)
	}
	if _, _, err := m.read(Options{Stream: "\xff"}); err == nil || !strings.Contains(err.Error(), "is not valid UTF-8") {
		t.Errorf("a stream: %v", err)
	}
}
