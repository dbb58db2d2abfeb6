package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/moby/swarmkit/v2/api"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

const clock = "15:04:05.000" // of the logs

type manager struct {
	dir, listen string
	c           api.ControlClient
	off         bool // demoted for a while

	mu sync.Mutex
	p  *proc
}

func (m *manager) proc() *proc {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.p
}

func (m *manager) socket() string { return filepath.Join(m.dir, "control.sock") }

func (m *manager) dial() error {
	creds := credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}) // the control socket is local
	conn, err := grpc.NewClient("unix:"+m.socket(), grpc.WithTransportCredentials(creds),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
	if err != nil {
		return err
	}
	m.c = api.NewControlClient(conn)
	return nil
}

type sim struct {
	options
	dir      string
	rng      *rand.Rand
	managers []*manager
	racks    []*proc // of agents
	tools    []*exec.Cmd
	token    string // of workers
	join     string // the managers' addresses
	log      *os.File
	mu       sync.Mutex
	stats    stats
	down     map[int]time.Time // workers that were stopped, since when
	late     func()            // begins the second recording
	names    int
}

// stats counts what was done, by name. What failed has a name with "!".
type stats map[string]int

func (s stats) String() string {
	b, err := json.Marshal(map[string]int(s))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// failure is why a play cannot continue.
type failure struct{ err error }

// must ends the play if there is an error.
func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func fail(format string, a ...any) { must(fmt.Errorf(format, a...)) }

func (s *sim) say(format string, a ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.log, "%s %s\n", time.Now().UTC().Format(clock), fmt.Sprintf(format, a...))
}

// count notes that op was done, or why not.
func (s *sim) count(op string, err error) {
	if err != nil {
		s.say("%s: %v", op, err)
		op += "!"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats[op]++
}

// call is a request to a manager, with a time limit.
func call[Q, R any](f func(context.Context, Q, ...grpc.CallOption) (R, error), request Q) (R, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return f(ctx, request)
}

// c is a manager that runs.
func (s *sim) c() api.ControlClient {
	for range 600 {
		for _, i := range s.rng.Perm(len(s.managers)) {
			if m := s.managers[i]; m.c != nil && !m.off && !m.proc().ended() {
				return m.c
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	fail("no manager runs")
	return nil
}

// last is the manager that is recorded. Plays that are quiet leave it alone.
func (s *sim) last() *manager { return s.managers[len(s.managers)-1] }

func (s *sim) f() float64              { return s.rng.Float64() }
func (s *sim) n(n int) int             { return s.rng.Intn(n) }
func (s *sim) between(a, b int) string { return fmt.Sprint(a + s.n(b-a+1)) }
func pick[T any](s *sim, l ...T) T     { return l[s.n(len(l))] }

// agent sends a command to the process that has worker i.
func (s *sim) agent(op string, i int, args ...any) {
	s.racks[i/s.PerProc].tell(append([]any{op, i}, args...)...)
}

// wait asks every 200 ms whether it is done, at most for d.
func wait(d time.Duration, done func() bool) bool {
	for t := time.Now(); time.Since(t) < d; time.Sleep(200 * time.Millisecond) {
		if done() {
			return true
		}
	}
	return done()
}

func (s *sim) startManager(i int, join, token string) error {
	m := s.managers[i]
	p, err := s.spawn(fmt.Sprintf("manager%d.log", i), managerCommand, "-dir", m.dir, "-listen", m.listen,
		"-join", join, "-token", token, "-host", fmt.Sprint("m", i))
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.p = p
	m.mu.Unlock()
	return nil
}

// leader is the number of the manager that leads, -1 if none is known.
func (s *sim) leader() int {
	for _, nd := range s.nodes() {
		if nd.ManagerStatus != nil && nd.ManagerStatus.Leader {
			for i, m := range s.managers {
				if m.listen == nd.ManagerStatus.Addr {
					return i
				}
			}
		}
	}
	return -1
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
