package main

import (
	"fmt"
	"time"

	"github.com/moby/swarmkit/v2/api"
)

func (s *sim) services() []*api.Service {
	r, err := call(s.c().ListServices, &api.ListServicesRequest{})
	if err != nil {
		s.count("list services", err)
		return nil
	}
	return r.Services
}

func (s *sim) nodes() []*api.Node {
	r, err := call(s.c().ListNodes, &api.ListNodesRequest{})
	if err != nil {
		s.count("list nodes", err)
		return nil
	}
	return r.Nodes
}

// tasks is how many there are, and how many of them have not ended; -1 if that is not
// known.
func (s *sim) tasks() (n, live int) {
	r, err := call(s.c().ListTasks, &api.ListTasksRequest{})
	if err != nil {
		return -1, -1
	}
	for _, t := range r.Tasks {
		if t.Status.State <= api.TaskStateRunning {
			live++
		}
	}
	return len(r.Tasks), live
}

// tasksOf are a service's, nil if they are not known.
func (s *sim) tasksOf(service string) []*api.Task {
	r, err := call(s.c().ListTasks, &api.ListTasksRequest{Filters: &api.ListTasksRequest_Filters{ServiceIDs: []string{service}}})
	if err != nil {
		s.count("list tasks", err)
		return nil
	}
	return r.Tasks
}

// again repeats a request until it succeeds. A change of leader, or of the object, may
// refuse it.
func (s *sim) again(what string, f func() error) {
	var err error
	for range 30 {
		err = f()
		s.count(what, err)
		if err == nil {
			return
		}
		time.Sleep(400 * time.Millisecond)
	}
	fail("%s: %w", what, err)
}

// put creates a service, and returns its ID.
func (s *sim) put(sp *api.ServiceSpec) (id string) {
	s.again("create", func() error {
		r, err := call(s.c().CreateService, &api.CreateServiceRequest{Spec: sp})
		if err == nil {
			id = r.Service.ID
		}
		return err
	})
	return id
}

// edit changes a service's spec.
func (s *sim) edit(id, what string, f func(*api.ServiceSpec)) {
	s.again(what, func() error {
		r, err := call(s.c().GetService, &api.GetServiceRequest{ServiceID: id})
		if err != nil {
			return err
		}
		sp := r.Service.Spec.Copy()
		f(sp)
		_, err = call(s.c().UpdateService, &api.UpdateServiceRequest{ServiceID: id, ServiceVersion: &r.Service.Meta.Version, Spec: sp})
		return err
	})
}

func (s *sim) scale(id string, n int) {
	s.edit(id, fmt.Sprint("scale to ", n), func(sp *api.ServiceSpec) { sp.GetReplicated().Replicas = uint64(n) })
}

// editNode changes a node's spec.
func (s *sim) editNode(what, id string, f func(*api.NodeSpec)) {
	s.again(what, func() error {
		r, err := call(s.c().GetNode, &api.GetNodeRequest{NodeID: id})
		if err != nil {
			return err
		}
		sp := r.Node.Spec.Copy()
		f(sp)
		_, err = call(s.c().UpdateNode, &api.UpdateNodeRequest{NodeID: id, NodeVersion: &r.Node.Meta.Version, Spec: sp})
		return err
	})
}

func (s *sim) removeNode(id string, force bool) error {
	_, err := call(s.c().RemoveNode, &api.RemoveNodeRequest{NodeID: id, Force: force})
	return err
}

func (s *sim) setCluster(f func(*api.ClusterSpec)) error {
	r, err := call(s.c().ListClusters, &api.ListClustersRequest{})
	if err != nil {
		return err
	}
	cl := r.Clusters[0]
	f(&cl.Spec)
	_, err = call(s.c().UpdateCluster, &api.UpdateClusterRequest{ClusterID: cl.ID, ClusterVersion: &cl.Meta.Version, Spec: &cl.Spec})
	return err
}

func (s *sim) setLimit(n int64) {
	s.say("history limit %d", n)
	s.again("limit", func() error {
		return s.setCluster(func(c *api.ClusterSpec) { c.Orchestration.TaskHistoryRetentionLimit = n })
	})
}
