package service

import (
	"context"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"

	"tracecheck/report"
)

// notifier sends the state of the service to systemd (sd_notify), if systemd has started it
// with Type=notify. Otherwise it does nothing.
type notifier struct {
	log *zap.Logger
}

// ready reports that the service has started, or that the reload is complete.
func (n notifier) ready(status string) {
	n.send(daemon.SdNotifyReady, inOneLine(status))
}

// reloading reports that the configuration is read again. Call ready afterwards.
func (n notifier) reloading() {
	n.send(daemon.SdNotifyReloading, daemon.SdNotifyMonotonicUsec())
}

// stopping reports that the service has begun to stop.
func (n notifier) stopping(status string) {
	n.send(daemon.SdNotifyStopping, inOneLine(status))
}

// inOneLine puts the text on one line, since each line is a separate message.
func inOneLine(text string) string {
	return "STATUS=" + report.Clean(strings.Join(strings.Fields(text), " "))
}

func (n notifier) send(lines ...string) {
	if _, err := daemon.SdNotify(false, strings.Join(lines, "\n")); err != nil {
		n.log.Warn("cannot notify systemd", zap.Error(err))
	}
}

// watchdog notifies systemd twice in WatchdogSec while alive returns true. Without a
// notification, systemd restarts the service. It returns when ctx ends, or at once without
// WatchdogSec.
func (n notifier) watchdog(ctx context.Context, alive func() bool) {
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		n.log.Warn("cannot signal systemd's watchdog", zap.Error(err))
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
			n.log.Error("the monitor makes no progress: systemd's watchdog gets no signal")
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
