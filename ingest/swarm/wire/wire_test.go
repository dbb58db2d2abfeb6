package wire_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/ingest/swarm/wire"
)

// FuzzDecode: what moby/swarmkit's own code reads in a message is what is read here.
func FuzzDecode(f *testing.F) {
	node := swarmtest.Node("n", api.NodeStatus_DISCONNECTED)
	node.Spec = api.NodeSpec{Availability: api.NodeAvailabilityDrain, Annotations: api.Annotations{Name: "x", Labels: map[string]string{"zone": "a", "": "\xff"}}}
	node.Status.Message, node.Meta.Version.Index = "gone", 1<<63
	service := swarmtest.Service("s", 3)
	ports := []*api.PortConfig{{Name: "dns", TargetPort: 53, PublishedPort: 5353, Protocol: api.ProtocolSCTP, PublishMode: api.PublishModeHost}, {}}
	service.Endpoint = &api.Endpoint{Ports: ports, Spec: &api.EndpointSpec{Ports: ports}}
	service.Spec.Endpoint = service.Endpoint.Spec
	service.Spec.Task.Placement = &api.Placement{Constraints: []string{"node.labels.z==1", ""}}
	service.Spec.Task.Restart = &api.RestartPolicy{Condition: api.RestartOnAny, MaxAttempts: 4}
	service.Spec.Update, service.Spec.Rollback = &api.UpdateConfig{Order: api.UpdateConfig_START_FIRST}, &api.UpdateConfig{}
	service.UpdateStatus = &api.UpdateStatus{State: api.UpdateStatus_ROLLBACK_COMPLETED, Message: "back"}
	service.PendingDelete, service.SpecVersion, service.JobStatus = true, &api.Version{Index: 7}, &api.JobStatus{JobIteration: api.Version{Index: 2}}
	job := swarmtest.Service("j", 0)
	job.Spec.Mode = &api.ServiceSpec_ReplicatedJob{ReplicatedJob: &api.ReplicatedJob{MaxConcurrent: 2, TotalCompletions: 6}}
	perNode := swarmtest.Service("g", 0)
	perNode.Spec.Mode = &api.ServiceSpec_GlobalJob{GlobalJob: &api.GlobalJob{}}
	task := swarmtest.Task("t", "s", 2, api.TaskStateOrphaned)
	task.Spec, task.NodeID, task.Status.Err = *service.Spec.Task.Copy(), "n", "exit 1"
	task.SpecVersion, task.JobIteration = &api.Version{Index: 9}, &api.Version{}
	attached := task.Copy()
	attached.Spec.Runtime, attached.DesiredState = &api.TaskSpec_Attachment{Attachment: &api.NetworkAttachmentSpec{ContainerID: "c"}}, -7
	cluster := &api.Cluster{ID: "c"}
	cluster.Spec.Orchestration.TaskHistoryRetentionLimit = -1
	for _, o := range []api.StoreObject{node, service, job, perNode, task, attached, cluster} {
		message := api.WatchMessage{Version: &api.Version{Index: 12}, Events: []*api.WatchMessage_Event{{Action: api.WatchActionKindRemove, Object: swarmtest.Wrap(o)}}}
		data, err := message.Marshal()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	other := api.WatchMessage{Events: []*api.WatchMessage_Event{{Action: 99, Object: &api.Object{Object: &api.Object_Network{Network: &api.Network{ID: "x"}}}}, {}}}
	data, err := other.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		var want api.WatchMessage
		if want.Unmarshal(data) != nil {
			return
		}
		var got wire.Message
		if wire.Decode(data, &got) != nil { // such as a group that ends nowhere, which that code ignores
			data, err := want.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			got = wire.Message{}
			if err := wire.Decode(data, &got); err != nil {
				t.Fatal(err)
			}
		}
		same(t, "message", reflect.ValueOf(got), reflect.ValueOf(want))
	})
}

// same compares each field that both have. A union of one has the names of its kinds in
// the other.
func same(t *testing.T, where string, got, want reflect.Value) {
	t.Helper()
	switch got.Kind() {
	case reflect.Interface:

		if got.IsNil() {
			for _, kind := range []string{"Node", "Service", "Task", "Cluster"} {
				if !want.IsNil() && !want.MethodByName("Get" + kind).Call(nil)[0].IsNil() {
					t.Errorf("%s: a %s is left out", where, kind)
				}
			}
			return
		}
		kind := got.Elem().Elem().Type().Name()
		same(t, where, got.Elem(), want.MethodByName("Get" + kind).Call(nil)[0])
	case reflect.Pointer:
		if got.IsNil() != want.IsNil() {
			t.Errorf("%s: nil is %t, want %t", where, got.IsNil(), want.IsNil())
		} else if !got.IsNil() {
			same(t, where, got.Elem(), want.Elem())
		}
	case reflect.Struct:
		for i := range got.NumField() {
			name := got.Type().Field(i).Name
			field := want.FieldByName(name)
			if !field.IsValid() {
				field = want.Addr().MethodByName("Get" + name).Call(nil)[0]
			}
			same(t, where+"."+name, got.Field(i), field)
		}
	case reflect.Slice:
		if got.Len() != want.Len() {
			t.Errorf("%s: %d elements, want %d", where, got.Len(), want.Len())
			return
		}
		for i := range got.Len() {
			same(t, fmt.Sprint(where, "[", i, "]"), got.Index(i), want.Index(i))
		}
	default:
		if action, is := got.Interface().(wire.Action); is {
			got = reflect.ValueOf(api.WatchActionKind(action))
		}
		if g, w := fmt.Sprint(got.Interface()), fmt.Sprint(want.Interface()); g != w {
			t.Errorf("%s: %s, want %s", where, g, w)
		}
	}
}

func TestWatchRequest(t *testing.T) {
	var got api.WatchRequest
	if err := got.Unmarshal(wire.WatchRequest([]string{"node", "task"}, 1<<40)); err != nil {
		t.Fatal(err)
	}
	all := api.WatchActionKindCreate | api.WatchActionKindUpdate | api.WatchActionKindRemove
	want := api.WatchRequest{Entries: []*api.WatchRequest_WatchEntry{{Kind: "node", Action: all}, {Kind: "task", Action: all}}, ResumeFrom: &api.Version{Index: 1 << 40}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	var live api.WatchRequest
	if err := live.Unmarshal(wire.WatchRequest(nil, 0)); err != nil || live.ResumeFrom != nil {
		t.Errorf("%v, %v: a watch of what is new resumes", live, err)
	}
}
