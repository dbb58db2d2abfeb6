package specs_test

import (
	"encoding/json"
	"fmt"

	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

// recorder is what an orchestrator under test tells its changes. It judges them
// as they come.
type recorder struct {
	runner *validators.Runner
	line   int
}

// newRecorder judges by SwarmKit, in a cluster of one node.
func newRecorder() (*recorder, error) {
	runner, err := validators.NewRunner(validators.Options{Specs: specs.All(), Select: []string{"swarmkit"}})
	if err != nil {
		return nil, err
	}
	r := &recorder{runner: runner}
	return r, r.tell("node", "snapshot", "n1", fields{"state": "up"})
}

type fields map[string]any

// tell records one change, a step of its own. An error is one of the event, not
// of the orchestrator.
func (r *recorder) tell(kind, op, id string, object fields) error {
	raw, err := json.Marshal(map[string]any{"kind": kind, "op": op, "id": id, "object": object})
	if err != nil {
		return err
	}
	r.line++
	var decoder trace.Decoder
	var event trace.Event
	if err := decoder.Decode(raw, trace.Pos{File: "the test", Line: r.line}, &event); err != nil {
		return err
	}
	return r.runner.Push([]trace.Event{event})
}

// An orchestrator's own test feeds what it does, and fails with the explanation:
// here a task is told to run on a node before it was allocated.
func Example() {
	cluster, err := newRecorder()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tell := range []struct {
		kind, op, id string
		object       fields
	}{
		{"service", "create", "web", fields{"replicas": 1, "remove": false}},
		{"task", "create", "t1", fields{"service": "web", "slot": 1, "node": nil, "state": "new", "desired_state": "running"}},
		{"task", "update", "t1", fields{"state": "assigned", "node": "n1"}},
	} {
		if err := cluster.tell(tell.kind, tell.op, tell.id, tell.object); err != nil {
			fmt.Println(err)
			return
		}
	}
	// In a test: t.Error, and report.Text for all of it.
	for _, v := range cluster.runner.Finish().Violations {
		fmt.Printf("change %d breaks %s: %s\n", v.Line, v.Rule, v.Message)
		for _, near := range v.Nearest {
			fmt.Printf("%s by the %s: all but %d clauses hold\n", near.Action, near.Actor, len(near.Failed))
		}
	}

	// Output:
	// change 4 breaks Next: no action of SwarmKit explains this step: task t1 goes from new to assigned and moves from node unassigned to n1. Nearest is Scheduler, but not: State(t) = pending (State(t) = new)
	// Scheduler by the scheduler: all but 1 clauses hold
	// AllocateTask by the allocator: all but 1 clauses hold
	// ProgressTask by the agent: all but 3 clauses hold
	// RejectTask by the agent: all but 3 clauses hold
}
