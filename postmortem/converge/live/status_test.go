package live

import (
	"testing"
	"time"

	"tracecheck/ingest/swarm"
	"tracecheck/postmortem/converge"
)

func TestStatus(t *testing.T) {
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
	if got := status(gate); got != "waiting: web 0/2" {
		t.Errorf("the line is %q", got)
	}
}
