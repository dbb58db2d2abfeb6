package main

import (
	"fmt"
	"syscall"
	"time"

	"github.com/moby/swarmkit/v2/api"
)

// What chaos does.

func (s *sim) create() {
	sp := s.spec(fmt.Sprintf("s%d", s.rng.Int63()%1000000007))
	_, err := call(s.c().CreateService, &api.CreateServiceRequest{Spec: sp})
	s.count("create", err)
}

func (s *sim) update(what string, sv *api.Service, f func(*api.ServiceSpec)) {
	sp := sv.Spec.Copy()
	f(sp)
	_, err := call(s.c().UpdateService, &api.UpdateServiceRequest{ServiceID: sv.ID, ServiceVersion: &sv.Meta.Version, Spec: sp})
	s.count(what, err)
}

func isJob(sp *api.ServiceSpec) bool { return sp.GetReplicatedJob() != nil || sp.GetGlobalJob() != nil }

func (s *sim) changeService() {
	l := s.services()
	if len(l) == 0 {
		return
	}
	sv := l[s.n(len(l))]
	switch x := s.f(); {
	case x < 0.30:
		s.update("image", sv, func(sp *api.ServiceSpec) {
			sp.Task.Runtime = &api.TaskSpec_Container{Container: s.container(isJob(sp))}
			if isJob(sp) {
				sp.Task.ForceUpdate++
			}
		})
	case x < 0.60:
		s.update("scale", sv, func(sp *api.ServiceSpec) {
			if r := sp.GetReplicated(); r != nil {
				r.Replicas = s.replicas()
			} else if j := sp.GetReplicatedJob(); j != nil {
				if s.f() < 0.5 {
					sp.Task.ForceUpdate++
				} else {
					j.TotalCompletions = 1 + uint64(s.n(s.MaxReplicas))
				}
			} else {
				sp.Task.ForceUpdate++
			}
		})
	case x < 0.68:
		s.update("constraints", sv, func(sp *api.ServiceSpec) { sp.Task.Placement.Constraints = s.constraints() })
	case x < 0.74:
		s.update("policy", sv, func(sp *api.ServiceSpec) {
			if !isJob(sp) {
				sp.Update, sp.Rollback = s.updateConfig(), s.updateConfig()
			}
			sp.Task.Restart = s.restart(isJob(sp))
		})
	case x < 0.80:
		s.update("ports", sv, func(sp *api.ServiceSpec) {
			if !isJob(sp) {
				sp.Endpoint = s.endpoint()
			}
		})
	case x < 0.86:
		s.update("force", sv, func(sp *api.ServiceSpec) { sp.Task.ForceUpdate++ })
	case x < 0.93:
		_, err := call(s.c().UpdateService, &api.UpdateServiceRequest{ServiceID: sv.ID, ServiceVersion: &sv.Meta.Version, Spec: &sv.Spec, Rollback: api.UpdateServiceRequest_PREVIOUS})
		s.count("rollback", err)
	default: // a storm
		s.count("storm", nil)
		for range 4 + s.n(6) {
			r, err := call(s.c().GetService, &api.GetServiceRequest{ServiceID: sv.ID})
			if err != nil {
				return
			}
			s.update("stormscale", r.Service, func(sp *api.ServiceSpec) {
				if p := sp.GetReplicated(); p != nil {
					p.Replicas = s.replicas()
				}
				if s.f() < 0.4 {
					sp.Task.Runtime = &api.TaskSpec_Container{Container: s.container(isJob(sp))}
				}
				if isJob(sp) {
					sp.Task.ForceUpdate++
				}
			})
			time.Sleep(time.Duration(s.n(200)) * time.Millisecond)
		}
	}
}

func (s *sim) removeService() {
	l := s.services()
	if len(l) == 0 {
		return
	}
	_, err := call(s.c().RemoveService, &api.RemoveServiceRequest{ServiceID: l[s.n(len(l))].ID})
	s.count("remove", err)
}

func (s *sim) removeTask() {
	r, err := call(s.c().ListTasks, &api.ListTasksRequest{})
	if err != nil || len(r.Tasks) == 0 {
		return
	}
	id := r.Tasks[s.n(len(r.Tasks))].ID
	s.say("%s %s", removesTask, id) // before the recording shows it
	_, err = call(s.c().RemoveTask, &api.RemoveTaskRequest{TaskID: id})
	s.count("removetask", err)
}

