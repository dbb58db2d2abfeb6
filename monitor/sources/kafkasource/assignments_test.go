package kafkasource

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/ingest"
	"tracecheck/ingest/kafka"
	"tracecheck/monitor"
	"tracecheck/trace"
)

// batch has events as "stream.op", and bad messages before some of them.
func batch(t *testing.T, file string, events string, badBefore ...int) ([]kafka.First, *monitor.Batch) {
	t.Helper()
	b := &monitor.Batch{}
	var streams []kafka.First
	for i, e := range strings.Fields(events) {
		stream, op, _ := strings.Cut(e, ".")
		ev := trace.Event{Stream: stream, Pos: trace.MessagePos(file, int64(10*i+5)), Raw: "raw " + e}
		switch op {
		case "snapshot":
			ev.Op = trace.OpSnapshot
		case "meta":
			ev.Kind = trace.KindMeta
		}
		if !slices.ContainsFunc(streams, func(f kafka.First) bool { return f.Stream == stream }) {
			streams = append(streams, kafka.First{Stream: stream, Event: i})
		}
		b.Events = append(b.Events, ev)
	}
	for n, before := range badBefore {
		b.Bad = append(b.Bad, ingest.Malformed{Before: before, Err: &trace.Error{Pos: trace.MessagePos(file, int64(10*before+n)), Reason: "bad"}})
	}
	return streams, b
}

func render(b *monitor.Batch) string {
	var all []string
	rest := b.Bad
	for i := 0; i <= len(b.Events); i++ {
		for ; len(rest) > 0 && rest[0].Before == i; rest = rest[1:] {
			all = append(all, fmt.Sprintf("!%s%d", strings.Join(rest[0].Streams, ","), rest[0].Err.Pos.Number()))
		}
		if i < len(b.Events) {
			all = append(all, fmt.Sprintf("%s%d", b.Events[i].Stream, b.Events[i].Pos.Number()))
		}
	}
	if len(rest) > 0 {
		all = append(all, fmt.Sprint("and ", len(rest), " out of order"))
	}
	return strings.Join(all, " ")
}

// A stream's events in a partition that is not its home are bad, up to a
// snapshot, with which it moves.
func TestAssignments(t *testing.T) {
	t.Parallel()
	var h assignments
	for _, step := range []struct {
		file, events string
		bad          []int
		want         string
	}{
		{"kafka:t/0", "a. b. a.", nil, "a5 b15 a25"},
		{"kafka:t/1", "c. d.", []int{0, 1, 2}, "!0 c5 !11 d15 !22"},
		{"kafka:t/1", "a. c. a. b. c.", []int{0, 1, 1, 3, 5, 5}, "!0 !a5 !11 !12 c15 !a25 !33 !b35 c45 !54 !55"},
		{"kafka:t/0", "a. c.", nil, "a5 !c15"},
		{"kafka:t/1", "a. a.snapshot a. b.", nil, "!a5 a15 a25 !b35"},
		{"kafka:t/0", "a. b.", nil, "!a5 b15"},
		{"kafka:t/0", "a.snapshot", nil, "a5"},
		{"kafka:t/1", "a.", nil, "!a5"},
		{"kafka:t/1", "a.meta a. a.meta", nil, "a5 !a15 a25"}, // by which the snapshot is judged
		{"kafka:t/1", "a.snapshot a.", nil, "a5 a15"},
	} {
		streams, b := batch(t, step.file, step.events, step.bad...)
		h.check(step.file, streams, b)
		if got := render(b); got != step.want {
			t.Errorf("%s %s: got %s, want %s", step.file, step.events, got, step.want)
		}
		for _, x := range b.Bad {
			if x.Streams == nil {
				continue
			}
			if want := fmt.Sprintf("stream %q is in t/", x.Streams[0]); !strings.Contains(x.Err.Error(), want) || string(x.Key) != x.Streams[0] || !strings.HasPrefix(string(x.Raw), "raw "+x.Streams[0]) {
				t.Errorf("got %q, %q: %v", x.Key, x.Raw, x.Err)
			}
		}
	}
	// Who gives a partition up knows nothing of its streams any more.
	h.forget("kafka:t/0")
	streams, b := batch(t, "kafka:t/1", "a. b.")
	if h.check("kafka:t/1", streams, b); render(b) != "a5 b15" {
		t.Errorf("got %s", render(b))
	}
	if len(h.of) != 4 {
		t.Errorf("%v are known", h.of)
	}
	h.forget("kafka:t/1")
	if len(h.of) != 0 {
		t.Errorf("%v are known", h.of)
	}
}
