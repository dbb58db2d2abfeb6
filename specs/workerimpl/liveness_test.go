package workerimpl

import (
	"encoding/json"
	"slices"
	"testing"

	"tracecheck/validators/validatorstest"
)

// TestProgress: the disjuncts of AgentProgress and WS!AgentProgress, where
// WS!ProgressTask and WS!WorkerUp go by the module's own names.
func TestProgress(t *testing.T) {
	want := map[string][]string{
		"WF_vars(AgentProgress)":      {"ProgressTask", "OrphanTasks", "WorkerUp", "ShutdownComplete", "SyncWithManager"},
		"WF_wsVars(WS!AgentProgress)": {"ProgressTask", "WS!ShutdownComplete", "WS!OrphanTasks", "WorkerUp"},
	}
	for i := range Spec.Temporal {
		p := &Spec.Temporal[i]
		if got := Spec.Progress(p); !slices.Equal(got, want[p.Name]) {
			t.Errorf("%s asks for %v, want %v", p.Name, got, want[p.Name])
		}
	}
}

// TestWhatWaitsIsEnabled: the worker of TLC's graph is named from the start, by
// a container that nothing is owed to.
func TestWhatWaitsIsEnabled(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	g.Meta.Constants = nil // the module has none
	done := []validatorstest.Object{
		{Kind: "task", ID: "done", Object: json.RawMessage(`{"service":"other","slot":1,"node":"n1","state":"complete","desired_state":"running"}`)},
		{Kind: "container", ID: "done", Object: json.RawMessage(`{"node":"n1","state":"complete"}`)},
	}
	for state := range g.States {
		addWorkerSpec(t, g, state)
		g.States[state] = append(g.States[state], done...)
	}
	validatorstest.CheckEnabled(t, Spec, g, nil)
}

// addWorkerSpec adds to the actions that leave the state those of WorkerSpec,
// which the labels do not tell: they look at tasks and nodes only, and Impl need
// not have a step that is theirs.
func addWorkerSpec(t *testing.T, g *validatorstest.Graph, state int) {
	t.Helper()
	up := map[string]bool{}
	enabled := map[string]bool{}
	for _, o := range g.States[state] { // nodes come first
		var v struct {
			Node, State string
			Desired     string `json:"desired_state"`
		}
		if err := json.Unmarshal(o.Object, &v); err != nil {
			t.Fatal(err)
		}
		running := v.State == "running"
		switch o.Kind {
		case "node":
			up[o.ID] = v.State == "up"
		case "task":
			if running && (v.Desired == "shutdown" || v.Desired == "remove") && up[v.Node] {
				enabled["WS!ShutdownComplete"] = true
			}
			if owned := []string{"assigned", "accepted", "preparing", "ready", "starting", "running"}; !up[v.Node] && slices.Contains(owned, v.State) {
				enabled["WS!OrphanTasks"] = true
			}
		}
	}
	if g.Edges[state] == nil {
		g.Edges[state] = map[int][]string{}
	}
	for action := range enabled {
		g.Edges[state][state] = append(g.Edges[state][state], action)
	}
}
