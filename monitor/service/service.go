// Package service runs a monitor by its configuration. It puts the parts together, reads
// the configuration again on SIGHUP, and notifies systemd.
package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.uber.org/zap"

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/monitor/config"
	"tracecheck/monitor/web"
	"tracecheck/validators"
)

// service runs a monitor with the settings.
type service struct {
	*config.Settings
	version   string
	gcPercent int // as in monitor.Options
}

// errReload ends a run, so that another one begins with a new configuration.
var errReload = errors.New("the configuration is read again")

// endTime bounds the work at the end of a run, such as the delivery of the last alerts.
const endTime = 10 * time.Second

// Run runs monitors until ctx ends. It starts a new one after each reload of the
// configuration.
func Run(ctx context.Context, env console.Environment, args []string, version string, gcPercent int) error {
	first, err := config.Load(env, env.Specs, args)
	if err != nil {
		return err
	}
	s := &service{first, version, gcPercent}
	if s.DryRun {
		text, err := s.Given.Print()
		if err == nil {
			_, err = env.Stdout.Write(text)
		}
		return err
	}
	ctx, cancel := flagvalue.Limited(ctx, s.Duration)
	defer cancel()
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	defer signal.Stop(reload)
	for {
		next := s
		err := func() error {
			run, end := context.WithCancelCause(ctx)
			defer end(nil)
			go func() {
				for {
					select {
					case <-reload:
						if next = reloaded(env, args, s); next != s {
							end(errReload)
							return
						}
					case <-run.Done():
						return
					}
				}
			}()
			return runOnce(run, env, s)
		}()
		if err != nil || ctx.Err() != nil || next == s {
			return err
		}
		s = next
	}
}

// yields checks that the next settings can resume from the checkpoints of s. If s had
// --start-over, it has started over by now.
func (s *service) yields(next *service) error {
	next.StartOver = next.StartOver && !s.Given.StartOver
	is, will := s.Judging.Settings(), next.Judging.Settings()
	if is != will && !next.StartOver && s.checkpointInterval() > 0 && s.Checkpoint == next.Checkpoint && s.CheckpointTopic == next.CheckpointTopic {
		return fmt.Errorf("the checkpoints were made under other settings (%s): end the monitor, and start it again with --start-over", validators.Unlike(is, will))
	}
	return nil
}

// reloaded reads the settings again. If they have a fault, it returns the old ones.
func reloaded(env console.Environment, args []string, s *service) *service {
	log := console.NewServiceLogger(env.Stderr, s.Verbose, s.LogFormat)
	settings, err := config.Load(env, env.Specs, args)
	next := &service{settings, s.version, s.gcPercent}
	if err == nil {
		err = s.yields(next)
	}
	if err != nil {
		log.Error("the new configuration is refused: the monitor keeps the old one", zap.Error(err))
		return s
	}
	log.Info("the configuration is read again")
	return next
}

// runOnce runs one monitor until ctx ends.
func runOnce(ctx context.Context, env console.Environment, s *service) error {
	log := console.NewServiceLogger(env.Stderr, s.Verbose, s.LogFormat)
	a, err := s.assemble(ctx, env, log)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil // ended while waiting for a broker
	case err != nil:
		return err
	}
	defer a.close()
	serving, stop := context.WithCancel(context.WithoutCancel(ctx)) // the page is served until the end
	defer stop()
	var served chan error
	if s.Listen != "" {
		l, err := web.Listen(ctx, s.Listen, s.Given.ListenRemote)
		if err != nil {
			return s.Given.Fault("listen", "%w; name another address, or %s", err, flagvalue.None)
		}
		log.Info("the page is at " + s.Access.Scheme() + "://" + shownAddress(l))
		served = make(chan error, 1)
		go func() {
			served <- s.Access.Serve(serving, l, web.Handler(a.monitor, web.Options{
				Hosts: s.Hosts, Interval: s.checkpointInterval(), Specs: s.judgingSpecs(), Log: log,
				Acknowledge: a.monitor, ReadOnly: s.readOnly(l),
			}), log)
		}()
	}
	systemd := notifier{log}
	systemd.ready("judging " + s.reads())
	go systemd.watchdog(serving, func() bool { return a.monitor.IsAlive(time.Now()) })
	notified := make(chan struct{})
	cancelNotice := context.AfterFunc(ctx, func() {
		defer close(notified)
		if errors.Is(context.Cause(ctx), errReload) {
			systemd.reloading()
		} else {
			what := "stopping on request"
			if s.checkpointInterval() > 0 {
				what += ": saving a last checkpoint"
			}
			log.Info(what)
			systemd.stopping("saving")
		}
	})
	defer func() {
		if !cancelNotice() {
			<-notified
		}
	}()
	err = a.monitor.Run(ctx)
	stop()
	if served != nil {
		if e := <-served; e != nil {
			log.Warn("the web page failed", zap.Error(e))
		}
	}
	return err
}

// readOnly returns why the page refuses acknowledgements, "" if it accepts them. Requests
// from other machines need a login.
func (s *service) readOnly(l net.Listener) string {
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && tcp.IP.IsLoopback() || s.Access.Login {
		return ""
	}
	return "This page is open to other machines without a login, so nothing can be acknowledged here. Add a login with web-config."
}

// shownAddress returns the listener's address for a browser on this machine.
func shownAddress(l net.Listener) string {
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return l.Addr().String()
}
