package monitor

import (
	"testing"
	"time"

	"tracecheck/monitor/board"
)

// The samples are of what came between two moments, and only so many are kept.
func TestPast(t *testing.T) {
	var p past
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	o := board.Overview{
		Parts:   []board.Part{{Lag: -1}, {Lag: 4}, {Lag: 5}},
		Counted: board.Counters{Events: 100, ByRule: []board.RuleCount{{Rule: "Inv", Count: 2}, {Rule: "Next", Count: 1}}},
	}
	p.add(at, &o)
	if got := p.list(); len(got) != 0 {
		t.Fatalf("the first look gives %v: it is not known when that happened", got)
	}
	o.Counted.Events += 30
	o.Counted.ByRule[1].Count += 2
	p.add(at.Add(15*time.Second), &o)
	o.Parts = o.Parts[:1]
	p.add(at.Add(30*time.Second), &o)
	want := []board.Sample{{At: at.Add(15 * time.Second), Rate: 2, Lag: 9, Violations: 2}, {At: at.Add(30 * time.Second), Lag: -1}}
	got := p.list()
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v, want %v", got, want)
	}
	const more = 10
	last := at.Add(time.Minute)
	for range board.MostSamples + more {
		last = last.Add(board.SampleEvery)
		p.add(last, &o)
	}
	got = p.list()
	if len(got) != board.MostSamples || !got[len(got)-1].At.Equal(last) || !got[0].At.Equal(last.Add(-time.Duration(board.MostSamples-1)*board.SampleEvery)) {
		t.Errorf("%d samples from %v to %v, want %d up to %v", len(got), got[0].At, got[len(got)-1].At, board.MostSamples, last)
	}
}
