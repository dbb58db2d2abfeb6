package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// happened checks that a play has done what it is for: by its recording where that shows
// it, and by what the play saw of the swarm.
var happened = map[string]func(*testing.T, string, recording, stats){
	"features": func(t *testing.T, _ string, list recording, done stats) {
		for _, what := range []string{
			"tasks on a network", "tasks on two networks", "attached containers", "detached containers",
			"tasks with a volume", "volume published on nodes", "tasks off the drained volume",
			"first secret and config", "tasks of the second secret",
			"follower demoted and promoted", "leader demoted and promoted",
		} {
			if done[what] == 0 {
				t.Errorf("the play did not see: %s", what)
			}
		}
		limits := map[any]bool{}
		for _, e := range list {
			if e.Kind == "meta" {
				constants, _ := e.Object["constants"].(map[string]any)
				limits[constants["max_terminated"]] = true
			}
		}
		atLeast(t, "history limits", len(limits), 5)
		attached := list.ids(func(e *event) bool { return e.Op == "create" && e.Object["service"] == "" })
		atLeast(t, "containers attached to a network", len(attached), 3)
		atLeast(t, "of them running", len(list.ids(func(e *event) bool { return attached[e.ID] && e.text("state") == "running" })), 3)
		atLeast(t, "of them gone", len(list.ids(func(e *event) bool { return attached[e.ID] && e.Op == "delete" })), 3)
		atLeast(t, "tasks of a drained volume", len(list.ids(func(e *event) bool { return e.Object["volume_drained"] == true })), 1)
		demoted := list.ids(func(e *event) bool { return e.Op == "update" && e.text("role") == "worker" })
		atLeast(t, "managers demoted", len(demoted), 2)
		atLeast(t, "of them promoted", len(list.ids(func(e *event) bool { return e.Op == "update" && demoted[e.ID] && e.text("role") == "manager" })), 2)
		if !list.leaderChanged(0, len(list)+1) {
			t.Error("the leader did not change")
		}
	},
	"big": func(t *testing.T, dir string, _ recording, _ stats) {
		list, err := readRecording(filepath.Join(dir, lateFile))
		if err != nil {
			t.Fatal(err)
		}
		tasks := list.ids(func(e *event) bool { return e.Kind == "task" && e.Op == "snapshot" })
		atLeast(t, "tasks in the snapshot", len(tasks), 10_000)
	},
	"rmnode": func(t *testing.T, dir string, _ recording, _ stats) {
		list, err := readRecording(filepath.Join(dir, lateFile))
		if err != nil {
			t.Fatal(err)
		}
		nodes := list.ids(func(e *event) bool { return e.Kind == "node" })
		orphans := list.ids(func(e *event) bool {
			return e.Kind == "task" && e.Op == "snapshot" && e.text("node") != "" && !nodes[e.text("node")]
		})
		atLeast(t, "tasks of the snapshot on a removed node", len(orphans), 1)
		atLeast(t, "of them deleted", len(list.ids(func(e *event) bool { return orphans[e.ID] && e.Op == "delete" })), len(orphans))
	},
	"restarts": func(t *testing.T, dir string, _ recording, done stats) {
		atLeast(t, "restarts", done["restart"], 4)
		said, err := os.ReadFile(filepath.Join(dir, "record.err"))
		if err != nil {
			t.Fatal(err)
		}
		atLeast(t, "restarts that the recording went over", strings.Count(string(said), "the recording resumes without a gap"), 4)
	},
	"chaos": func(t *testing.T, _ string, list recording, done stats) {
		atLeast(t, "managers killed, stopped or frozen", done["kill"]+done["stopmanager"]+done["freezemanager"], 1)
		atLeast(t, "events", len(list), 1000)
	},
}

func atLeast(t *testing.T, what string, got, want int) {
	t.Helper()
	if got < want {
		t.Errorf("%s: %d, want at least %d", what, got, want)
	}
}
