package swarm

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/moby/swarmkit/v2/api"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"tracecheck/ingest/swarm/swarmtest"
)

// leaderless is a manager whose swarm has lost its majority.
type leaderless struct{ api.ControlServer }

func (leaderless) ListClusters(context.Context, *api.ListClustersRequest) (*api.ListClustersResponse, error) {
	return nil, status.Error(codes.Unknown, "The swarm does not have a leader.")
}

// empty is a manager that is only starting.
type empty struct{ api.ControlServer }

func (empty) ListClusters(context.Context, *api.ListClustersRequest) (*api.ListClustersResponse, error) {
	return &api.ListClustersResponse{}, nil
}

// silent never answers. It refuses a deadline, since it may reach that before
// the caller does.
type silent struct{ api.ControlServer }

func (silent) ListClusters(ctx context.Context, _ *api.ListClustersRequest) (*api.ListClustersResponse, error) {
	if _, limited := ctx.Deadline(); limited {
		return nil, status.Error(codes.InvalidArgument, "the call has a deadline")
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "swarm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	at := func(name string) string { return filepath.Join(dir, name) }
	listen := func(name string) net.Listener {
		l, err := net.Listen("unix", at(name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	cert := swarmtest.Certificate(t)
	serve := func(name string, register func(*grpc.Server)) {
		s := grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(&cert)))
		register(s)
		go s.Serve(listen(name))
		t.Cleanup(s.Stop)
	}
	if err := os.WriteFile(at("file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dead := listen("dead").(*net.UnixListener)
	dead.SetUnlinkOnClose(false)
	dead.Close()
	talks := listen("other")
	go func() {
		for {
			c, err := talks.Accept()
			if err != nil {
				return
			}
			c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			c.Close()
		}
	}()
	serve("nothing", func(*grpc.Server) {})
	serve("leaderless", func(s *grpc.Server) { api.RegisterControlServer(s, leaderless{}) })
	serve("empty", func(s *grpc.Server) { api.RegisterControlServer(s, empty{}) })
	serve("silent", func(s *grpc.Server) { api.RegisterControlServer(s, silent{}) })

	for name, want := range map[string]string{
		"missing":    "run this on a swarm manager",
		"file":       "is not a socket",
		"dead":       "no process listens",
		"other":      "is not a swarm manager's control socket (the TLS handshake failed",
		"nothing":    "is not a swarm manager's control socket",
		"leaderless": "(The swarm does not have a leader.): check that",
		"empty":      "try again",
		"silent":     "does not answer",
	} {
		pace := quick
		if name == "silent" {
			pace.answer = time.Second
		}
		_, err := Open(t.Context(), Options{Socket: at(name), pace: pace})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), at(name)) {
			t.Errorf("%s: error %v, want one that names the socket and states %q", name, err, want)
		}
	}
}

func TestPermissionDenied(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may open everything")
	}
	f := swarmtest.New(t)
	if err := os.Chmod(f.Socket, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Socket: f.Socket, pace: quick}); err == nil || !strings.Contains(err.Error(), "as root") {
		t.Errorf("error %v, want one that states what to do", err)
	}
}
