package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/moby/swarmkit/v2/agent/exec"
	"github.com/moby/swarmkit/v2/api"
)

// controller plays a container. The variable SIM of its environment says how, as a query
// such as prep=20&code=0.5. In milliseconds, each ± 70 %, are how long the pull (prep),
// the start and the stop take, and how long the container runs (run; 0: for ever). The
// others are chances from 0 to 1:
//
//	reject    the image does not exist
//	temp      the pull fails, and may be tried again
//	fail      the start fails
//	code      the exit code is not 0
//	noctl     no controller can be made
//	stopfail  the stop fails
//	die       the container has died with its worker
type controller struct {
	e     *executor
	task  *api.Task
	needs exec.DependencyGetter // what the task may read
	q     url.Values
	stop  chan struct{}
	once  sync.Once
	found bool // it ran before the worker was restarted
}

type exitError int

func (e exitError) Error() string { return fmt.Sprintf("task: non-zero exit (%d)", int(e)) }
func (e exitError) ExitCode() int { return int(e) }

func (c *controller) num(name string, absent float64) float64 {
	if f, err := strconv.ParseFloat(c.q.Get(name), 64); err == nil {
		return f
	}
	return absent
}

func (c *controller) happens(name string) bool { return c.e.float() < c.num(name, 0) }

// sleep takes what the environment says, or 20 ms.
func (c *controller) sleep(ctx context.Context, name string) error {
	d := time.Duration(c.num(name, 20) * (0.3 + 1.4*c.e.float()) * float64(time.Millisecond))
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *controller) Update(context.Context, *api.Task) error { return nil }

func (c *controller) Prepare(ctx context.Context) error {
	if err := c.sleep(ctx, "prep"); err != nil {
		return err
	}
	if c.happens("reject") {
		return errors.New("the image does not exist")
	}
	if c.happens("temp") {
		return exec.MakeTemporary(errors.New("registry busy"))
	}
	return c.gather(ctx)
}

// gather reads the task's secrets and configs, and waits for its volumes.
func (c *controller) gather(ctx context.Context) error {
	container := c.task.Spec.GetContainer()
	if container == nil {
		return nil
	}
	for _, r := range container.Secrets {
		if _, err := c.needs.Secrets().Get(r.SecretID); err != nil {
			return err
		}
	}
	for _, r := range container.Configs {
		if _, err := c.needs.Configs().Get(r.ConfigID); err != nil {
			return err
		}
	}
	for _, v := range c.task.Volumes {
		for {
			path, err := c.needs.Volumes().Get(v.ID)
			if err == nil && path != "" {
				break
			}
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

func (c *controller) Start(ctx context.Context) error {
	if err := c.sleep(ctx, "start"); err != nil {
		return err
	}
	if c.happens("fail") {
		return exitError(127)
	}
	return nil
}

func (c *controller) Wait(ctx context.Context) error {
	if c.found && c.e.float() < c.num("die", 0.5) {
		return exitError(255)
	}
	var end <-chan time.Time // never, unless it ends by itself
	if run := c.num("run", 0); run > 0 {
		end = time.After(time.Duration(run * (0.1 + 1.8*c.e.float()) * float64(time.Millisecond)))
	}
	select {
	case <-end:
		if c.happens("code") {
			return exitError(1)
		}
		return nil
	case <-c.stop:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *controller) Shutdown(ctx context.Context) error {
	if err := c.sleep(ctx, "stop"); err != nil {
		return err
	}
	if c.happens("stopfail") {
		return errors.New("the container does not stop")
	}
	return c.Close()
}

func (c *controller) Terminate(ctx context.Context) error { return c.Shutdown(ctx) }
func (c *controller) Remove(context.Context) error        { return nil }

func (c *controller) Close() error {
	c.once.Do(func() { close(c.stop) })
	return nil
}
