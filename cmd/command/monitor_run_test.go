package command

import (
	"bytes"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/monitor/config"
	"tracecheck/specs"
)

// An address that another process listens on is reported with its flag, and what else
// there is.
func TestMonitorAddressInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	status, _, stderr := tryRun(t.Context(), nil, "monitor", "--follow", filepath.Join(t.TempDir(), "a"), "--no-checkpoint",
		"--listen", l.Addr().String(), "--duration", "1m")
	if status != statusUsage || !strings.Contains(stderr, "--listen: cannot serve the monitor's page: ") || !strings.HasSuffix(stderr, "; name another address, or none\n") {
		t.Errorf("exit status %d\n%s", status, stderr)
	}
}

// A run logs that it stops, whether it saves a checkpoint, and whether it had one.
func TestMonitorTellsItsEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := filepath.Join(dir, "state.db")
	args := []string{"monitor", "--follow", filepath.Join("testdata", "traces", "legal.jsonl"), "--checkpoint", state, "--listen", flagvalue.None, "--duration", "5s"}
	for i, want := range []string{"judging from the start: there is no checkpoint", `"from": "`} {
		status, _, stderr := tryRun(t.Context(), nil, args...)
		if status != 0 || !strings.Contains(stderr, want) || !strings.Contains(stderr, "stopping on request: saving a last checkpoint\n") {
			t.Errorf("run %d: exit status %d\n%s", i, status, stderr)
		}
	}
	status, _, stderr := tryRun(t.Context(), nil, "monitor", "--follow", args[2], "--no-checkpoint", "--listen", flagvalue.None, "--duration", "1s")
	if status != 0 || !strings.Contains(stderr, "stopping on request\n") {
		t.Errorf("without checkpoints: exit status %d\n%s", status, stderr)
	}
}

// Who begins in the middle without --attach is warned.
func TestMonitorWarnsOfTheMiddle(t *testing.T) {
	for flags, want := range map[string]bool{"": false, "--from earliest": false, "--from 500": true, "--from 2026-11-20T10:00:00Z": true, "--from 500 --attach": false} {
		var log bytes.Buffer
		env := console.Environment{Stderr: &log, Getenv: func(string) string { return "" }}
		if _, err := config.Load(env, specs.All(), append([]string{"--kafka", "h:1", "--topic", "t", "--no-checkpoint"}, strings.Fields(flags)...)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "--attach"); got != want {
			t.Errorf("%q: logged %q", flags, log.String())
		}
	}
}

// Brokers that are away are waited for, also by who keeps checkpoints there; to be
// asked to end meanwhile is no fault.
func TestMonitorWaitsForBrokers(t *testing.T) {
	t.Parallel()
	status, _, stderr := tryRun(t.Context(), nil, "monitor", "--kafka", "127.0.0.1:1", "--topic", "t", "--group", "g", "--checkpoint-topic", "c",
		"--listen", flagvalue.None, "--duration", "3s")
	if status != 0 || !strings.Contains(stderr, "Kafka does not answer; waiting for it") {
		t.Errorf("exit status %d\n%s", status, stderr)
	}
}
