package service

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"tracecheck/monitor/monitortest"
)

func TestNotify(t *testing.T) {
	next := monitortest.SystemdSocket(t)
	n := notifier{zap.NewNop()}
	for _, c := range []struct {
		send func()
		want string // a regular expression
	}{
		{func() { n.ready("judging kafka:events") }, "READY=1\nSTATUS=judging kafka:events"},
		{func() { n.stopping("a stream\nREADY=1 is\tits name") }, "STOPPING=1\nSTATUS=a stream READY=1 is its name"},
		{n.reloading, "RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]+\n?"},
		{func() { n.stopping("writing checkpoints") }, "STOPPING=1\nSTATUS=writing checkpoints"},
	} {
		c.send()
		if got := next(); !regexp.MustCompile("^" + c.want + "$").MatchString(got) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// The watchdog is fed once for each time that the service states that it lives.
func TestWatchdog(t *testing.T) {
	next := monitortest.SystemdSocket(t)
	t.Setenv("WATCHDOG_USEC", "2000")
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	core, logs := observer.New(zap.ErrorLevel)
	n := notifier{zap.New(core)}
	ctx, cancel := context.WithCancel(t.Context())
	asked, lives := 0, 0
	n.watchdog(ctx, func() bool {
		if asked++; asked == 9 {
			cancel()
		}
		if asked%3 == 0 {
			return false
		}
		lives++
		return true
	})
	n.stopping("the end")
	for range lives {
		if got := next(); got != "WATCHDOG=1" {
			t.Fatalf("got %q, want WATCHDOG=1", got)
		}
	}
	if got := next(); got != "STOPPING=1\nSTATUS=the end" {
		t.Errorf("got %q: it was fed more often than the service lived", got)
	}
	if dead := asked - lives; logs.Len() != dead || dead < 3 {
		t.Errorf("%d errors are logged, want %d", logs.Len(), dead)
	}
}

// No one is notified if no one asked.
func TestNoWatchdog(t *testing.T) {
	for name, env := range map[string][2]string{
		"no watchdog": {"", ""}, "another's": {"2000", "1"}, "no number": {"often", ""}, "not positive": {"0", ""},
	} {
		t.Setenv("NOTIFY_SOCKET", "")
		t.Setenv("WATCHDOG_USEC", env[0])
		t.Setenv("WATCHDOG_PID", env[1])
		core, logs := observer.New(zap.WarnLevel)
		n := notifier{zap.New(core)}
		n.ready("judging")
		n.watchdog(t.Context(), func() bool {
			t.Error(name, ": it is asked whether it lives")
			return false
		})
		if bad := env[0] == "often" || env[0] == "0"; (logs.Len() > 0) != bad {
			t.Errorf("%s: %d warnings", name, logs.Len())
		}
	}
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "none"))
	core, logs := observer.New(zap.WarnLevel)
	notifier{zap.New(core)}.ready("judging")
	if logs.Len() != 1 {
		t.Errorf("%d warnings of a socket that is not there, want 1", logs.Len())
	}
}
