package main

import (
	"fmt"
	"time"

	"github.com/moby/swarmkit/v2/api"
)

// ordinary is a quiet day: one thing after the other, each waited for. No worker dies unasked, no update fails but
// those that are to be rolled back.
func (s *sim) ordinary() {
	for range s.Services {
		s.deploy()
	}
	steps := []func(){
		s.deploy, s.updateImage, s.updateImage, s.failUpdate, s.rollBack, s.scaleUp, s.scaleDown, s.scaleDown, s.drain, s.pause,
		s.label, s.changeLimit, s.runJob, s.redeploy,
	}
	for done := 0; done < s.Steps; {
		for _, i := range s.rng.Perm(len(steps)) {
			if done++; done > s.Steps {
				break
			}
			steps[i]()
			time.Sleep(time.Duration(s.n(2500)) * time.Millisecond)
			if done == s.Steps/3 {
				s.retire()
				s.beginLate()
			}
			if done == s.Steps*2/3 {
				s.passLead()
			}
		}
	}
	s.settleAll()
}

// some is a service that is no job, and not global if replicated is asked for.
func (s *sim) some(replicated bool) *api.Service {
	l := s.services()
	for _, i := range s.rng.Perm(len(l)) {
		if !isJob(&l[i].Spec) && (!replicated || l[i].Spec.GetReplicated() != nil) {
			return l[i]
		}
	}
	return nil
}

func (s *sim) behaviour() string {
	return "v=" + s.between(1, 99999) + "&prep=" + s.between(20, 400) + "&start=" + s.between(20, 400) + "&stop=" + s.between(20, 1500)
}

func (s *sim) deploy() {
	s.names++
	sp := replicated(fmt.Sprint("web", s.names), 1+s.n(s.MaxReplicas), pick(s, api.RestartOnAny, api.RestartOnAny, api.RestartOnFailure), s.behaviour(), nil)
	sp.Update = &api.UpdateConfig{
		Parallelism: uint64(1 + s.n(4)), Delay: time.Duration(s.n(3)) * 400 * time.Millisecond, FailureAction: api.UpdateConfig_ROLLBACK,
		Monitor: duration(time.Second), Order: pick(s, api.UpdateConfig_STOP_FIRST, api.UpdateConfig_START_FIRST),
	}
	sp.Rollback = &api.UpdateConfig{Parallelism: 2, Monitor: duration(time.Second), Order: pick(s, api.UpdateConfig_STOP_FIRST, api.UpdateConfig_START_FIRST)}
	if s.names%4 == 3 {
		sp.Mode = &api.ServiceSpec_Global{Global: &api.GlobalService{}}
		sp.Update.Order, sp.Rollback.Order = api.UpdateConfig_STOP_FIRST, api.UpdateConfig_STOP_FIRST
	}
	if s.Ports && s.names%3 == 0 {
		p := &api.PortConfig{Protocol: api.ProtocolTCP, TargetPort: 80}
		if s.f() < 0.5 {
			p.PublishedPort = uint32(8000 + s.names)
		}
		sp.Endpoint = &api.EndpointSpec{Ports: []*api.PortConfig{p}}
	}
	s.say("deploy %s", sp.Annotations.Name)
	s.put(sp)
	s.settleAll()
}

func (s *sim) setImage(what, env string) {
	if sv := s.some(false); sv != nil {
		s.say("%s %s", what, sv.Spec.Annotations.Name)
		s.edit(sv.ID, what, func(sp *api.ServiceSpec) {
			sp.Task.Runtime = &api.TaskSpec_Container{Container: &api.ContainerSpec{Image: "sim:v" + s.between(1, 99999), Env: []string{"SIM=" + env}}}
		})
		s.settleAll()
	}
}

func (s *sim) updateImage() { s.setImage("update", s.behaviour()) }
func (s *sim) failUpdate()  { s.setImage("bad update", s.behaviour()+pick(s, "&reject=1", "&fail=1")) }

func (s *sim) rollBack() {
	if sv := s.some(true); sv != nil && sv.PreviousSpec != nil {
		_, err := call(s.c().UpdateService, &api.UpdateServiceRequest{ServiceID: sv.ID, ServiceVersion: &sv.Meta.Version, Spec: &sv.Spec, Rollback: api.UpdateServiceRequest_PREVIOUS})
		s.count("rollback", err)
		s.settleAll()
	}
}

func (s *sim) scaleBy(f func(n int) int) {
	if sv := s.some(true); sv != nil {
		s.scale(sv.ID, f(int(sv.Spec.GetReplicated().Replicas)))
		s.settleAll()
	}
}
func (s *sim) scaleUp()   { s.scaleBy(func(n int) int { return n + 1 + s.n(s.MaxReplicas) }) }
func (s *sim) scaleDown() { s.scaleBy(func(n int) int { return s.n(n + 1) }) }

func (s *sim) available(id string, a api.NodeSpec_Availability) {
	s.editNode(a.String(), id, func(sp *api.NodeSpec) { sp.Availability = a })
	s.settleAll()
}

