package swarm

import (
	"context"
	"crypto/tls"
	"errors"
	"math"
	"time"

	"github.com/moby/swarmkit/v2/api"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// manager is a connection to one.
type manager struct {
	conn    *grpc.ClientConn
	control api.ControlClient
	watch   api.WatchClient
	answer  time.Duration
}

// dial does not wait for the connection: the first call does.
func dial(socket string, answer time.Duration) (*manager, error) {
	// The file's permissions say who may speak here. The certificate is the
	// manager's own, of an authority that nobody outside the swarm knows.
	creds := credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(creds),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32))) // all tasks are one message
	if err != nil {
		return nil, err
	}
	return &manager{conn, api.NewControlClient(conn), api.NewWatchClient(conn), answer}, nil
}

func (m *manager) close() { m.conn.Close() } // nothing is under way that could be lost

var errNoCluster = errors.New("the manager knows no cluster yet")

func (m *manager) cluster(ctx context.Context) (*api.Cluster, error) {
	ctx, cancel := context.WithTimeout(ctx, m.answer)
	defer cancel()
	r, err := m.control.ListClusters(ctx, &api.ListClustersRequest{})
	if err != nil {
		return nil, err
	}
	if len(r.Clusters) == 0 {
		return nil, errNoCluster
	}
	return r.Clusters[0], nil
}

func historyLimit(c *api.Cluster) int64 { return c.Spec.Orchestration.TaskHistoryRetentionLimit }

// list is what the manager lists, which is of several moments. With the changes
// since a watch began before, they all come to the same one: gather. An id is
// never used again, so it does no harm that a list already shows some of these.
// All that was committed before version is shown.
func (m *manager) list(ctx context.Context) (c cut, version uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.answer)
	defer cancel()
	tasks, err := m.control.ListTasks(ctx, &api.ListTasksRequest{})
	if err != nil {
		return nil, 0, err
	}
	services, err := m.control.ListServices(ctx, &api.ListServicesRequest{})
	if err != nil {
		return nil, 0, err
	}
	nodes, err := m.control.ListNodes(ctx, &api.ListNodesRequest{})
	if err != nil {
		return nil, 0, err
	}
	c = make(cut, len(tasks.Tasks)+len(services.Services)+len(nodes.Nodes))
	for _, t := range tasks.Tasks {
		c[keyOf(t)] = t
	}
	version = c.version() // the later lists may be of a later one
	for _, s := range services.Services {
		c[keyOf(s)] = s
	}
	for _, n := range nodes.Nodes {
		c[keyOf(n)] = n
	}
	return c, version, nil
}
