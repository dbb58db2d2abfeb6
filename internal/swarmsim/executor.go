package main

import (
	"context"
	"errors"
	"math/rand"
	"net/url"
	"strings"
	"sync"

	"github.com/moby/swarmkit/v2/agent"
	"github.com/moby/swarmkit/v2/agent/exec"
	"github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/node/plugin"
)

// executor plays a container engine. It keeps secrets, configs and volumes as dockerd's
// does.
type executor struct {
	exec.DependencyManager
	host string
	mu   sync.Mutex
	rng  *rand.Rand
}

func newExecutor(host string, plugins plugin.Getter, rng *rand.Rand) *executor {
	return &executor{DependencyManager: agent.NewDependencyManager(plugins), host: host, rng: rng}
}

// Describe reports the overlay plugin as dockerd does: without it, tasks with published
// ports are never placed.
func (e *executor) Describe(ctx context.Context) (*api.NodeDescription, error) {
	volumes, err := e.Volumes().Plugins().NodeInfo(ctx)
	return &api.NodeDescription{
		Hostname:  e.host,
		Platform:  &api.Platform{Architecture: "x86_64", OS: "linux"},
		Resources: &api.Resources{NanoCPUs: 16e9, MemoryBytes: 64 << 30},
		Engine: &api.EngineDescription{
			EngineVersion: "sim",
			Plugins:       []api.PluginDescription{{Type: "Network", Name: "overlay"}, {Type: "Volume", Name: volumeDriver}},
		},
		CSIInfo: volumes,
	}, err
}

func (e *executor) Configure(context.Context, *api.Node) error         { return nil }
func (e *executor) SetNetworkBootstrapKeys([]*api.EncryptionKey) error { return nil }

func (e *executor) float() float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.rng.Float64()
}

// Controller plays the task's container, as its environment says.
func (e *executor) Controller(t *api.Task) (exec.Controller, error) {
	c := &controller{e: e, task: t, needs: agent.Restrict(e, t), stop: make(chan struct{}), q: url.Values{}}
	if container := t.Spec.GetContainer(); container != nil {
		for _, v := range container.Env {
			if text, ok := strings.CutPrefix(v, "SIM="); ok {
				var err error
				if c.q, err = url.ParseQuery(text); err != nil {
					return nil, err
				}
			}
		}
	}
	if e.float() < c.num("noctl", 0) {
		return nil, errors.New("no controller")
	}
	// The node was restarted: the container may have died with it.
	c.found = t.Status.State >= api.TaskStateStarting
	return c, nil
}
