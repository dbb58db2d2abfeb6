//go:build unix

package command

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/monitor/checkpoint/local"
	"tracecheck/monitor/checkpoint/show"
)

// A monitor's checkpoints are verified, shown and backed up while it runs, and
// another one goes on from the backup.
func TestCheckpointCommand(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	service := func(stream, id string) string {
		return `{"stream":"` + stream + `","kind":"service","op":"create","id":"` + id + `","object":{"replicas":0,"remove":false}}`
	}
	d.add(service("a", "x"), service("a", "x"), service("b", "x"))
	p := d.follow()
	d.caughtUp(p)
	state := d.path("state")
	var all show.Checkpoints
	d.wait("a checkpoint of all", func() bool {
		all = show.Checkpoints{}
		status, stdout, stderr := tryRun(t.Context(), nil, "checkpoint", "show", state, "--output", "json", "--streams")
		if status != 0 {
			t.Fatalf("show: exit status %d: %s%s", status, stdout, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), &all); err != nil {
			t.Fatal(err)
		}
		return len(all.Parts) == 1 && all.Parts[0].Last != nil && all.Parts[0].Last.Events == 3 && len(all.Parts[0].Last.Pending) == 0
	})
	last := all.Parts[0].Last
	if last.Streams != 2 || len(last.Sizes) != 2 || last.Violations != 1 || len(last.ByRule) != 1 || last.Saved.IsZero() ||
		!strings.Contains(last.Settings, "swarmkit") || last.Position == "" || last.StateBytes == 0 {
		t.Errorf("it shows %+v", last)
	}
	for range 20 {
		if status, stdout, stderr := tryRun(t.Context(), nil, "checkpoint", "verify", state); status != 0 || !strings.Contains(stdout, "1 part: no damage") {
			t.Fatalf("verify: exit status %d: %s%s", status, stdout, stderr)
		}
	}
	if status, stdout, _ := tryRun(t.Context(), nil, "checkpoint", "show", state); status != 0 || !strings.Contains(stdout, "2, with states of") || strings.Contains(stdout, "profile ;") {
		t.Errorf("show: exit status %d: %s", status, stdout)
	}
	backup := d.path("backup")
	if status, _, stderr := tryRun(t.Context(), nil, "checkpoint", "backup", state, backup); status != 0 {
		t.Fatalf("backup: exit status %d: %s", status, stderr)
	}
	d.kill(p)
	d.add(service("b", "x"))
	p = d.follow("--checkpoint", backup)
	d.caughtUp(p)
	d.stop(p)
	got := d.alerts("alerts")
	slices.Sort(got)
	if want := []string{"violation a 2", "violation b 4"}; !slices.Equal(slices.Compact(got), want) {
		t.Errorf("alerted %q, want %q", got, want)
	}

	for _, name := range []string{backup, backup + local.OtherSuffix} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data[:5000], 0o600); err != nil {
			t.Fatal(err)
		}
		status, stdout, _ := tryRun(t.Context(), nil, "checkpoint", "verify", backup)
		if status != 3 || !strings.Contains(stdout, "DAMAGED: "+name+" is damaged") {
			t.Errorf("verify of a damaged file: exit status %d: %s", status, stdout)
		}
	}
	if status, _, stderr := tryRun(t.Context(), nil, "checkpoint", "backup", backup, d.path("nothing")); status != 3 || !strings.Contains(stderr, backup+" is damaged") {
		t.Errorf("backup of damaged files: exit status %d: %s", status, stderr)
	}
	p = d.follow("--checkpoint", backup)
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatalf("it goes on: %s", p.stderr.String())
	}
	if !strings.Contains(p.stderr.String(), "--start-over") || !strings.Contains(p.stderr.String(), local.OtherSuffix+" is damaged") {
		t.Errorf("it does not say what is damaged, and what to do: %s", p.stderr.String())
	}
	p = d.follow("--checkpoint", backup, "--start-over")
	d.caughtUp(p)
	d.stop(p)
	for _, args := range [][]string{
		{"checkpoint"}, {"checkpoint", "verify"}, {"checkpoint", "backup", state}, {"checkpoint", "backup", state, state}, {"checkpoint", "mend", state},
		{"checkpoint", "verify", "--streams", state}, {"checkpoint", "backup", "-o", "json", state, "x"}, {"checkpoint", "show", d.path("none")},
	} {
		if status, _, stderr := tryRun(t.Context(), nil, args...); status != 2 {
			t.Errorf("%q: exit status %d: %s", args, status, stderr)
		}
	}
}
