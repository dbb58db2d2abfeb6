package swarmtest

import (
	"testing"

	"github.com/moby/swarmkit/v2/api"
	"google.golang.org/protobuf/encoding/protowire"

	"tracecheck/ingest/swarm/wire"
)

// Node is a manager.
func Node(id string, state api.NodeStatus_State) *api.Node {
	return &api.Node{ID: id, Role: api.NodeRoleManager, Status: api.NodeStatus{State: state}}
}

// Password is what the containers' environment has: no recording may.
const Password = "hunter2"

// Service is replicated.
func Service(id string, replicas uint64) *api.Service {
	s := &api.Service{ID: id, SpecVersion: &api.Version{}}
	s.Spec.Annotations.Name = "name-" + id
	s.Spec.Task.Runtime = &api.TaskSpec_Container{
		Container: &api.ContainerSpec{Image: "tiny:1", Env: []string{"PASSWORD=" + Password}},
	}
	s.Spec.Mode = &api.ServiceSpec_Replicated{Replicated: &api.ReplicatedService{Replicas: replicas}}
	return s
}

// Task is one that shall run.
func Task(id, service string, slot uint64, state api.TaskState) *api.Task {
	return &api.Task{
		ID: id, ServiceID: service, Slot: slot, DesiredState: api.TaskStateRunning,
		Status: api.TaskStatus{State: state, Message: "created"},
	}
}

// Sent is the object as a recording has it from a manager.
func Sent(t testing.TB, o api.StoreObject) wire.Object {
	t.Helper()
	data, err := Wrap(o).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	event := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), data)
	var e wire.Event
	if err := wire.Decode(event, &e); err != nil {
		t.Fatal(err)
	}
	return e.Object
}
