// Package swarmtest is a swarm manager for tests: its control socket speaks the
// real protocol, over TLS, and a test controls its store.
package swarmtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/moby/swarmkit/v2/api"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// Manager has a store and a log, as much of one as a recording sees.
type Manager struct {
	Socket string

	t      *testing.T
	cert   tls.Certificate
	server *grpc.Server

	mu       sync.Mutex
	settings Settings
	index    uint64 // of the last entry of the log
	objects  map[Key]api.StoreObject
	listed   map[Key]api.StoreObject // what the lists show; nil: objects
	log      []commit
	kept     uint64 // resuming from before it fails
	watchers map[chan commit]bool
	behind   bool   // the lists are the leader's, the watches its own
	known    uint64 // of one behind: the log as far as it knows it
	applied  uint64 // of one behind: as far as its watches have come
	limitAt  uint64 // the version of the cluster's object
}

// Settings are how a manager behaves.
type Settings struct {
	ClusterID    string
	HistoryLimit int64
	Follower     bool              // live messages have no version
	Repeat       bool              // a resumed watch repeats one change
	Starting     bool              // every watch is refused
	OnList       func(kind string) // called before a list is made
}

// New starts a manager with the node n1 in its store, and stops it with the test.
func New(t *testing.T) *Manager {
	t.Helper()
	dir, err := os.MkdirTemp("", "swarm") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	m := &Manager{
		Socket: filepath.Join(dir, "control.sock"), t: t, cert: Certificate(t), index: 10,
		settings: Settings{ClusterID: "cluster1", HistoryLimit: 5},
		objects:  map[Key]api.StoreObject{}, watchers: map[chan commit]bool{},
	}
	m.Commit(Create(Node("n1", api.NodeStatus_READY)))
	m.Start()
	t.Cleanup(m.Stop)
	return m
}

// Certificate is a self-signed certificate.
func Certificate(t *testing.T) tls.Certificate {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}
}

// Start makes the manager listen again after Stop.
func (m *Manager) Start() {
	m.t.Helper()
	l, err := net.Listen("unix", m.Socket)
	if err != nil {
		m.t.Fatal(err)
	}
	m.server = grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(&m.cert)))
	api.RegisterControlServer(m.server, control{m: m})
	api.RegisterWatchServer(m.server, watch{m})
	go m.server.Serve(l) // ends with Stop
}

// Stop ends all connections and removes the socket. The store stays.
func (m *Manager) Stop() { m.server.Stop() }

// Set changes how the manager behaves from now on.
func (m *Manager) Set(change func(*Settings)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.settings)
}

func (m *Manager) now() Settings {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.settings
}
