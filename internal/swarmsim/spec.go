package main

import (
	"fmt"
	"strings"
	"time"

	gogo "github.com/gogo/protobuf/types"
	"github.com/moby/swarmkit/v2/api"
)

func duration(d time.Duration) *gogo.Duration { return gogo.DurationProto(d) }

func (s *sim) container(job bool) *api.ContainerSpec {
	return &api.ContainerSpec{Image: "sim:v" + s.between(1, 99999), Env: []string{"SIM=" + s.image(job)}}
}

func (s *sim) image(job bool) string {
	q := []string{"v=" + s.between(1, 9999), "prep=" + s.between(0, 200), "start=" + s.between(0, 200), "stop=" + s.between(0, 500)}
	if job {
		q = append(q, "run="+s.between(50, 4000))
		if s.f() < 0.4 {
			q = append(q, "code=0."+s.between(1, 5))
		}
	} else {
		switch {
		case s.f() < 0.15:
			q = append(q, "run="+s.between(300, 20000), "code=0.5")
		case s.f() < 0.1:
			q = append(q, "run="+s.between(300, 5000))
		}
	}
	if s.f() < 0.12 {
		q = append(q, "reject=0."+s.between(1, 9))
	}
	if s.f() < 0.12 {
		q = append(q, "fail=0."+s.between(1, 9))
	}
	if s.f() < 0.05 {
		q = append(q, "reject=1")
	}
	if s.f() < 0.05 {
		q = append(q, "noctl=0.3")
	}
	if s.f() < 0.1 {
		q = append(q, "stopfail=0.5")
	}
	if s.f() < 0.1 {
		q = append(q, "temp=0.3")
	}
	if s.f() < 0.06 {
		q = append(q, "stop="+s.between(2000, 8000))
	}
	if s.f() < 0.06 {
		q = append(q, "prep="+s.between(2000, 8000))
	}
	q = append(q, "die="+pick(s, "0", "0.5", "1"))
	return strings.Join(q, "&")
}

func (s *sim) constraints() []string {
	switch {
	case s.f() < 0.6:
		return nil
	case s.f() < 0.6:
		return []string{"node.labels.zone" + pick(s, "==", "!=") + pick(s, "a", "b", "c")}
	case s.f() < 0.5:
		return []string{"node.labels.disk==ssd", "node.labels.zone!=" + pick(s, "a", "b")}
	case s.f() < 0.5:
		return []string{"node.role" + pick(s, "==", "!=") + "manager"}
	case s.f() < 0.5:
		return []string{"node.hostname!=w000"}
	}
	return []string{"node.labels.zone==nowhere"}
}

func (s *sim) updateConfig() *api.UpdateConfig {
	if s.f() < 0.2 {
		return nil
	}
	return &api.UpdateConfig{
		Parallelism:     uint64(s.n(6)),
		Delay:           time.Duration(s.n(3)) * 300 * time.Millisecond,
		FailureAction:   pick(s, api.UpdateConfig_PAUSE, api.UpdateConfig_CONTINUE, api.UpdateConfig_ROLLBACK),
		Monitor:         duration(time.Duration(s.n(5)) * 500 * time.Millisecond),
		MaxFailureRatio: float32(pick(s, 0, 0, 0.2, 0.5)),
		Order:           pick(s, api.UpdateConfig_STOP_FIRST, api.UpdateConfig_START_FIRST),
	}
}

func (s *sim) restart(job bool) *api.RestartPolicy {
	if s.f() < 0.2 && !job {
		return nil
	}
	if s.Clean {
		return &api.RestartPolicy{Condition: pick(s, api.RestartOnAny, api.RestartOnFailure), Delay: duration(time.Duration(s.n(4)) * 400 * time.Millisecond)}
	}
	r := &api.RestartPolicy{
		Condition:   pick(s, api.RestartOnAny, api.RestartOnAny, api.RestartOnFailure, api.RestartOnNone),
		Delay:       duration(time.Duration(s.n(4)) * 400 * time.Millisecond),
		MaxAttempts: uint64(pick(s, 0, 0, 0, 1, 2, 4)),
	}
	if job && r.Condition == api.RestartOnAny {
		r.Condition = api.RestartOnFailure
	}
	if s.f() < 0.3 {
		r.Window = duration(time.Duration(1+s.n(10)) * time.Second)
	}
	return r
}

