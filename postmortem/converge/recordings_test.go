package converge

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tracecheck/trace"
)

// TestRecordings asks of real swarms what their users would have. What to
// expect is known from the commands that were given while they were recorded:
// a decision must come between the command that leads to it and the next one.
// Times are seconds since the recording's first event.
func TestRecordings(t *testing.T) {
	type ask struct {
		file     string
		services string
		since    float64
		stable   float64 // 0: 10 s
		grace    float64 // 0: 30 s
		verdict  Verdict
		cause    Cause
		from, to float64 // when the decision comes
		text     string
	}
	for _, a := range []ask{
		// Created at 0 with 4 replicas; image changed at 5.0, one task at a time.
		{file: "updates28", services: "web", stable: 3, verdict: Converged, from: 3, to: 5},
		{file: "updates28", services: "web", since: 5, stable: 2, verdict: Converged, from: 10, to: 19.1},
		// An update in the other order, at 19.1.
		{file: "updates28", services: "web", since: 19.05, stable: 2, verdict: Converged, from: 22, to: 31.1},
		// Tasks that exit after 300 ms: rolled back by itself, after 31.1 and 49.1.
		{file: "updates28", services: "web", verdict: NotConverged, cause: CauseRollback, from: 31.1, to: 40, text: "is failed: task: non-zero exit (1)"},
		{file: "updates28", services: "web", since: 49.1, verdict: NotConverged, cause: CauseRollback, from: 49.1, to: 53, text: "is failed: task: non-zero exit (1)"},
		// The rollback is complete before the wait begins.
		{file: "updates28", services: "web", since: 36, verdict: NotConverged, cause: CauseRollback, from: 36, to: 46, text: "service web was rolled back"},
		// Tasks that exit with 2: paused, at 65.2; rolled back by hand at 74.2.
		{file: "updates28", services: "web", since: 65.1, verdict: NotConverged, cause: CausePaused, from: 65.2, to: 74.2, text: "is failed: task: non-zero exit (2)"},
		{file: "updates28", services: "web", since: 74.15, verdict: NotConverged, cause: CauseRollback, from: 74.1, to: 75, text: "manually requested rollback"},
		// Updates that overtake each other, and the service's removal at 101.7.
		{file: "updates28", services: "web", since: 86.2, verdict: NotConverged, cause: CauseServiceGone, from: 101.6, to: 102, text: "web was removed"},
		// An image that does not exist, at 107.8.
		{file: "updates28", services: "slow", since: 107.7, verdict: NotConverged, cause: CauseImage, from: 107.8, to: 117.8, text: "No such image: localhost:1/nosuch:1"},
		// A service that never was.
		{file: "updates28", services: "nosuch", verdict: CannotTell, cause: CauseUnknown, from: 127, to: 131, text: "no service nosuch"},

		// Images that cannot be pulled, under restart policies any, none and two attempts.
		{file: "rejected", services: "a", verdict: NotConverged, cause: CauseImage, from: 0, to: 19.1, text: "No such image: localhost:1/nosuch:1"},
		{file: "rejected", services: "b", since: 8, verdict: NotConverged, cause: CauseGivenUp, from: 8, to: 13.1, text: "No such image: localhost:1/nosuch:1"},
		{file: "rejected", services: "c", since: 13, verdict: NotConverged, cause: CauseImage, from: 13, to: 19.1, text: "No such image"},
		{file: "rejected", services: "g", since: 56.1, verdict: NotConverged, cause: CauseImage, from: 56.1, to: 62.2, text: "No such image"},
		// Repaired at 25.1.
		{file: "rejected", services: "a", since: 25, stable: 3, verdict: Converged, from: 28, to: 42.2},

		// Crash loops; exit 0 under on-failure; no restart at all; attempts used up.
		{file: "restarts28", services: "any", verdict: NotConverged, cause: CauseCrashLoop, from: 1.8, to: 14.2, text: "task: non-zero exit (1)"},
		{file: "restarts28", services: "any0", verdict: NotConverged, cause: CauseCrashLoop, from: 1.8, to: 14.2, text: "is complete"},
		{file: "restarts28", services: "max", verdict: NotConverged, cause: CauseCrashLoop, from: 1, to: 14.2, text: "task: non-zero exit (3)"},
		{file: "restarts28", services: "onfail", since: 6, verdict: NotConverged, cause: CauseGivenUp, from: 6.6, to: 14.2, text: "is complete"},
		{file: "restarts28", services: "none", since: 6, verdict: NotConverged, cause: CauseGivenUp, from: 6.6, to: 14.2, text: "task: non-zero exit (1)"},
		{file: "restarts28", services: "none", since: 40.3, stable: 2, verdict: Converged, from: 42, to: 82.6},
		// Created at 54.8; containers killed at 57.9, 62.1 and perhaps 66.3.
		{file: "restarts28", services: "long", since: 54.7, verdict: Converged, from: 64.8, to: 85.3},
		// An entrypoint that does not exist.
		{file: "restarts28", services: "bad", since: 70.3, verdict: NotConverged, cause: CauseCrashLoop, from: 70.4, to: 78.5, text: `exec: "/nosuch"`},
		// Two attempts, each counted.
		{file: "settled28", services: "max", verdict: NotConverged, cause: CauseGivenUp, from: 0.3, to: 7.4, text: "task: non-zero exit (1)"},
		// Tasks that take 20 s to stop count until they have.
		{file: "settled28", services: "sf", since: 46.85, stable: 5, verdict: Converged, from: 60, to: 85.1},

		// A label that no node has; a node that is drained; a label that goes away.
		{file: "placement28", services: "far", grace: 5, verdict: NotConverged, cause: CauseNoNode, from: 5, to: 6.2, text: "scheduling constraints not satisfied on 1 node"},
		{file: "placement28", services: "here", since: 3, stable: 5, verdict: Converged, from: 8, to: 31.4},
		{file: "placement28", services: "here", since: 32, grace: 5, verdict: NotConverged, cause: CauseNoNode, from: 37, to: 37.5, text: "1 node not available for new tasks"},
		// The update of 10.3 is still going on when the label changes, at 20.3.
		{file: "placement28", services: "far", since: 15.2, stable: 3, verdict: NotConverged, cause: CausePaused, from: 20.2, to: 26.4, text: "assigned node no longer meets constraints"},
		{file: "placement28", services: "here", since: 73.75, grace: 5, verdict: NotConverged, cause: CauseNoNode, from: 78.7, to: 79.8, text: "scheduling constraints not satisfied on 1 node"},
		// Never placed, and removed.
		{file: "placement28", services: "never", verdict: NotConverged, cause: CauseServiceGone, from: 88.8, to: 89.5},

		// A host port that is taken from 17.3 until 24.4.
		{file: "ports28", services: "host2", since: 17.2, grace: 5, verdict: NotConverged, cause: CausePort, from: 22.3, to: 24.4, text: "host-mode port already in use on 1 node"},
		{file: "ports28", services: "host2", since: 17.2, stable: 3, verdict: Converged, from: 27.4, to: 65},
		{file: "ports28", services: "dyn,dyn2,static,udp", verdict: Converged, from: 21.2, to: 29.4},
		// Two services that were given one port of the routing mesh at 20.9; updates from 23.9.
		{file: "settled", services: "race3", since: 20.8, grace: 2, verdict: NotConverged, cause: CausePort, from: 22.8, to: 24.1, text: "requests port 8300/tcp, which service race0 publishes"},

		// Jobs: six completions, two at a time, each 0.75 to 2.25 s; run again at 12.0.
		{file: "jobs28", services: "rj", stable: 2, verdict: Converged, from: 4.2, to: 12},
		{file: "jobs28", services: "rj", since: 12, stable: 2, verdict: Converged, from: 16, to: 25.1},
		{file: "jobs28", services: "gj", since: 2, stable: 3, verdict: Converged, from: 5.5, to: 21.1},
		{file: "jobs28", services: "fail", since: 25, verdict: NotConverged, cause: CauseCrashLoop, from: 25.5, to: 33.1, text: "task: non-zero exit (1)"},
		{file: "jobs28", services: "nores", since: 39.1, verdict: NotConverged, cause: CauseCrashLoop, from: 39.5, to: 44.2, text: "task: non-zero exit (1)"},
		{file: "jobs28", services: "longj", since: 50.2, verdict: NotConverged, cause: CauseServiceGone, from: 57.3, to: 58},
		// Complete tasks are rejected at 12.1, when their node loses its label.
		{file: "jobbug", services: "once", since: 1, stable: 3, verdict: Converged, from: 4, to: 12.1},
		{file: "jobbug", services: "once", since: 12, stable: 3, verdict: Converged, from: 20.1, to: 28.2},

		// A global service: updates, and the only node drained from 16.4 until 23.7.
		{file: "global28", services: "g", stable: 2, verdict: Converged, from: 2, to: 4.1},
		{file: "global28", services: "g", since: 17, grace: 3, verdict: NotConverged, cause: CauseNoNode, from: 20, to: 21.5, text: "nothing runs"},
		{file: "global28", services: "g", since: 23.6, stable: 2, verdict: Converged, from: 25.7, to: 28.8},
		// No node fits the constraint from 45.5 until 49.6.
		{file: "global28", services: "g", since: 45.45, grace: 3, verdict: NotConverged, cause: CauseNoNode, from: 48.4, to: 49.6, text: "no node is ready, active and fits"},
		{file: "global28", services: "gc", since: 63.7, verdict: NotConverged, cause: CauseCrashLoop, from: 63.8, to: 71.8, text: "task: non-zero exit (1)"},

		// Scaling leaves tasks of older spec versions in place; label only at 31.4.
		{file: "scale", services: "web,api", stable: 1, since: 4, verdict: NotConverged, cause: CauseServiceGone, from: 20.3, to: 20.6},
		{file: "scale", services: "api", stable: 1, since: 4, verdict: Converged, from: 5, to: 14.1},
		{file: "scale", services: "web", stable: 1, since: 14.1, verdict: Converged, from: 15.1, to: 20.1},
		{file: "scale", services: "web", since: 33.4, stable: 2, verdict: Converged, from: 38, to: 55.4},
		{file: "scale", services: "api", since: 16, stable: 20, verdict: NotConverged, cause: CauseServiceGone, from: 20.3, to: 20.6},
		{file: "scale", services: "zero", since: 62.1, stable: 1, verdict: Converged, from: 63, to: 63.4},

		// Several nodes: one loses its power at 8.1, its tasks are run elsewhere.
		{file: "workers28", services: "web,g", since: 8, verdict: Converged, from: 18.1, to: 71.2},
		{file: "orphan", services: "web", since: 8, verdict: Converged, from: 18.1, to: 70.1},
		// A task that is not to be restarted, on a node that loses its power.
		{file: "orphan", services: "none", since: 8, verdict: NotConverged, cause: CauseGivenUp, from: 8.1, to: 73.1, text: "service none gave up"},

		// The leader loses its power; the recording goes on elsewhere.
		{file: "managers28", services: "nosuch", verdict: CannotTell, cause: CauseUnknown, from: 240, to: 260, text: "there are"},
	} {
		t.Run(a.file+"/"+a.services, func(t *testing.T) {
			events := recorded(t, a.file)
			begin := firstTime(events)
			second := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
			o := Options{
				Services: strings.Split(a.services, ","), Stable: 10 * time.Second, Timeout: 5 * time.Minute,
				Grace: 30 * time.Second, MaxFailures: 3,
			}
			if a.since > 0 {
				o.Since = begin.Add(second(a.since))
			}
			if a.stable > 0 {
				o.Stable = second(a.stable)
			}
			if a.grace > 0 {
				o.Grace = second(a.grace)
			}
			g, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Push(events); err != nil {
				t.Fatal(err)
			}
			r := g.Finish()
			if r.Verdict != a.verdict || r.Cause != a.cause || !strings.Contains(r.Reason, a.text) {
				t.Errorf("since %v: %s, %s: %s", a.since, r.Verdict, r.Cause, r.Reason)
			}
			if at := r.At.Sub(begin); at < second(a.from) || at > second(a.to) {
				t.Errorf("since %v: decided at %v, want between %v and %v s: %s", a.since, at, a.from, a.to, r.Reason)
			}
		})
	}
}

func recorded(t *testing.T, name string) []trace.Event {
	t.Helper()
	path := filepath.Join("../../testdata/traces", name+".jsonl")
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		data, err = unpacked(path + ".gz")
	}
	if err != nil {
		t.Fatal(err)
	}
	var events []trace.Event
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var decoder trace.Decoder
		var ev trace.Event
		if err := decoder.Decode(line, trace.Pos{File: path, Line: i + 1}, &ev); err != nil {
			t.Fatal(err)
		}
		events = append(events, ev)
	}
	return events
}

func unpacked(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(packed)
}

func firstTime(events []trace.Event) time.Time {
	for i := range events {
		if events[i].Time != "" {
			return time.Unix(0, events[i].Nanos).UTC()
		}
	}
	return time.Time{}
}
