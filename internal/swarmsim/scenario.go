package main

import (
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/moby/swarmkit/v2/api"
)

func (s *sim) clock() string { return s.put(replicated("clock", 1, api.RestartOnAny, "", nil)) }

// upDown scales a service up again before what was scaled down has stopped.
func (s *sim) upDown(condition string, to int) {
	c := api.RestartOnNone
	if condition == "any" {
		c = api.RestartOnAny
	}
	clock := s.clock()
	web := s.put(replicated("web", 10, c, "stop=3000", nil))
	s.settle(web, 10, 30*time.Second)
	s.scale(web, 5)
	time.Sleep(700 * time.Millisecond)
	s.scale(web, to)
	s.tick(clock, 30)
	s.settle(web, to, 3*time.Second)
}

// outage does the same, with a new image.
func (s *sim) outage() {
	clock := s.clock()
	web := s.put(replicated("web", 12, api.RestartOnNone, "stop=6000&prep=1500", nil))
	s.settle(web, 12, 40*time.Second)
	s.edit(web, "image", func(sp *api.ServiceSpec) {
		sp.GetReplicated().Replicas, sp.Task.GetContainer().Image = 4, "sim:two"
	})
	time.Sleep(400 * time.Millisecond)
	s.scale(web, 8)
	s.tick(clock, 30)
	s.settle(web, 8, 3*time.Second)
}

// scaleRace scales down while the tasks of the scale-up are still being placed.
func (s *sim) scaleRace() {
	clock := s.clock()
	web := s.put(replicated("web", 10, api.RestartOnAny, "prep=800&start=800&stop=200", nil))
	s.settle(web, 10, 30*time.Second)
	for range 8 {
		s.scale(web, s.MaxReplicas)
		time.Sleep(time.Duration(600+s.n(2500)) * time.Millisecond)
		s.scale(web, 10)
		s.settle(web, 10, 12*time.Second)
		if want, _ := s.wanted(web); want != 10 {
			break
		}
	}
	s.tick(clock, 30)
	s.settle(web, 10, 3*time.Second)
}

// nodeRemoved lets a worker die, and removes its node. Another recording begins then.
// Updates push the node's tasks out of the history.
func (s *sim) nodeRemoved() {
	web := s.put(replicated("web", 12, api.RestartOnAny, "", &api.UpdateConfig{Monitor: duration(time.Second)}))
	s.settle(web, 12, 30*time.Second)
	worker := 0
	s.expect("a worker with a task", func() bool {
		n, i := s.worker()
		worker = i
		return n != nil && slices.ContainsFunc(s.tasksOf(web), func(t *api.Task) bool { return t.NodeID == n.ID })
	})
	s.agent("stop", worker)
	s.removeDown()
	s.settle(web, 12, 20*time.Second)
	s.expect("tasks of a removed node", func() bool { return s.orphans(web) > 0 })
	s.beginLate()
	time.Sleep(2 * time.Second)
	s.setLimit(2)
	for i := range 2 {
		s.edit(web, "image", func(sp *api.ServiceSpec) { sp.Task.GetContainer().Image = fmt.Sprint("sim:v", i) })
		s.expect("new image", func() bool {
			return s.all(web, func(t *api.Task) bool { return t.Spec.GetContainer().Image == fmt.Sprint("sim:v", i) })
		})
		s.settle(web, 12, 20*time.Second)
	}
	s.expect("no task of a removed node", func() bool { return s.orphans(web) == 0 })
}

// orphans counts a service's tasks whose node is not there.
func (s *sim) orphans(id string) (n int) {
	there := map[string]bool{"": true}
	for _, nd := range s.nodes() {
		there[nd.ID] = true
	}
	for _, t := range s.tasksOf(id) {
		if !there[t.NodeID] {
			n++
		}
	}
	return n
}

// nodeRemovedInUpdate removes a node that an update of a global service has yet to reach.
func (s *sim) nodeRemovedInUpdate() {
	clock := s.clock()
	sp := replicated("web", 0, api.RestartOnAny, "", &api.UpdateConfig{
		Parallelism: 1, Delay: 2 * time.Second, Monitor: duration(time.Second), Order: api.UpdateConfig_START_FIRST,
	})
	sp.Mode = &api.ServiceSpec_Global{Global: &api.GlobalService{}}
	web, nodes := s.put(sp), s.Agents+s.Managers
	s.settle(web, nodes, 30*time.Second)
	s.edit(web, "image", func(sp *api.ServiceSpec) { sp.Task.GetContainer().Image = "sim:two" })
	time.Sleep(time.Second)
	if !wait(10*time.Second, func() bool {
		n, i := s.worker()
		if n == nil || !slices.ContainsFunc(s.tasksOf(web), func(t *api.Task) bool {
			return t.NodeID == n.ID && t.DesiredState == api.TaskStateRunning && t.Spec.GetContainer().Image == "sim:one"
		}) {
			return false
		}
		s.agent("stop", i)
		s.again("rmnode", func() error { return s.removeNode(n.ID, true) })
		return true
	}) {
		fail("the update was over before a node could be removed")
	}
	s.tick(clock, 30)
	s.settle(web, nodes-1, 3*time.Second)
}

