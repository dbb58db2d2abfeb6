package web

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/monitor/board"
	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

// night is when the scenes play.
var night = time.Date(2026, 11, 21, 3, 7, 16, 0, time.UTC)

// part is a part that is well at the time.
func part(number int, now time.Time) board.Part {
	return board.Part{
		Name: fmt.Sprintf("kafka:events/%d", number), State: board.Judging, Position: fmt.Sprint(481_516 + number), Lag: int64(number), Unit: "messages",
		Events: 481_516, Rate: 1234.4, Streams: 5000, Began: now.Add(-26 * time.Hour), Saved: now.Add(-4 * time.Second),
		Pause: 3 * time.Millisecond, PauseSum: 9 * time.Millisecond, Took: 41 * time.Millisecond, Bytes: 150_000, LastRead: now, Answered: now,
	}
}

func stream(name string, now time.Time) board.StreamDetail {
	return board.StreamDetail{Lag: 1, Unit: "messages", Stream: board.Stream{Part: "kafka:events/0", Rate: 0.25, LastEvent: now.Add(-3 * time.Second),
		StreamStatus: validators.StreamStatus{Stream: name, Specs: []string{"swarmkit"}, Events: 1234, Objects: 12, Time: now.Add(-4 * time.Second).Format(time.RFC3339Nano),
			Desired: []validators.StreamState{{Stream: name, Spec: "swarmkit", InDesiredState: true, SinceFile: "kafka:events/0", SinceLine: 12, SinceTime: now.Add(-time.Hour).Format(time.RFC3339Nano)}}}}}
}

// quiet is a monitor of many streams that are well.
func quiet(streams int, now time.Time) *fakeBoard {
	b := newBoard()
	b.overview = board.Overview{
		Version: "1.0.0", Source: "kafka broker:9092, topic events", Started: now.Add(-26 * time.Hour),
		Parts:   []board.Part{part(0, now), part(1, now)},
		Totals:  board.Totals{Events: 963_032, Steps: 900_100, Streams: streams, Objects: 12 * streams, Rate: 2468.8},
		Counted: board.Counters{Events: 61_500, Steps: 60_000, Bad: 2},
		Alerts:  []board.Receiver{{Name: "alertmanager", Delivered: 41}, {Name: "file /var/lib/tracecheck/alerts.jsonl", Delivered: 41}},
	}
	for i := range streams {
		b.streams = append(b.streams, stream(fmt.Sprintf("cluster-%05d", i), now))
	}
	return b
}

// troubled is one that a user is woken for.
func troubled(t testing.TB, streams int, now time.Time) *fakeBoard {
	t.Helper()
	b := quiet(streams, now)
	s := &b.streams[7].Stream
	b.violations = realViolations(t, s.Stream, now.Add(-3*time.Minute))
	s.Violations = len(b.violations)
	s = &b.streams[11].Stream
	s.Unusable = `kafka:events/0 offset 481400: gap in stream "cluster-00011": seq 5 follows 2; recover the missing events`
	waiting := &b.streams[13]
	waiting.Desired[0] = validators.StreamState{Stream: waiting.Stream.Stream, Spec: "swarmkit", SinceFile: "kafka:events/0", SinceLine: 481_300, SinceTime: now.Add(-47 * time.Minute).Format(time.RFC3339Nano)}
	waiting.Open = 2
	since := now.Add(-46 * time.Minute).Format(time.RFC3339Nano)
	waiting.Liveness = []validators.Liveness{
		{Spec: "swarmkit", Rule: "EventuallyRunning", Status: validators.AtRisk, SinceFile: "kafka:events/0", SinceLine: 481_301, SinceTime: since, Open: 25,
			Waiting: []validators.Waiting{{Kind: "task", ID: "9z1nc5kzoq2qs9yx0xbdj4bzz", Action: "Scheduler", SinceFile: "kafka:events/0", SinceLine: 481_301, SinceTime: since},
				{Kind: "service", ID: "53sc3y2idqky7cr1yvbkjf488", Part: "slot 3", Action: "CreateSlot", SinceFile: "kafka:events/0", SinceLine: 481_305, SinceTime: since, Reason: "1 slot missing (2 there, 3 asked for)"}}},
		{Spec: "swarmkit", Rule: "EventuallyRemoved", Status: validators.Holding, Satisfied: 12},
	}
	t0 := &b.overview.Totals
	t0.Violations, t0.Unusable, t0.Undesired, t0.Open, t0.Oldest = 41, 1, 1, 25, now.Add(-46*time.Minute)
	t0.ByRule = []board.RuleCount{{Spec: "swarmkit", Rule: "Inv", Count: 20}, {Spec: "swarmkit", Rule: "Next", Count: 21}}
	b.overview.Counted.ByRule = []board.RuleCount{{Spec: "swarmkit", Rule: "Inv", Count: 1}, {Spec: "swarmkit", Rule: "Next", Count: 1}}
	b.overview.Parts[1].Lag = 18_204
	b.overview.Alerts[0].Pending, b.overview.Alerts[0].Failures = 2, 7
	b.overview.Alerts[0].LastError = "Post \"http://alertmanager:9093/api/v2/alerts\": dial tcp 10.0.0.7:9093: connection refused"
	return b
}

// realViolations are those of a recording, judged as messages of a stream: one
// step breaks two rules.
func realViolations(t testing.TB, name string, found time.Time) []board.Violation {
	t.Helper()
	runner, err := validators.NewRunner(validators.Options{Specs: specs.All(), Select: []string{"swarmkit"}, Profile: validators.ProfileSpec})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("../../testdata/traces/scale.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []board.Violation
	var lines []board.Line
	const service = "53sc3y2idqky7cr1yvbkjf488"
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for n := int64(0); scan.Scan() && len(all) == 0; n++ {
		var d trace.Decoder
		var ev trace.Event
		raw := scan.Text()
		if err := d.Decode([]byte(raw), trace.MessagePos(trace.MessageFile("events", 0), n), &ev); err != nil {
			t.Fatal(err)
		}
		ev.Stream = name
		if strings.Contains(raw, service) {
			lines = append(lines, board.Line{Pos: ev.Pos, Time: ev.Time, Raw: raw})
		}
		if err := runner.Push([]trace.Event{ev}); err != nil {
			t.Fatal(err)
		}
		violations, _ := runner.Take()
		for _, v := range violations {
			all = append(all, board.Violation{Violation: v, Part: "kafka:events/0", Found: found, Timeline: slices.Clone(lines), Earlier: 17})
		}
	}
	if len(all) != 2 {
		t.Fatalf("the recording has %d violations, want 2", len(all))
	}
	return all
}
