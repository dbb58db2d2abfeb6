package main

import (
	"fmt"
	"time"

	"github.com/moby/swarmkit/v2/api"
)

// wanted says how many tasks of the service are wanted, and how many of these run.
func (s *sim) wanted(id string) (want, run int) {
	for _, t := range s.tasksOf(id) {
		if t.DesiredState <= api.TaskStateRunning {
			want++
			if t.Status.State == api.TaskStateRunning {
				run++
			}
		}
	}
	return want, run
}

// settle waits until n tasks run, at most for d.
func (s *sim) settle(id string, n int, d time.Duration) {
	ok := wait(d, func() bool {
		want, run := s.wanted(id)
		return run == n && want == n
	})
	want, run := s.wanted(id)
	s.say("aim %d: wanted %d running %d: %t", n, want, run, ok)
}

// settleAll waits until each service has what it asks for, and no update is running.
func (s *sim) settleAll() {
	if waits := s.unsettled(45 * time.Second); waits != "" {
		s.count("settle", fmt.Errorf("%s", waits))
	}
}

// unsettled waits like settleAll, and says what does not settle.
func (s *sim) unsettled(d time.Duration) (waits string) {
	wait(d, func() bool {
		waits = ""
		for _, sv := range s.services() {
			if u := sv.UpdateStatus; u != nil && (u.State == api.UpdateStatus_UPDATING || u.State == api.UpdateStatus_ROLLBACK_STARTED) {
				waits = sv.Spec.Annotations.Name + " is being updated"
			}
			if r := sv.Spec.GetReplicated(); r != nil {
				if want, run := s.wanted(sv.ID); run != int(r.Replicas) || want != run {
					waits = fmt.Sprintf("%s: %d wanted, %d run, of %d", sv.Spec.Annotations.Name, want, run, r.Replicas)
				}
			}
		}
		return waits == ""
	})
	return waits
}

// ended waits until a job has n complete tasks of its iteration k.
func (s *sim) ended(id string, k, n int, d time.Duration) {
	done := 0
	wait(d, func() bool {
		done = 0
		for _, t := range s.tasksOf(id) {
			if t.Status.State == api.TaskStateCompleted && t.JobIteration != nil && t.JobIteration.Index == uint64(k) {
				done++
			}
		}
		return done >= n
	})
	s.say("job run %d: %d of %d", k, done, n)
}

// tick changes a service's labels once a second, so that time passes in the recording.
func (s *sim) tick(id string, n int) {
	for i := range n {
		time.Sleep(time.Second)
		s.edit(id, "tick", func(sp *api.ServiceSpec) { sp.Annotations.Labels = map[string]string{"tick": fmt.Sprint(i)} })
	}
}

// worker is one that is ready and active, and its number; nil if there is none.
func (s *sim) worker() (*api.Node, int) {
	l := s.nodes()
	for _, i := range s.rng.Perm(len(l)) {
		n, k := l[i], 0
		if n.Description == nil || n.Role != api.NodeRoleWorker || n.Spec.DesiredRole != api.NodeRoleWorker ||
			n.Status.State != api.NodeStatus_READY || n.Spec.Availability != api.NodeAvailabilityActive {
			continue
		}
		if _, err := fmt.Sscanf(n.Description.Hostname, "w%d", &k); err == nil { // no manager that was demoted
			return n, k
		}
	}
	return nil, 0
}
