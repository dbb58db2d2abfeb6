package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
	"go.uber.org/zap"

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/monitor/web"
	"tracecheck/validators"
)

func monitorCommand(env environment, all []*validators.Spec) *cli.Command {
	return &cli.Command{
		Name:  "monitor",
		Usage: "judge live streams without end, and send alerts",
		Description: "Reads topics of Kafka (--kafka), files that grow (--follow) or a live swarm (--swarm),\n" +
			"keeps what it knows in checkpoints, sends alerts, and shows how it does on a web page.\n" +
			"SIGTERM saves and ends it, SIGHUP has it read its configuration again.\n\n" +
			"Exit status: 0 it was ended, 2 wrong usage or configuration, or it cannot go on.",
		Flags: newMonitorFlags(all).flags(),
		Action: func(c *cli.Context) error {
			// The flags are read again, with those of the configuration file.
			return runMonitor(c.Context, env, all, env.args[2:])
		},
	}
}

// errReload ends a run that is to begin anew, with another configuration.
var errReload = errors.New("the configuration is read again")

// endTime bounds what is done at the end of a run, such as telling the last
// alerts.
const endTime = 10 * time.Second

// runMonitor runs monitors until ctx ends, a new one each time the configuration
// is read again.
func runMonitor(ctx context.Context, env environment, all []*validators.Spec, args []string) error {
	s, err := loadMonitor(env, all, args)
	if err != nil {
		return err
	}
	if s.dryRun {
		text, err := s.given.effective()
		if err == nil {
			_, err = env.stdout.Write(text)
		}
		return err
	}
	ctx, cancel := limited(ctx, s.duration)
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
						if next = reloaded(env, all, args, s); next != s {
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
func (s *monitorSettings) yields(next *monitorSettings) error {
	next.startOver = next.startOver && !s.given.startOver
	is, will := s.judging.Settings(), next.judging.Settings()
	if is != will && !next.startOver && s.checkpointInterval() > 0 && s.checkpoint == next.checkpoint && s.checkpointTopic == next.checkpointTopic {
		return fmt.Errorf("the checkpoints were made under other settings (%s; now %s): end the monitor, and begin anew with --start-over", is, will)
	}
	return nil
}

// reloaded returns the settings anew; the ones that there are, where the new
// ones have a fault.
func reloaded(env environment, all []*validators.Spec, args []string, s *monitorSettings) *monitorSettings {
	log := console.NewServiceLogger(env.stderr, s.verbose, s.logFormat)
	next, err := loadMonitor(env, all, args)
	if err == nil {
		err = s.yields(next)
	}
	if err != nil {
		log.Error("the configuration is not taken: the monitor goes on with the one it has", zap.Error(err))
		return s
	}
	log.Info("the configuration is read again")
	return next
}

// runOnce runs one monitor until ctx ends.
func runOnce(ctx context.Context, env environment, s *monitorSettings) error {
	log := console.NewServiceLogger(env.stderr, s.verbose, s.logFormat)
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
	if s.listen != "" {
		l, err := web.Listen(ctx, s.listen, s.given.listenRemote)
		if err != nil {
			return s.given.fault("listen", "%w; name another address, or %s", err, flagvalue.None)
		}
		log.Info("the page is at " + s.access.Scheme() + "://" + shownAddress(l))
		served = make(chan error, 1)
		go func() {
			served <- s.access.Serve(serving, l, web.Handler(a.monitor, web.Options{
				Hosts: s.hosts, Interval: s.checkpointInterval(), Specs: s.judgingSpecs(), Log: log,
			}), log)
		}()
	}
	tell := notifier{log}
	tell.ready("judging " + s.reads())
	go tell.watchdog(serving, func() bool { return a.monitor.IsAlive(time.Now()) })
	told := make(chan struct{})
	untold := context.AfterFunc(ctx, func() {
		defer close(told)
		if errors.Is(context.Cause(ctx), errReload) {
			tell.reloading()
		} else {
			log.Info("ending, as told; what is known is saved")
			tell.stopping("saving")
		}
	})
	defer func() {
		if !untold() {
			<-told
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

// shownAddress is where a browser on this machine finds the listener.
func shownAddress(l net.Listener) string {
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return l.Addr().String()
}