func (s *sim) changeNode() {
	l := s.nodes()
	if len(l) == 0 {
		return
	}
	nd := l[s.n(len(l))]
	sp := nd.Spec.Copy()
	x := s.f()
	switch {
	case x < 0.45:
		if sp.Annotations.Labels == nil {
			sp.Annotations.Labels = map[string]string{}
		}
		sp.Annotations.Labels["zone"] = pick(s, "a", "b", "c")
		sp.Annotations.Labels["disk"] = pick(s, "ssd", "hdd")
	case x < 0.9:
		sp.Availability = pick(s, api.NodeAvailabilityActive, api.NodeAvailabilityActive, api.NodeAvailabilityActive, api.NodeAvailabilityDrain, api.NodeAvailabilityPause)
	default:
		if nd.Status.State == api.NodeStatus_DOWN && nd.Role == api.NodeRoleWorker {
			s.count("rmnode", s.removeNode(nd.ID, s.f() < 0.3))
			return
		}
		if nd.Role == api.NodeRoleWorker && s.f() < 0.15 {
			s.count("rmnodeforce", s.removeNode(nd.ID, true))
		}
		return
	}
	_, err := call(s.c().UpdateNode, &api.UpdateNodeRequest{NodeID: nd.ID, NodeVersion: &nd.Meta.Version, Spec: sp})
	s.count("node", err)
}

// heal makes nodes active that are not, that the swarm does not die out.
func (s *sim) heal() {
	for _, nd := range s.nodes() {
		if nd.Spec.Availability != api.NodeAvailabilityActive && s.f() < 0.7 {
			sp := nd.Spec.Copy()
			sp.Availability = api.NodeAvailabilityActive
			_, err := call(s.c().UpdateNode, &api.UpdateNodeRequest{NodeID: nd.ID, NodeVersion: &nd.Meta.Version, Spec: sp})
			s.count("heal", err)
		}
	}
	for i, at := range s.down {
		if time.Since(at) > time.Duration(3+s.n(20))*time.Second {
			delete(s.down, i)
			op := "start"
			if s.f() < 0.2 {
				op = "wipe"
			}
			s.agent(op, i)
			s.count(op, nil)
		}
	}
}

func (s *sim) stopAgent() {
	i := s.n(s.Agents)
	if _, ok := s.down[i]; ok || len(s.down) > s.Agents/4 {
		return
	}
	s.down[i] = time.Now()
	s.agent("stop", i)
	s.count("stop", nil)
}

// freeze stops a whole rack of agents for a while.
func (s *sim) freeze() {
	p := s.racks[s.n(len(s.racks))]
	if p.ended() {
		return
	}
	p.signal(syscall.SIGSTOP)
	s.count("freeze", nil)
	time.AfterFunc(time.Duration(s.n(12000))*time.Millisecond, func() { p.signal(syscall.SIGCONT) })
}

// killManager kills, stops or freezes a manager, mostly the leader. It reports whether it
// did: all managers must run, and the leader must be known.
func (s *sim) killManager() bool {
	for _, m := range s.managers {
		if m.proc().ended() {
			return false
		}
	}
	i := s.n(len(s.managers))
	if s.f() < 0.7 {
		if i = s.leader(); i < 0 {
			return false
		}
	}
	p := s.managers[i].proc()
	s.say("manager %d", i)
	switch x := s.f(); {
	case x < 0.5:
		p.signal(syscall.SIGKILL)
		s.count("kill", nil)
	case x < 0.75:
		p.tell("stop")
		s.count("stopmanager", nil)
	default:
		p.signal(syscall.SIGSTOP)
		s.count("freezemanager", nil)
		time.AfterFunc(time.Duration(2000+s.n(15000))*time.Millisecond, func() { p.signal(syscall.SIGCONT) })
		return true
	}
	time.AfterFunc(time.Duration(500+s.n(20000))*time.Millisecond, func() {
		select {
		case <-p.gone:
		case <-time.After(10 * time.Second):
		}
		if err := s.startManager(i, "", ""); err != nil {
			s.say("manager %d does not start: %v", i, err)
		}
	})
	return true
}
