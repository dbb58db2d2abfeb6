package command

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/postmortem/converge"
)

// withWeb is a manager with a service of one task in that state.
func withWeb(t *testing.T, state api.TaskState) (*swarmtest.Manager, *api.Task) {
	m := swarmtest.New(t)
	task := swarmtest.Task("t1", "web", 1, state)
	task.NodeID = "n1"
	m.Commit(swarmtest.Create(swarmtest.Service("web", 1)), swarmtest.Create(task))
	return m, task
}

// settled is how long after the lists everything is a change, also on a busy
// machine. The recorder itself waits for 300 ms.
const settled = 2 * time.Second

// whenListed is closed when the manager has been asked for its tasks, and for
// nothing any more since.
func whenListed(m *swarmtest.Manager) <-chan struct{} {
	var tasks atomic.Bool
	listed := make(chan struct{})
	over := time.AfterFunc(time.Hour, sync.OnceFunc(func() { close(listed) }))
	m.Set(func(s *swarmtest.Settings) {
		s.OnList = func(kind string) {
			if kind == "task" {
				tasks.Store(true)
			}
			if tasks.Load() {
				over.Reset(settled)
			}
		}
	})
	return listed
}

// await runs converge on the live swarm, and does something meanwhile.
func await(t *testing.T, m *swarmtest.Manager, meanwhile func(cancel func()), args ...string) (int, converge.Result, string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	listed, over, done := whenListed(m), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-listed:
			if meanwhile != nil {
				meanwhile(cancel)
			}
		case <-over: // on a slow machine the command may end before
		}
	}()
	all := append([]string{"converge", "--swarm", m.Socket, "--service", "name-web", "-o", "json"}, args...)
	status, stdout, stderr := tryRun(ctx, nil, all...)
	close(over)
	<-done
	var r converge.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("exit status %d, %v: stdout %q, stderr %q", status, err, stdout, stderr)
	}
	return status, r, stderr
}

func TestConvergeSwarm(t *testing.T) {
	t.Parallel()
	m, _ := withWeb(t, api.TaskStateRunning)
	begin := time.Now()
	status, r, stderr := await(t, m, nil, "--stable", "1s")
	if status != 0 || r.Verdict != converge.Converged || !r.Services[0].Converged || stderr != "" {
		t.Errorf("exit status %d, %+v, stderr %s", status, r, stderr)
	}
	if took := time.Since(begin); took < time.Second {
		t.Errorf("stable for 1s after %v", took)
	}
}

func TestConvergeSwarmLater(t *testing.T) {
	t.Parallel()
	m, task := withWeb(t, api.TaskStatePreparing)
	var ran time.Time
	status, r, _ := await(t, m, func(func()) {
		ran = time.Now()
		task.Status.State = api.TaskStateRunning
		m.Commit(swarmtest.Update(task))
	}, "--stable", "1s")
	if status != 0 || r.At.Sub(ran) < time.Second {
		t.Errorf("exit status %d, ran at %v: %+v", status, ran, r)
	}
}

func TestConvergeSwarmFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		meanwhile func(m *swarmtest.Manager, task *api.Task, cancel func())
		args      []string
		status    int
		cause     converge.Cause
	}{
		{
			name: "rollback", status: 1, cause: converge.CauseRollback,
			meanwhile: func(m *swarmtest.Manager, _ *api.Task, _ func()) {
				s := swarmtest.Service("web", 1)
				s.UpdateStatus = &api.UpdateStatus{State: api.UpdateStatus_ROLLBACK_STARTED, Message: "update rolled back"}
				m.Commit(swarmtest.Update(s))
			},
		},
		{
			name: "removed", status: 1, cause: converge.CauseServiceGone,
			meanwhile: func(m *swarmtest.Manager, _ *api.Task, _ func()) {
				m.Commit(swarmtest.Remove(swarmtest.Service("web", 1)))
			},
		},
		{
			name: "crash", status: 1, cause: converge.CauseCrashLoop, args: []string{"--max-failures", "1"},
			meanwhile: func(m *swarmtest.Manager, task *api.Task, _ func()) {
				for range 2 {
					task.Status = api.TaskStatus{State: api.TaskStateFailed, Err: "task: non-zero exit (1)"}
					m.Commit(swarmtest.Update(task))
					task.Status = api.TaskStatus{State: api.TaskStateRunning}
					m.Commit(swarmtest.Update(task))
				}
			},
		},
		{
			name: "timeout", status: 1, cause: converge.CauseTimeout, args: []string{"--stable", "7900ms", "--timeout", "8s"},
			meanwhile: func(m *swarmtest.Manager, task *api.Task, _ func()) {
				task.Status.State = api.TaskStateFailed
				m.Commit(swarmtest.Update(task))
			},
		},
		{name: "no such service", status: 3, cause: converge.CauseUnknown, args: []string{"--service", "nosuch"}},
		{
			name: "interrupted", status: 3, cause: converge.CauseInterrupted,
			meanwhile: func(_ *swarmtest.Manager, _ *api.Task, cancel func()) { cancel() },
		},
		{
			// Silence is no news when the manager is away.
			name: "manager away", status: 3, cause: converge.CauseAway, args: []string{"--stable", "6s", "--timeout", "8s"},
			meanwhile: func(m *swarmtest.Manager, _ *api.Task, _ func()) { m.Stop() },
		},
		{
			name: "given up, manager away", status: 3, cause: converge.CauseAway,
			meanwhile: func(m *swarmtest.Manager, task *api.Task, _ func()) {
				task.Status.State = api.TaskStateFailed
				m.Commit(swarmtest.Update(task))
				task.DesiredState = api.TaskStateShutdown
				m.Commit(swarmtest.Update(task))
				time.Sleep(300 * time.Millisecond)
				m.Stop()
			},
		},
		{
			// Nor when the manager has not said what its lists have.
			name: "not listed", status: 1, cause: converge.CauseTimeout, args: []string{"--stable", "6s", "--timeout", "9s"},
			meanwhile: func(m *swarmtest.Manager, task *api.Task, _ func()) {
				task.Status.State = api.TaskStateFailed
				m.Unseen(swarmtest.Update(task))
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var status int
			var r converge.Result
			var stderr string
			// On a slow machine the command may end before meanwhile, or see the swarm only after
			// it. Such a run says nothing, so it is repeated.
			for range 5 {
				m, task := withWeb(t, api.TaskStateRunning)
				did := test.meanwhile == nil
				status, r, stderr = await(t, m, func(cancel func()) {
					if !did {
						did = true
						test.meanwhile(m, task, cancel)
					}
				}, append([]string{"--stable", "20s"}, test.args...)...)
				if did && (r.Cause != converge.CauseUnknown || test.cause == r.Cause) {
					break
				}
			}
			if status != test.status || r.Cause != test.cause {
				t.Errorf("exit status %d, %+v, stderr %s", status, r, stderr)
			}
		})
	}
}

// An interrupted reading tells nothing.
func TestConvergeInterruptedReading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, stdout, _ := tryRun(ctx, nil, "converge", "--service", "web", "testdata/traces/legal.jsonl")
	if status != 3 || !strings.HasPrefix(stdout, "CANNOT TELL  interrupted") {
		t.Errorf("exit status %d, stdout %s", status, stdout)
	}
}
