package swarmtest

import (
	"context"
	"errors"

	"github.com/moby/swarmkit/v2/api"
)

// control lists the objects.
type control struct {
	api.ControlServer // for what no recording asks for
	m                 *Manager
}

func (c control) ListClusters(context.Context, *api.ListClustersRequest) (*api.ListClustersResponse, error) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	cluster := c.m.settings.cluster()
	cluster.Meta.Version.Index = c.m.limitAt
	return &api.ListClustersResponse{Clusters: []*api.Cluster{cluster}}, nil
}

func (s Settings) cluster() *api.Cluster {
	cluster := &api.Cluster{ID: s.ClusterID}
	cluster.Spec.Orchestration.TaskHistoryRetentionLimit = s.HistoryLimit
	return cluster
}

func (c control) ListNodes(context.Context, *api.ListNodesRequest) (*api.ListNodesResponse, error) {
	return &api.ListNodesResponse{Nodes: list[*api.Node](c.m, "node")}, nil
}

func (c control) ListServices(context.Context, *api.ListServicesRequest) (*api.ListServicesResponse, error) {
	return &api.ListServicesResponse{Services: list[*api.Service](c.m, "service")}, nil
}

func (c control) ListTasks(context.Context, *api.ListTasksRequest) (*api.ListTasksResponse, error) {
	return &api.ListTasksResponse{Tasks: list[*api.Task](c.m, "task")}, nil
}

func list[T api.StoreObject](m *Manager, kind string) []T {
	if on := m.now().OnList; on != nil {
		on(kind)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	objects := m.objects
	if m.listed != nil {
		objects = m.listed
	}
	var all []T
	for key, o := range objects {
		if key.Kind == kind {
			all = append(all, o.(T))
		}
	}
	return all
}

// watch reports the changes.
type watch struct{ m *Manager }

// room is the buffer of a watch, in changes.
const room = 100_000

func (w watch) Watch(request *api.WatchRequest, out api.Watch_WatchServer) error {
	backlog, live, err := w.m.subscribe(request.ResumeFrom)
	if err != nil {
		return err
	}
	defer w.m.unsubscribe(live)
	if err := out.Send(&api.WatchMessage{}); err != nil {
		return err
	}
	for _, c := range backlog { // the log knows the versions
		if err := out.Send(&api.WatchMessage{Events: c.events, Version: &api.Version{Index: c.index}}); err != nil {
			return err
		}
	}
	for {
		select {
		case c := <-live:
			msg := &api.WatchMessage{Events: c.events}
			if !w.m.now().Follower {
				msg.Version = &api.Version{Index: c.index}
			}
			if err := out.Send(msg); err != nil {
				return err
			}
		case <-out.Context().Done():
			return out.Context().Err()
		}
	}
}

// subscribe fails as a manager does, with errors that have no code.
func (m *Manager) subscribe(from *api.Version) (backlog []commit, live chan commit, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.settings.Starting {
		return nil, nil, errors.New("broker is not running")
	}
	last := m.index
	if m.behind {
		last = m.known
	}
	if from != nil {
		switch {
		case from.Index > last:
			return nil, nil, errors.New("versions are out of order")
		case from.Index < m.kept:
			return nil, nil, errors.New("requested index is unavailable due to compaction")
		}
		for _, c := range m.log {
			if len(c.events) == 0 || c.index > last {
				continue
			}
			if c.index > from.Index || m.settings.Repeat && c.index == from.Index {
				backlog = append(backlog, c)
			}
		}
	}
	live = make(chan commit, room)
	m.watchers[live] = true
	return backlog, live, nil
}

func (m *Manager) unsubscribe(live chan commit) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.watchers, live)
}
