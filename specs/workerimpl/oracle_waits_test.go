package workerimpl_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// oWait is that an action has been enabled for an object since a line. A wait
// goes on as long as its mark stays and, but for snapshots, which overlay, the
// Id of its task.
type oWait struct {
	since int
	oMark
}

type oMark struct {
	id, mark any
	stage    uint8 // rises when the action is taken
}

// enabled lists ENABLED of the progress actions by object and name, each with
// what its wait goes by.
func (s oState) enabled(workers map[int8]bool) map[string]oMark {
	all := map[string]oMark{}
	for i, t := range s.tasks {
		if !t.here {
			continue
		}
		is := oMark{[2]int8{int8(t.service), t.vslot()}, t.node, t.state}
		if s.up(t.node) {
			for _, p := range progressPairs {
				if t.state == st(p[0]) && st(p[1]) <= t.desired {
					all["task "+oIDs[i]+" ProgressTask"] = is
				}
			}
			if t.state == oRunning && (t.desired == oShutdown || t.desired == oRemove) {
				all["task "+oIDs[i]+" WS!ShutdownComplete"] = is
			}
		}
		if reported := !s.has(i, t.node) || s.conts[i].state == cComplete || s.conts[i].state == cFailed; reported &&
			workers[t.node] && s.up(t.node) && t.state == oRunning {
			all["task "+oIDs[i]+" SyncWithManager"] = is
		}
	}
	for i, c := range s.conts {
		t := s.tasks[i]
		dead := c.state == cComplete || c.state == cFailed
		switch {
		case !c.here:
		case c.state == cTerminating:
			all["container "+oIDs[i]+" ShutdownComplete"] = oMark{id: c.node}
		case s.up(c.node) && (!t.here || !dead && t.desired > oRunning):
			all["container "+oIDs[i]+" SyncWithManager"] = oMark{mark: c.node}
		}
	}
	for n, v := range s.nodes {
		if v == isDown {
			all["node "+oNodes[n]+" WorkerUp"] = oMark{}
		}
		for _, t := range s.tasks {
			if s.down(int8(n)) && t.here && t.node == int8(n) && t.state >= oAssigned && t.state <= oRunning {
				all["node "+oNodes[n]+" WS!OrphanTasks"] = oMark{}
				if workers[int8(n)] {
					all["node "+oNodes[n]+" OrphanTasks"] = oMark{}
				}
			}
		}
	}
	return all
}

// wait brings the waits up to the step, or run of snapshots, that ends at the
// line.
func (j *judging) wait(line int, snapshots bool) {
	waits := map[string]oWait{}
	for what, mark := range j.state.enabled(j.workers) {
		w, had := j.waits[what]
		if !had || w.mark != mark.mark || mark.stage > w.stage || !snapshots && w.id != mark.id {
			w.since = line
		}
		waits[what] = oWait{w.since, mark}
	}
	j.waits = waits
}

// TestWaitsAgreeWithOracle: at the end of traces that conform, what waits is
// what is enabled; of atomic steps, since when is reported, too.
func TestWaitsAgreeWithOracle(t *testing.T) {
	judged, waiting := 0, map[string]int{}
	for seed := range validatorstest.Seeds(t, 1500) {
		rng := rand.New(rand.NewPCG(9, seed))
		o := randomOpts(rng)
		if oracle.Chance(rng, 0.8) {
			o.mutations = 0
		}
		lines := genTrace(rng, o)
		if lines == nil {
			continue
		}
		got := run(t, lines)
		if got.verdict != validators.Conforming {
			continue
		}
		judged++
		j := judging{workers: map[int8]bool{}, asIs: true}
		j.judge(lines)
		want := map[string]int{}
		for what, w := range j.waits {
			want[what] = w.since
			waiting[what[strings.LastIndex(what, " ")+1:]]++
		}
		have := map[string]int{}
		for _, p := range got.result.Liveness {
			if p.Open > 0 != (p.Status == validators.AtRisk) || p.Open != len(p.Waiting) {
				t.Fatalf("%+v", p)
			}
			for _, w := range p.Waiting {
				have[w.Kind+" "+w.ID+" "+w.Action] = w.SinceLine
			}
		}
		if o.batched {
			for what := range want {
				want[what] = have[what] // since when, a sequence tells
			}
		}
		if !maps.Equal(have, want) {
			t.Fatalf("seed %d, %+v:\n%s\nwaiting are %v\nwant %v", seed, o, numbered(lines), have, want)
		}
	}
	t.Logf("%d traces, waiting %v", judged, waiting)
	for _, action := range []string{"ProgressTask", "OrphanTasks", "WorkerUp", "ShutdownComplete", "SyncWithManager", "WS!ShutdownComplete", "WS!OrphanTasks"} {
		if waiting[action] < judged/exhaustive.Or(100, 50) {
			t.Errorf("of %d traces, %d waits are for %s: too few to show anything", judged, waiting[action], action)
		}
	}
}

func numbered(lines []string) string {
	var text strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&text, "%d %s\n", i+1, line)
	}
	return text.String()
}

// TestLostWaits: what was shown before a gap waits no more.
func TestLostWaits(t *testing.T) {
	lines := []string{
		`{"seq":1,"kind":"node","op":"create","id":"n1","object":{"state":"up"}}`,
		`{"kind":"container","op":"snapshot","id":"c1","object":{"node":"n1","state":"terminating"}}`,
		`{"seq":5,"kind":"node","op":"create","id":"n2","object":{"state":"up"}}`,
		`{"seq":6,"kind":"node","op":"snapshot","id":"n3","object":{"state":"up"}}`,
	}
	got := runWith(t, lines, validators.Options{OnGap: trace.ResyncOnGap})
	for _, p := range got.result.Liveness {
		if p.Open > 0 {
			t.Errorf("%+v", p)
		}
	}
	if got.result.Gaps != 1 || len(got.result.Liveness) == 0 {
		t.Errorf("%+v", got.result)
	}
}
