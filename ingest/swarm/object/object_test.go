package object

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/ingest/swarm/wire"
)

// text returns fields as they are in a line.
func text(t *testing.T, f Fields) string {
	t.Helper()
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestNode(t *testing.T) {
	labelled := swarmtest.Node("n", api.NodeStatus_UNKNOWN)
	labelled.Role = api.NodeRoleWorker
	labelled.Spec.Availability = api.NodeAvailabilityDrain
	labelled.Spec.Annotations.Labels = map[string]string{"zone": "a"}
	labelled.Status.Message = "moved"
	for _, test := range []struct {
		node *api.Node
		want string
	}{
		{swarmtest.Node("n", api.NodeStatus_READY), `{"availability":"active","role":"manager","state":"up","status":"ready"}`},
		{swarmtest.Node("n", api.NodeStatus_DOWN), `{"availability":"active","role":"manager","state":"down","status":"down"}`},
		{swarmtest.Node("n", api.NodeStatus_DISCONNECTED), `{"availability":"active","role":"manager","state":"down","status":"disconnected"}`},
		{labelled, `{"availability":"drain","labels":{"zone":"a"},"message":"moved","role":"worker","state":"down","status":"unknown"}`},
		{&api.Node{}, `{"availability":"active","role":"worker","state":"down","status":"unknown"}`},
	} {
		if got := text(t, Node(swarmtest.Sent(t, test.node).(*wire.Node))); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

func TestService(t *testing.T) {
	with := func(change func(*api.Service)) *api.Service {
		s := swarmtest.Service("s", 3)
		change(s)
		return s
	}
	for _, test := range []struct {
		service *api.Service
		want    string
	}{
		{swarmtest.Service("s", 3), `{"image":"tiny:1","mode":"replicated","name":"name-s","remove":false,"replicas":3,"spec_version":0}`},
		{with(func(s *api.Service) {
			s.Spec.Mode = &api.ServiceSpec_Global{Global: &api.GlobalService{}}
			s.PendingDelete = true
			s.SpecVersion = nil
		}), `{"image":"tiny:1","mode":"global","name":"name-s","remove":true,"replicas":"global"}`},
		{with(func(s *api.Service) {
			s.Spec.Mode = &api.ServiceSpec_ReplicatedJob{ReplicatedJob: &api.ReplicatedJob{TotalCompletions: 6, MaxConcurrent: 2}}
			s.JobStatus = &api.JobStatus{JobIteration: api.Version{Index: 1}}
		}), `{"image":"tiny:1","job_iteration":1,"max_concurrent":2,"mode":"replicated-job","name":"name-s","remove":false,"replicas":6,"spec_version":0}`},
		{with(func(s *api.Service) {
			s.Spec.Mode = &api.ServiceSpec_GlobalJob{GlobalJob: &api.GlobalJob{}}
			s.JobStatus = &api.JobStatus{}
		}), `{"image":"tiny:1","job_iteration":0,"mode":"global-job","name":"name-s","remove":false,"replicas":"global","spec_version":0}`},
		{with(func(s *api.Service) {
			s.Spec.Task.Restart = &api.RestartPolicy{Condition: api.RestartOnFailure, MaxAttempts: 4}
			s.Spec.Task.Placement = &api.Placement{Constraints: []string{"node.labels.z==1"}}
			s.Spec.Update = &api.UpdateConfig{Order: api.UpdateConfig_START_FIRST}
			s.Spec.Rollback = &api.UpdateConfig{}
			s.SpecVersion.Index = 7
			s.UpdateStatus = &api.UpdateStatus{State: api.UpdateStatus_ROLLBACK_STARTED, Message: "back"}
			s.Spec.Task.Runtime = nil
		}), `{"constraints":["node.labels.z==1"],"image":"","max_attempts":4,"mode":"replicated","name":"name-s","remove":false,"replicas":3,` +
			`"restart_condition":"on_failure","rollback_order":"stop_first","spec_version":7,"update_message":"back","update_order":"start_first","update_state":"rollback_started"}`},
		{with(func(s *api.Service) {
			s.Spec.Mode = nil
			s.Spec.Endpoint = &api.EndpointSpec{Ports: []*api.PortConfig{{TargetPort: 80}}}
		}), `{"image":"tiny:1","name":"name-s","remove":false,"spec_ports":[{"mode":"ingress","name":"/80","protocol":"tcp","published_port":0}],"spec_version":0}`},
	} {
		if got := text(t, Service(swarmtest.Sent(t, test.service).(*wire.Service))); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

func TestEndpoint(t *testing.T) {
	ports := []*api.PortConfig{{Name: "dns", TargetPort: 53, Protocol: api.ProtocolUDP, PublishMode: api.PublishModeHost, PublishedPort: 5353}}
	for _, test := range []struct {
		endpoint *api.Endpoint
		want     string
	}{
		{nil, `null`},
		{&api.Endpoint{}, `null`},
		{&api.Endpoint{Spec: &api.EndpointSpec{}}, `null`},
		{&api.Endpoint{Spec: &api.EndpointSpec{Ports: ports}, Ports: ports},
			`{"ports":[{"mode":"host","name":"dns/53","protocol":"udp","published_port":5353}],"spec":[{"mode":"host","name":"dns/53","protocol":"udp","published_port":5353}]}`},
		{&api.Endpoint{Ports: ports}, `{"ports":[{"mode":"host","name":"dns/53","protocol":"udp","published_port":5353}],"spec":[]}`},
	} {
		if got := text(t, Endpoint(swarmtest.Sent(t, &api.Service{Endpoint: test.endpoint}).(*wire.Service))); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

func TestTask(t *testing.T) {
	job := swarmtest.Task("t", "s", 0, api.TaskStateCompleted)
	job.DesiredState = api.TaskStateCompleted
	job.JobIteration, job.SpecVersion = &api.Version{}, &api.Version{Index: 12}
	failed := swarmtest.Task("t", "s", 2, api.TaskStateFailed)
	failed.NodeID, failed.DesiredState, failed.Status.Err = "n", api.TaskStateShutdown, "exit <1>"
	failed.Spec.Runtime = &api.TaskSpec_Container{Container: &api.ContainerSpec{Image: "tiny:1"}}
	drained := swarmtest.Task("t", "s", 3, api.TaskStateRejected)
	drained.Status.Message = "task rejected by volume enforcer"
	for _, test := range []struct {
		task          *api.Task
		replicatedJob bool
		want          string
	}{
		{swarmtest.Task("t", "s", 1, api.TaskStateNew), false,
			`{"desired_state":"running","image":"","message":"created","node":"","service":"s","slot":1,"state":"new"}`},
		{swarmtest.Task("t", "", 0, api.TaskStateOrphaned), false,
			`{"desired_state":"running","image":"","message":"created","node":"","service":"","slot":"global","state":"orphaned"}`},
		{failed, false, `{"desired_state":"shutdown","err":"exit \u003c1\u003e","image":"tiny:1","message":"created","node":"n","service":"s","slot":2,"state":"failed"}`},
		{drained, false, `{"desired_state":"running","image":"","message":"task rejected by volume enforcer","node":"","service":"s","slot":3,"state":"rejected","volume_drained":true}`},
		{job, true, `{"desired_state":"complete","image":"","job_iteration":0,"message":"created","node":"","service":"s","slot":1,"spec_version":12,"state":"complete"}`},
		{job, false, `{"desired_state":"complete","image":"","job_iteration":0,"message":"created","node":"","service":"s","slot":"global","spec_version":12,"state":"complete"}`},
	} {
		if got := text(t, Task(swarmtest.Sent(t, test.task).(*wire.Task), Jobs{"s": test.replicatedJob})); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

func TestSince(t *testing.T) {
	for _, test := range []struct {
		before, after Fields
		want          string
	}{
		{Fields{"a": 1}, Fields{"a": 1}, `{}`},
		{Fields{"a": 1, "b": "x"}, Fields{"a": 2, "b": "x"}, `{"a":2}`},
		{Fields{"a": 1}, Fields{"b": []string{"x"}}, `{"a":null,"b":["x"]}`},
		{Fields{"a": []string{"x"}}, Fields{"a": []string{"x", "y"}}, `{"a":["x","y"]}`},
		{Fields{"a": map[string]string{"x": "1"}}, Fields{"a": map[string]string{"x": "1"}}, `{}`},
		{Fields{"a": map[string]string{"x": "1", "y": "2", "z": "3"}}, Fields{"a": map[string]string{"y": "2", "z": "4"}}, `{"a":{"x":null,"z":"4"}}`},
		{Fields{"a": map[string]string{"x": "1"}}, Fields{}, `{"a":null}`},
	} {
		if got := text(t, test.after.Since(test.before)); got != test.want {
			t.Errorf("from %v to %v: %s, want %s", test.before, test.after, got, test.want)
		}
	}
}

// A job shows by its service, or by its tasks' slots where that is gone.
func TestJobs(t *testing.T) {
	job := swarmtest.Service("job", 1)
	job.Spec.Mode = &api.ServiceSpec_ReplicatedJob{ReplicatedJob: &api.ReplicatedJob{}}
	perNode := swarmtest.Service("global", 1)
	perNode.Spec.Mode = &api.ServiceSpec_GlobalJob{GlobalJob: &api.GlobalJob{}}
	task := func(service string, slot uint64, iteration *api.Version) *api.Task {
		one := swarmtest.Task("t", service, slot, api.TaskStateNew)
		one.JobIteration = iteration
		return one
	}
	jobs := Jobs{}
	for _, o := range []api.StoreObject{
		job, perNode, swarmtest.Service("replicated", 1), swarmtest.Node("n", api.NodeStatus_READY),
		task("gone", 1, &api.Version{}), task("unclear", 0, &api.Version{}), task("long-running", 1, nil),
		swarmtest.Service("job", 1), // a job once is one for ever
	} {
		jobs.See(swarmtest.Sent(t, o))
	}
	if want := (Jobs{"job": true, "gone": true}); !maps.Equal(jobs, want) {
		t.Errorf("jobs are %v, want %v", jobs, want)
	}
}
