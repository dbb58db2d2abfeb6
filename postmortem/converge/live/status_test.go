package live

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tracecheck/ingest/swarm"
	"tracecheck/postmortem/converge"
)

func TestStatusLine(t *testing.T) {
	gate, err := converge.New(converge.Options{Services: []string{"web"}, Stable: time.Minute, Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	lines := swarm.NewEvents("test")
	events, err := lines.Decode([]byte(`{"time":"2026-01-01T00:00:00Z","kind":"service","op":"create","id":"s1","object":{"name":"web","replicas":2}}` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := gate.Push(events); err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	line := newStatusLine(&screen)
	line.set(gate)
	line.set(gate)
	if got := screen.String(); strings.Count(got, "waiting: web 0/2") != 1 {
		t.Errorf("the screen has %q", got)
	}
	line.clear()
	if !strings.HasSuffix(screen.String(), "\r\x1b[K") {
		t.Errorf("the screen has %q", screen.String())
	}
	if got := cutTo("waiting", 4); got != "wai…" {
		t.Errorf("cut to %q", got)
	}
}
