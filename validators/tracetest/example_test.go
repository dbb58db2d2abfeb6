package tracetest_test

import (
	"fmt"
	"strings"
	"testing"

	"tracecheck/specs/swarmkit"
	"tracecheck/validators/tracetest"
)

// task is a task in the orchestrator under test.
type task struct {
	Service string  `json:"service"`
	Slot    int     `json:"slot"`
	Node    *string `json:"node"`
	State   string  `json:"state"`
	Desired string  `json:"desired_state"`
}

func testOrchestrator(t testing.TB) {
	cluster := tracetest.New(t, swarmkit.Spec)
	cluster.Snapshot("node", "n1", map[string]any{"state": "up"})

	cluster.Create("service", "web", map[string]any{"replicas": 1, "remove": false})
	cluster.Create("task", "t1", task{Service: "web", Slot: 1, State: "new", Desired: "running"})
	cluster.Update("task", "t1", map[string]any{"state": "assigned", "node": "n1"})
}

// A task runs on a node before it was allocated: the test fails.
func Example() {
	t := &printing{}
	testOrchestrator(t)
	t.end()
	// Output:
	// VIOLATION  swarmkit  TestOrchestrator:4
	//
	// 1. No action of swarmkit allows this step [transition Next]
	//    at TestOrchestrator:4
	//
	//    no action of SwarmKit explains this step: task t1 goes from new to assigned and moves from node
	//    unassigned to n1. Nearest is Scheduler, but not: State(t) = pending (State(t) = new)
	//
	//    The step
	//      4  {"kind":"task","op":"update","id":"t1","object":{"node":"n1","state":"assigned"},"source":"example_test.go:27"}
}

// printing is a test that prints the beginning of what it fails with.
type printing struct {
	testing.TB
	cleanup []func()
}

func (p *printing) Name() string     { return "TestOrchestrator" }
func (p *printing) Helper()          {}
func (p *printing) Cleanup(f func()) { p.cleanup = append(p.cleanup, f) }

func (p *printing) Errorf(format string, args ...any) {
	text, _, _ := strings.Cut(fmt.Sprintf(format, args...), "\n\n   Before and after")
	fmt.Println(text)
}

func (p *printing) Fatalf(format string, args ...any) { p.Errorf(format, args...) }

func (p *printing) end() {
	for _, f := range p.cleanup {
		f()
	}
}
