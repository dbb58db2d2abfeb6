package raftlog

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/swarm"
	"tracecheck/ingest/swarm/swarmtest"
)

// events are the lines of a trace without what depends on who watched: the
// number, the time, and the name of the transaction.
func events(t *testing.T, trace string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, text := range strings.Split(strings.TrimSuffix(trace, "\n"), "\n") {
		var l map[string]any
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, name := range []string{"seq", "time", "tx"} {
			delete(l, name)
		}
		all = append(all, l)
	}
	return all
}

// TestAgreesWithRecorder: of the same transactions, the log tells what one who
// was there at the time has recorded.
func TestAgreesWithRecorder(t *testing.T) {
	f := swarmtest.New(t)
	recorded := record(t, f, func() { live(f) })

	m := newManager(t)
	m.commit(create(cluster(5)))
	for _, transaction := range f.Log() {
		var actions []api.StoreAction
		for _, e := range transaction {
			actions = append(actions, asAction(e))
		}
		m.commit(actions...)
	}
	read := events(t, m.mustRead(Options{}))

	recorded[1]["op"] = "create" // n1 existed when the recording began
	for i := range max(len(read), len(recorded)) {
		if i >= len(read) || i >= len(recorded) || !reflect.DeepEqual(read[i], recorded[i]) {
			t.Fatalf("from line %d on the log has\n%v\nand the recording\n%v", i+1, read[min(i, len(read)):], recorded[min(i, len(recorded)):])
		}
	}
}

// record returns what is recorded while happen runs, until the node "end" comes.
func record(t *testing.T, f *swarmtest.Manager, happen func()) []map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	source, err := swarm.Open(ctx, swarm.Options{Socket: f.Socket})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.Write(source.Meta())
	var begin sync.Once
	err = source.Run(ctx, func(b swarm.Batch) error {
		text.Write(b.Lines)
		begin.Do(func() { go happen() })
		if strings.Contains(string(b.Lines), `"id":"end"`) {
			cancel()
		}
		return nil
	})
	if err != nil || !strings.Contains(text.String(), `"id":"end"`) {
		t.Fatalf("%v, after\n%s", err, text.String())
	}
	return events(t, text.String())
}

func asAction(e *api.WatchMessage_Event) api.StoreAction {
	how := map[api.WatchActionKind]func(api.StoreObject) api.StoreAction{
		api.WatchActionKindCreate: create, api.WatchActionKindUpdate: update, api.WatchActionKindRemove: remove,
	}[e.Action]
	switch o := e.Object.Object.(type) {
	case *api.Object_Node:
		return how(o.Node)
	case *api.Object_Service:
		return how(o.Service)
	case *api.Object_Task:
		return how(o.Task)
	}
	return api.StoreAction{}
}

// live has each kind of object with each of its fields.
func live(f *swarmtest.Manager) {
	all := []api.StoreObject{
		full("replicated", api.ServiceSpec{Mode: &api.ServiceSpec_Replicated{Replicated: &api.ReplicatedService{Replicas: 2}}}),
		full("global", api.ServiceSpec{Mode: &api.ServiceSpec_Global{Global: &api.GlobalService{}}}),
		full("rjob", api.ServiceSpec{Mode: &api.ServiceSpec_ReplicatedJob{ReplicatedJob: &api.ReplicatedJob{TotalCompletions: 6, MaxConcurrent: 2}}}),
		full("gjob", api.ServiceSpec{Mode: &api.ServiceSpec_GlobalJob{GlobalJob: &api.GlobalJob{}}}),
		swarmtest.Service("plain", 1),
	}
	for _, service := range []string{"replicated", "global", "rjob", "gjob", "plain", "", "gone"} {
		for _, slot := range []uint64{0, 1, 7} {
			one := swarmtest.Task("t"+service+string(rune('0'+slot)), service, slot, api.TaskStateNew)
			one.Spec.Runtime = &api.TaskSpec_Container{Container: &api.ContainerSpec{Image: "tiny:1"}}
			one.Status.Err = "<none> & such"
			one.NodeID = "n1"
			one.SpecVersion, one.JobIteration = &api.Version{Index: 3}, &api.Version{Index: 1}
			if slot == 1 {
				one.SpecVersion, one.JobIteration = nil, nil
			}
			all = append(all, one)
		}
	}
	for state := range api.NodeStatus_State_name {
		n := swarmtest.Node("node"+api.NodeStatus_State(state).String(), api.NodeStatus_State(state))
		n.Spec.Availability = api.NodeAvailabilityDrain
		n.Spec.Annotations.Labels = map[string]string{"zone": "a"}
		n.Status.Message = "moved"
		all = append(all, n)
	}
	for _, o := range all {
		f.Commit(swarmtest.Create(o))
	}
	for _, o := range all {
		f.Commit(swarmtest.Update(bare(o)))
	}
	for _, o := range all {
		f.Commit(swarmtest.Update(o), swarmtest.Update(swarmtest.Node("n1", api.NodeStatus_DOWN)))
	}
	for _, o := range all {
		f.Commit(swarmtest.Remove(o))
	}
	f.Commit(swarmtest.Create(swarmtest.Node("end", api.NodeStatus_READY)))
}

// full is a service of the mode that has every field.
func full(id string, spec api.ServiceSpec) *api.Service {
	s := swarmtest.Service(id, 1)
	s.Spec.Mode = spec.Mode
	if spec.GetReplicatedJob() != nil || spec.GetGlobalJob() != nil {
		s.JobStatus = &api.JobStatus{JobIteration: api.Version{Index: 4}}
	}
	ports := []*api.PortConfig{
		{Name: "web", TargetPort: 80}, {TargetPort: 53, Protocol: api.ProtocolUDP, PublishMode: api.PublishModeHost, PublishedPort: 53},
	}
	s.PendingDelete = true
	s.Spec.Endpoint = &api.EndpointSpec{Ports: ports}
	s.Endpoint = &api.Endpoint{Spec: s.Spec.Endpoint, Ports: ports}
	s.Spec.Task.Restart = &api.RestartPolicy{Condition: api.RestartOnFailure, MaxAttempts: 4}
	s.Spec.Task.Placement = &api.Placement{Constraints: []string{"node.labels.z==1"}}
	s.Spec.Update = &api.UpdateConfig{Order: api.UpdateConfig_START_FIRST}
	s.Spec.Rollback = &api.UpdateConfig{}
	s.UpdateStatus = &api.UpdateStatus{State: api.UpdateStatus_ROLLBACK_STARTED, Message: "back"}
	return s
}

// bare is the object without anything that may be left out.
func bare(o api.StoreObject) api.StoreObject {
	switch o := o.(type) {
	case *api.Node:
		return &api.Node{ID: o.ID}
	case *api.Service:
		return &api.Service{ID: o.ID}
	}
	return &api.Task{ID: o.GetID()}
}
