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

// service is a monitor that is run as its settings say.
type service struct {
	*config.Settings
	version   string
	gcPercent int // as in monitor.Options
}

// errReload ends a run that is to begin anew, with another configuration.
var errReload = errors.New("the configuration is read again")

// endTime bounds what is done at the end of a run, such as telling the last
// alerts.
const endTime = 10 * time.Second

// Run runs monitors until ctx ends, a new one each time the configuration
// is read again.
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

// yields checks that the next settings can go on from the checkpoints of these,
// which have started over if they were told to.
func (s *service) yields(next *service) error {
	next.StartOver = next.StartOver && !s.Given.StartOver
	is, will := s.Judging.Settings(), next.Judging.Settings()
	if is != will && !next.StartOver && s.checkpointInterval() > 0 && s.Checkpoint == next.Checkpoint && s.CheckpointTopic == next.CheckpointTopic {
		return fmt.Errorf("the checkpoints were made under other settings (%s): end the monitor, and start it again with --start-over", validators.Unlike(is, will))
	}
	return nil
}

// reloaded returns the settings anew; the ones that there are, where the new
// ones have a fault.
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
		return nil // it was ended while it waited for a broker
	case err != nil:
		return err
	}
	defer a.close()
	serving, stop := context.WithCancel(context.WithoutCancel(ctx)) // the page shows the end, too
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
	tell := notifier{log}
	tell.ready("judging " + s.reads())
	go tell.watchdog(serving, func() bool { return a.monitor.IsAlive(time.Now()) })
	notified := make(chan struct{})
	cancelNotice := context.AfterFunc(ctx, func() {
		defer close(notified)
		if errors.Is(context.Cause(ctx), errReload) {
			tell.reloading()
		} else {
			log.Info("stopping on request; the state is saved")
			tell.stopping("saving")
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
			log.Warn("the page", zap.Error(e))
		}
	}
	return err
}

// readOnly says why the page acknowledges nothing; "": it does. Other machines need a login.
func (s *service) readOnly(l net.Listener) string {
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && tcp.IP.IsLoopback() || s.Access.Login {
		return ""
	}
	return "This page is open to other machines without a login, so nothing can be acknowledged here. Add a login with web-config."
}

// shownAddress is where a browser on this machine finds the listener.
func shownAddress(l net.Listener) string {
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return l.Addr().String()
}
