package swarm

import (
	"context"
	"crypto/tls"
	"errors"
	"math"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/wire"
)

// manager is a connection to a manager.
type manager struct {
	conn   *grpc.ClientConn
	answer time.Duration
}

// dial does not connect: the first call does.
func dial(socket string, answer time.Duration) (*manager, error) {
	// The file's permissions protect the socket. The manager's certificate is
	// of the swarm's own authority.
	creds := credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(creds),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(wire.Codec{}), grpc.MaxCallRecvMsgSize(math.MaxInt32))) // all tasks are one message
	if err != nil {
		return nil, err
	}
	return &manager{conn, answer}, nil
}

func (m *manager) close() { m.conn.Close() } // nothing can be lost

var errNoCluster = errors.New("the manager has no cluster object yet")

func (m *manager) cluster(ctx context.Context) (*wire.Cluster, error) {
	ctx, cancel := context.WithTimeout(ctx, m.answer)
	defer cancel()
	var r wire.List[wire.Cluster]
	if err := m.conn.Invoke(ctx, wire.ListClusters, wire.Request(nil), &r); err != nil {
		return nil, err
	}
	if len(r.Objects) == 0 {
		return nil, errNoCluster
	}
	return r.Objects[0], nil
}

func historyLimit(c *wire.Cluster) int64 { return c.Spec.Orchestration.TaskHistoryRetentionLimit }

// list returns the manager's lists, which are from different moments. gather
// brings them to the same moment by the changes since a watch began. Ids are
// never reused, so changes that a list already shows do no harm. The lists show
// every commit before version.
func (m *manager) list(ctx context.Context) (c cut, version uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.answer)
	defer cancel()
	c = cut{}
	if err := fill[wire.Task](ctx, m, wire.ListTasks, c); err != nil {
		return nil, 0, err
	}
	version = c.version() // later lists may be newer
	if err := fill[wire.Service](ctx, m, wire.ListServices, c); err != nil {
		return nil, 0, err
	}
	if err := fill[wire.Node](ctx, m, wire.ListNodes, c); err != nil {
		return nil, 0, err
	}
	return c, version, nil
}

// fill adds the objects that the method lists.
func fill[M any, P interface {
	*M
	wire.Object
}](ctx context.Context, m *manager, method string, c cut) error {
	var r wire.List[M]
	if err := m.conn.Invoke(ctx, method, wire.Request(nil), &r); err != nil {
		return err
	}
	for _, o := range r.Objects {
		c[object.KeyOf(P(o))] = P(o)
	}
	return nil
}