// updateAgain updates a global service whose tasks have completed. It sends the same spec
// again, and then changes nodes that the update has yet to reach.
func (s *sim) updateAgain() {
	sp := replicated("web", 0, api.RestartOnNone, "run=300", &api.UpdateConfig{Parallelism: 1, Delay: time.Second, Monitor: duration(time.Second)})
	sp.Mode = &api.ServiceSpec_Global{Global: &api.GlobalService{}}
	web := s.put(sp)
	s.expect("completed tasks", func() bool {
		list := s.tasksOf(web)
		return len(list) == s.Agents+s.Managers && !slices.ContainsFunc(list, func(t *api.Task) bool { return t.DesiredState != api.TaskStateShutdown })
	})
	s.edit(web, "image", func(sp *api.ServiceSpec) {
		sp.Task.Runtime = &api.TaskSpec_Container{Container: &api.ContainerSpec{Image: "sim:two"}}
	})
	time.Sleep(500 * time.Millisecond)
	s.edit(web, "again", func(*api.ServiceSpec) {})
	for range 3 {
		s.label()
	}
	time.Sleep(time.Duration(s.Agents+s.Managers) * 1500 * time.Millisecond)
}

// big makes one large service after the other. With several managers, all grow, and the
// leader changes meanwhile. Another recording begins then.
func (s *sim) big() {
	var ids []string
	for i := range s.Services {
		ids = append(ids, s.put(replicated(fmt.Sprint("big", i), s.MaxReplicas, api.RestartOnAny, "prep=10&start=10", nil)))
		s.settle(ids[i], s.MaxReplicas, 3*time.Minute)
	}
	if s.Unplaced > 0 {
		sp := replicated("unplaced", s.Unplaced, api.RestartOnAny, "", nil)
		sp.Task.Placement = &api.Placement{Constraints: []string{"node.labels.zone==nowhere"}}
		id := s.put(sp)
		s.expect("unplaced tasks", func() bool {
			list := s.tasksOf(id)
			return len(list) == s.Unplaced && !slices.ContainsFunc(list, func(t *api.Task) bool { return t.Status.State != api.TaskStatePending })
		})
	}
	if len(s.managers) > 1 {
		for _, id := range ids {
			s.scale(id, s.MaxReplicas+s.MaxReplicas/10)
		}
		s.passLead()
	}
	n, live := s.tasks()
	s.say("tasks %d live %d", n, live)
	s.beginLate()
	time.Sleep(2 * time.Second)
	s.scale(ids[0], s.MaxReplicas/2)
	s.settle(ids[0], s.MaxReplicas/2, time.Minute)
}

// job runs a large job, and runs it again: after its end, and before it.
func (s *sim) job() {
	n := s.MaxReplicas
	sp := replicated("job", 0, api.RestartOnFailure, "prep=100&start=100&run=1500", nil)
	sp.Mode = &api.ServiceSpec_ReplicatedJob{ReplicatedJob: &api.ReplicatedJob{MaxConcurrent: uint64(n), TotalCompletions: uint64(n)}}
	id := s.put(sp)
	for run, enough := range []int{n, n * 2 / 3, n} {
		if run > 0 {
			s.edit(id, "again", func(sp *api.ServiceSpec) { sp.Task.ForceUpdate++ })
		}
		s.ended(id, run, enough, 2*time.Minute)
	}
}

// rolling updates a service. The deploy gate waits for that.
func (s *sim) rolling() {
	n := s.MaxReplicas
	web := s.put(replicated("web", n, api.RestartOnAny, "prep=50&start=50&stop=100",
		&api.UpdateConfig{Parallelism: 20, Monitor: duration(time.Second), Order: api.UpdateConfig_STOP_FIRST}))
	s.settle(web, n, 2*time.Minute)
	s.edit(web, "image", func(sp *api.ServiceSpec) { sp.Task.GetContainer().Image = "sim:two" })
	if s.Tracecheck != "" {
		t := time.Now()
		err := s.tool("converge.log", "converge", "--no-progress", "--swarm", s.managers[0].socket(), "--service", "web", "--timeout", "3m", "--stable", "3s").Wait()
		s.say("converge: %v after %v", err, time.Since(t))
	}
	s.settle(web, n, time.Minute)
}

// restarts stops or kills the manager that is recorded, and starts it again, while the
// swarm changes: before, meanwhile and after.
func (s *sim) restarts() {
	web := s.put(replicated("web", s.MaxReplicas, api.RestartOnAny, "stop=300", nil))
	s.settle(web, s.MaxReplicas, time.Minute)
	i := len(s.managers) - 1
	for round := range 4 {
		s.change(web, 3)
		s.say("manager %d", i)
		p := s.managers[i].proc()
		if round%2 == 0 {
			p.tell("stop")
		} else {
			p.signal(syscall.SIGKILL)
		}
		<-p.gone
		s.change(web, 8)
		must(s.startManager(i, "", ""))
		s.change(web, 12)
		<-s.managers[i].proc().ready
		s.count("restart", nil)
	}
	s.scale(web, s.MaxReplicas)
	s.settle(web, s.MaxReplicas, time.Minute)
}

// change scales a service so many times, and changes the history limit.
func (s *sim) change(id string, times int) {
	for range times {
		s.scale(id, 1+s.n(s.MaxReplicas))
		time.Sleep(time.Duration(s.n(1000)) * time.Millisecond)
	}
	s.setLimit(int64(1 + s.n(5)))
}

// beginLate begins the second recording, once.
func (s *sim) beginLate() {
	if s.late != nil {
		s.late()
	}
}
