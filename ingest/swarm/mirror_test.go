package swarm

import (
	"errors"
	"testing"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/ingest/swarm/wire"
)

// A job's tasks outlive it, and keep their slots.
func TestSlots(t *testing.T) {
	t.Parallel()
	first, second := swarmtest.Task("t0", "gone", 0, api.TaskStateNew), swarmtest.Task("t1", "gone", 1, api.TaskStateNew)
	lone := swarmtest.Task("t2", "unknown", 0, api.TaskStateNew)
	for _, one := range []*api.Task{first, second, lone} {
		one.JobIteration = &api.Version{}
	}
	c := cut{}
	for _, one := range []*api.Task{first, second, lone} {
		sent := swarmtest.Sent(t, one)
		c[object.KeyOf(sent)] = sent
	}
	m := newMirror(c)
	for id, want := range map[string]any{"t0": uint64(1), "t1": uint64(2), "t2": "global"} {
		if got := m.objects[object.Key{Kind: object.KindTask, ID: id}].Data["slot"]; got != want {
			t.Errorf("the slot of %s is %v, want %v", id, got, want)
		}
	}
	later := lone.Copy()
	later.Meta.Version.Index = 1
	other := swarmtest.Task("t3", "unknown", 1, api.TaskStateNew)
	other.JobIteration, other.Meta.Version.Index = &api.Version{}, 1
	_, list, err := m.apply(changes{events: []*wire.Event{
		{Action: wire.Create, Object: swarmtest.Sent(t, other)}, {Action: wire.Update, Object: swarmtest.Sent(t, later)},
	}})
	if err != nil || len(list) != 2 || list[0].Data["slot"] != uint64(2) || len(list[1].Data) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// The allocator gives ports, changes them and takes them with the service.
func TestEndpointChanges(t *testing.T) {
	t.Parallel()
	with := func(version uint64, published ...uint32) *api.Service {
		s := swarmtest.Service("s", 1)
		s.Meta.Version.Index = version
		s.Endpoint = &api.Endpoint{Spec: &api.EndpointSpec{}}
		for _, p := range published {
			one := &api.PortConfig{TargetPort: 80, PublishedPort: p}
			s.Endpoint.Ports = append(s.Endpoint.Ports, one)
			s.Endpoint.Spec.Ports = append(s.Endpoint.Spec.Ports, one)
		}
		return s
	}
	m := newMirror(cut{object.Key{Kind: object.KindService, ID: "s"}: swarmtest.Sent(t, with(1))})
	for _, test := range []struct {
		action  wire.Action
		service *api.Service
		want    string
	}{
		{wire.Update, with(2, 80), "update service, create endpoint"},
		{wire.Update, with(3, 80), "update service"},
		{wire.Update, with(4, 80, 81), "update service, update endpoint"},
		{wire.Update, with(5), "update service, delete endpoint"},
		{wire.Update, with(6, 80), "update service, create endpoint"},
		{wire.Remove, with(6, 80), "delete service, delete endpoint"},
		{wire.Create, with(7, 80), "create service, create endpoint"},
	} {
		_, list, err := m.apply(changes{events: []*wire.Event{{Action: test.action, Object: swarmtest.Sent(t, test.service)}}})
		got := ""
		for i, c := range list {
			if i > 0 {
				got += ", "
			}
			got += c.Op + " " + c.Key.Kind
		}
		if err != nil || got != test.want {
			t.Errorf("%s, %v, want %s", got, err, test.want)
		}
	}
}

// A leader that is being stopped may commit several transactions of one version:
// nothing was missed. A lower version is a hole.
func TestEqualVersions(t *testing.T) {
	t.Parallel()
	at := func(version uint64, id string) changes {
		task := swarmtest.Task(id, "s", 1, api.TaskStateRunning)
		task.Meta.Version.Index = version
		return changes{events: []*wire.Event{{Action: wire.Update, Object: swarmtest.Sent(t, task)}}}
	}
	objects := cut{}
	for _, id := range []string{"a", "b", "c"} {
		objects[object.Key{Kind: object.KindTask, ID: id}] = swarmtest.Sent(t, swarmtest.Task(id, "s", 1, api.TaskStateAssigned))
	}
	m := newMirror(objects)
	txs := map[any]bool{}
	for i, msg := range []changes{at(7, "a"), at(7, "b"), at(7, "a"), at(8, "c")} {
		tx, list, err := m.apply(msg)
		if err != nil || len(list) != 1 {
			t.Fatalf("transaction %d: %v, %v", i, list, err)
		}
		txs[tx] = true
	}
	if len(txs) != 4 {
		t.Errorf("4 transactions have the names %v", txs)
	}
	if _, _, err := m.apply(at(7, "b")); !errors.Is(err, errHole) {
		t.Errorf("a lower version: %v, want %v", err, errHole)
	}

	back := at(7, "a") // of the same version and task, and another transaction
	back.events[0].Object.(*wire.Task).Status.State = wire.TaskState(api.TaskStateFailed)
	m = newMirror(objects)
	for _, msg := range []changes{at(7, "a"), at(7, "b")} {
		if _, _, err := m.apply(msg); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		msg  changes
		want bool
	}{{at(6, "a"), true}, {at(7, "b"), true}, {back, false}, {at(7, "c"), false}, {at(8, "a"), false}} {
		if got := m.knows(test.msg); got != test.want {
			t.Errorf("version %d of %s is known: %t, want %t", versionOf(objectOf(test.msg.events[0])), objectOf(test.msg.events[0]).GetID(), got, test.want)
		}
	}
}
