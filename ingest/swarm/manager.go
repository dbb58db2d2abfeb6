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

	"tracecheck/ingest/swarm/object"
)

// manager is a connection to a manager.
type manager struct {
	conn    *grpc.ClientConn
	control api.ControlClient
	watch   api.WatchClient
	answer  time.Duration
}

// dial does not connect: the first call does.
func dial(socket string, answer time.Duration) (*manager, error) {
	// The file's permissions protect the socket. The manager's certificate is
	// of the swarm's own authority.
	creds := credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(creds),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32))) // all tasks are one message
	if err != nil {
		return nil, err
	}
	return &manager{conn, api.NewControlClient(conn), api.NewWatchClient(conn), answer}, nil
}

func (m *manager) close() { m.conn.Close() } // nothing can be lost

var errNoCluster = errors.New("the manager has no cluster object yet")

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

// list returns the manager's lists, which are from different moments. gather
// brings them to the same moment by the changes since a watch began. Ids are
// never reused, so changes that a list already shows do no harm. The lists show
// every commit before version.
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
		c[object.KeyOf(t)] = t
	}
	version = c.version() // later lists may be newer
	for _, s := range services.Services {
		c[object.KeyOf(s)] = s
	}
	for _, n := range nodes.Nodes {
		c[object.KeyOf(n)] = n
	}
	return c, version, nil
}