func (s *sim) endpoint() *api.EndpointSpec {
	if !s.Ports || s.f() < 0.6 {
		return nil
	}
	e := &api.EndpointSpec{Mode: pick(s, api.ResolutionModeVirtualIP, api.ResolutionModeVirtualIP, api.ResolutionModeDNSRoundRobin)}
	for i := 0; i <= s.n(3); i++ {
		p := &api.PortConfig{Name: fmt.Sprint("p", i), Protocol: pick(s, api.ProtocolTCP, api.ProtocolTCP, api.ProtocolUDP), TargetPort: uint32(80 + i)}
		if s.f() < 0.6 {
			p.PublishedPort = uint32(8000 + s.n(30))
		}
		if s.f() < 0.1 {
			p.PublishedPort = uint32(30000 + s.n(10))
		}
		if e.Mode == api.ResolutionModeDNSRoundRobin || s.f() < 0.3 {
			p.PublishMode = api.PublishModeHost
		}
		e.Ports = append(e.Ports, p)
	}
	return e
}

func (s *sim) spec(name string) *api.ServiceSpec {
	kind := s.f()
	job := s.Jobs && kind < 0.25
	sp := &api.ServiceSpec{
		Annotations: api.Annotations{Name: name},
		Task: api.TaskSpec{
			Runtime:   &api.TaskSpec_Container{Container: s.container(job)},
			Restart:   s.restart(job),
			Placement: &api.Placement{Constraints: s.constraints()},
		},
		Update: s.updateConfig(), Rollback: s.updateConfig(),
	}
	if s.f() < 0.1 {
		sp.Task.Placement.MaxReplicas = uint64(1 + s.n(3))
	}
	if s.f() < 0.2 {
		sp.Task.Placement.Preferences = []*api.PlacementPreference{{Preference: &api.PlacementPreference_Spread{Spread: &api.SpreadOver{SpreadDescriptor: "node.labels.zone"}}}}
	}
	if s.f() < 0.2 {
		sp.Task.Resources = &api.ResourceRequirements{Reservations: &api.Resources{NanoCPUs: int64(s.n(8)) * 1e8, MemoryBytes: int64(s.n(8)) << 28}}
	}
	switch {
	case job && kind < 0.08:
		sp.Mode = &api.ServiceSpec_GlobalJob{GlobalJob: &api.GlobalJob{}}
		sp.Update, sp.Rollback = nil, nil
	case job:
		t := uint64(1 + s.n(s.MaxReplicas))
		m := t
		if s.f() < 0.5 {
			m = uint64(1 + s.n(int(t)))
		}
		sp.Mode = &api.ServiceSpec_ReplicatedJob{ReplicatedJob: &api.ReplicatedJob{MaxConcurrent: m, TotalCompletions: t}}
		sp.Update, sp.Rollback = nil, nil
	case kind < 0.36:
		sp.Mode = &api.ServiceSpec_Global{Global: &api.GlobalService{}}
		sp.Endpoint = s.endpoint()
	default:
		sp.Mode = &api.ServiceSpec_Replicated{Replicated: &api.ReplicatedService{Replicas: s.replicas()}}
		sp.Endpoint = s.endpoint()
	}
	return sp
}

func (s *sim) replicas() uint64 {
	if s.f() < 0.07 {
		return 0
	}
	return uint64(1 + s.n(s.MaxReplicas))
}

// replicated is a service; env says how its containers behave (see controller.go).
func replicated(name string, n int, cond api.RestartPolicy_RestartCondition, env string, upd *api.UpdateConfig) *api.ServiceSpec {
	return &api.ServiceSpec{
		Annotations: api.Annotations{Name: name},
		Mode:        &api.ServiceSpec_Replicated{Replicated: &api.ReplicatedService{Replicas: uint64(n)}},
		Task: api.TaskSpec{
			Runtime: &api.TaskSpec_Container{Container: &api.ContainerSpec{Image: "sim:one", Env: []string{"SIM=" + env}}},
			Restart: &api.RestartPolicy{Condition: cond},
		},
		Update: upd,
	}
}
