package service

import (
	"context"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"

	"tracecheck/report"
)

// notifier tells systemd how a service is doing (sd_notify), where systemd has
// started it with Type=notify; else it does nothing.
type notifier struct {
	log *zap.Logger
}

// ready: it has begun to work, or goes on to after reloading.
func (n notifier) ready(status string) {
	n.send(daemon.SdNotifyReady, inOneLine(status))
}

// reloading: the configuration is read again; ready is to follow.
func (n notifier) reloading() {
	n.send(daemon.SdNotifyReloading, daemon.SdNotifyMonotonicUsec())
}

// stopping: it has begun to end.
func (n notifier) stopping(status string) {
	n.send(daemon.SdNotifyStopping, inOneLine(status))
}

// status is what systemctl status shows.
func (n notifier) status(text string) {
	n.send(inOneLine(text))
}

// inOneLine keeps the text one line: each line is a message of its own.
func inOneLine(text string) string {
	return "STATUS=" + report.Clean(strings.Join(strings.Fields(text), " "))
}

func (n notifier) send(lines ...string) {
	if _, err := daemon.SdNotify(false, strings.Join(lines, "\n")); err != nil {
		n.log.Warn("cannot tell systemd", zap.Error(err))
	}
}

// watchdog says twice in WatchdogSec that the service lives, for as long as alive
// says so; when it is silent, systemd restarts the service. It returns when ctx
// ends, or at once where there is no WatchdogSec.
func (n notifier) watchdog(ctx context.Context, alive func() bool) {
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		n.log.Warn("systemd's watchdog cannot be fed", zap.Error(err))
	}
	if err != nil || interval == 0 {
		return
	}
	tick := time.NewTicker(max(interval/2, 1))
	defer tick.Stop()
	for {
		if alive() {
			n.send(daemon.SdNotifyWatchdog)
		} else {
			n.log.Error("the monitor does not get on: systemd's watchdog is not fed")
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
