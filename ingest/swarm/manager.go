package swarm

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/wire"
)

// manager is a connection to a manager, whose service speaks gRPC.
type manager struct {
	http   *http.Client
	answer time.Duration
}

// dial does not connect: the first call does. The connection ends with ctx.
func dial(ctx context.Context, socket string, answer time.Duration) *manager {
	connect := func(calling context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		plain, err := dialer.DialContext(calling, "unix", socket)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { plain.Close() }) // nothing can be lost
		// The file's permissions protect the socket. The manager's certificate is
		// of the swarm's own authority.
		conn := tls.Client(plain, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		if err := conn.HandshakeContext(calling); err != nil {
			plain.Close()
			return nil, fmt.Errorf("%w: %w", errHandshake, err)
		}
		return conn, nil
	}
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	return &manager{&http.Client{Transport: &http.Transport{Protocols: &protocols, DialTLSContext: connect}}, answer}
}

// list returns the objects that the method lists.
func list[M any](ctx context.Context, m *manager, method string) ([]*M, error) {
	c, err := invoke[wire.List[M]](ctx, m, method, nil)
	if err != nil {
		return nil, err
	}
	reply, err := c.next()
	if err == nil {
		_, err = c.next()
	}
	if !errors.Is(err, io.EOF) {
		return nil, cmp.Or(err, errors.New("there are several replies to "+method))
	}
	if reply == nil {
		return nil, fmt.Errorf("no reply to %s: %w", method, io.ErrUnexpectedEOF)
	}
	return reply.Objects, nil
}

var (
	errNoCluster = errors.New("the manager has no cluster object yet")
	errHandshake = errors.New("the TLS handshake failed")
)

func (m *manager) cluster(ctx context.Context) (*wire.Cluster, error) {
	ctx, cancel := context.WithTimeout(ctx, m.answer)
	defer cancel()
	clusters, err := list[wire.Cluster](ctx, m, wire.ListClusters)
	if err != nil {
		return nil, err
	}
	if len(clusters) == 0 {
		return nil, errNoCluster
	}
	return clusters[0], nil
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
	objects, err := list[M](ctx, m, method)
	if err != nil {
		return err
	}
	for _, o := range objects {
		c[object.KeyOf(P(o))] = P(o)
	}
	return nil
}