func (s *sim) drain() {
	if n, _ := s.worker(); n != nil {
		s.say("drain %s", n.Description.Hostname)
		s.available(n.ID, api.NodeAvailabilityDrain)
		time.Sleep(time.Second)
		s.available(n.ID, api.NodeAvailabilityActive)
	}
}

func (s *sim) pause() {
	if n, _ := s.worker(); n != nil {
		s.available(n.ID, api.NodeAvailabilityPause)
		s.scaleUp()
		s.available(n.ID, api.NodeAvailabilityActive)
	}
}

func (s *sim) label() {
	if n, _ := s.worker(); n != nil {
		s.editNode("label", n.ID, func(sp *api.NodeSpec) { sp.Annotations.Labels = map[string]string{"zone": s.between(1, 3)} })
	}
}

func (s *sim) changeLimit() {
	if s.Limit {
		s.setLimit(int64(s.n(6)))
	}
}

// retire drains a worker, stops it, removes its node, and lets a new one join in its place.
func (s *sim) retire() {
	n, k := s.worker()
	if n == nil {
		return
	}
	s.say("retire %s", n.Description.Hostname)
	if s.f() < 0.5 {
		s.available(n.ID, api.NodeAvailabilityDrain)
	}
	s.agent("stop", k)
	s.removeDown()
	s.settleAll()
	s.agent("wipe", k)
}

// removeDown waits for a node that is down, and removes it.
func (s *sim) removeDown() {
	ok := wait(time.Minute, func() bool {
		for _, n := range s.nodes() {
			if n.Status.State == api.NodeStatus_DOWN {
				time.Sleep(2 * time.Second)
				s.count("rmnode", s.removeNode(n.ID, true))
				return true
			}
		}
		return false
	})
	if !ok {
		fail("no node went down")
	}
}

// passLead stops and restarts the leader, or makes it a worker for a while. The last
// manager is left alone.
func (s *sim) passLead() {
	i := s.leader()
	if i < 0 || i == len(s.managers)-1 {
		s.say("the leader stays: %d", i)
		return
	}
	if s.f() < 0.5 {
		s.restartManager(i)
	} else {
		s.demote(i)
	}
	s.say("leader is %d", s.leader())
	s.settleAll()
}

func (s *sim) restartManager(i int) {
	s.say("stop manager %d", i)
	p := s.managers[i].proc()
	p.tell("stop")
	<-p.gone
	time.Sleep(3 * time.Second)
	s.settleAll()
	s.joinManager(i, "", "")
	s.count("restart", nil)
}

// demote makes a manager a worker for a while.
func (s *sim) demote(i int) {
	m, id := s.managers[i], ""
	for _, n := range s.nodes() {
		if n.ManagerStatus != nil && n.ManagerStatus.Addr == m.listen {
			id = n.ID
		}
	}
	if id == "" {
		fail("no node has the address of manager %d", i)
	}
	s.say("demote manager %d", i)
	m.off = true
	s.editNode("demote", id, func(sp *api.NodeSpec) { sp.DesiredRole = api.NodeRoleWorker })
	s.awaitRole(id, api.NodeRoleWorker)
	s.settleAll()
	s.editNode("promote", id, func(sp *api.NodeSpec) { sp.DesiredRole = api.NodeRoleManager })
	s.awaitRole(id, api.NodeRoleManager)
	m.off = false
}

// awaitRole waits until a node has a role, and is ready.
func (s *sim) awaitRole(id string, role api.NodeRole) {
	ok := wait(time.Minute, func() bool {
		r, err := call(s.c().GetNode, &api.GetNodeRequest{NodeID: id})
		return err == nil && r.Node.Role == role && r.Node.Status.State == api.NodeStatus_READY &&
			(role == api.NodeRoleWorker || r.Node.ManagerStatus != nil && r.Node.ManagerStatus.Reachability == api.RaftMemberStatus_REACHABLE)
	})
	if !ok {
		fail("node %s does not become %v", id, role)
	}
	time.Sleep(2 * time.Second) // its agent joins again
}

func (s *sim) runJob() {
	s.names++
	sp := replicated(fmt.Sprint("job", s.names), 0, api.RestartOnFailure, "prep=100&start=100&run=900", nil)
	n := 1 + s.n(s.MaxReplicas)
	sp.Mode = &api.ServiceSpec_ReplicatedJob{ReplicatedJob: &api.ReplicatedJob{MaxConcurrent: uint64(1 + s.n(n)), TotalCompletions: uint64(n)}}
	id := s.put(sp)
	s.ended(id, 0, n, 40*time.Second)
	s.edit(id, "again", func(sp *api.ServiceSpec) { sp.Task.ForceUpdate++ })
	s.ended(id, 1, n, 40*time.Second)
}

// redeploy removes a service and creates it again under its name.
func (s *sim) redeploy() {
	sv := s.some(true)
	if sv == nil {
		return
	}
	_, err := call(s.c().RemoveService, &api.RemoveServiceRequest{ServiceID: sv.ID})
	s.count("remove", err)
	time.Sleep(time.Duration(s.n(1500)) * time.Millisecond)
	s.put(sv.Spec.Copy())
	s.settleAll()
}
