package validators

import (
	"slices"
	"testing"
	"time"

	"tracecheck/trace"
)

// What is open for longer than the limit is overdue, a silence counting for half
// of it at most: it is unknown whether there was a leader.
func TestOverduePrompt(t *testing.T) {
	const limit = 100 * time.Second
	for name, c := range map[string]struct {
		times []int // of the events, in seconds; the wait begins at the first
		late  int   // the place of the event that shows it; 0: none
	}{
		"busy":                     {[]int{1, 30, 60, 90, 101, 102}, 5},
		"in time":                  {[]int{1, 30, 60, 90, 101}, 0},
		"after one silence":        {[]int{1, 601, 611, 621}, 0},
		"that one and then busy":   {[]int{1, 601, 611, 621, 640, 652}, 5},
		"two silences":             {[]int{1, 601, 1201, 1202}, 3},
		"a silence in between":     {[]int{1, 21, 621, 641, 650, 653}, 5},
		"a silence before it":      {[]int{-600, 1, 30, 60, 90, 102}, 5},
		"times that do not matter": {[]int{1, 1, 1, 102, 102}, 0},
	} {
		l := NewLedger(2)
		for i, s := range c.times {
			now := int64(time.Duration(s+1000) * time.Second)
			found := 0
			l.overduePrompt(now, int64(limit), func(*Obligation) bool { return true }, func(*Obligation, int64) { found++ })
			if want := c.late == i && i > 0; (found == 1) != want || found > 1 {
				t.Errorf("%s: event %d, at %ds: %d late, want %t", name, i, s, found, want)
			}
			l.at(trace.Pos{File: "f", Line: i + 1}, now)
			if s == 1 && l.count == 0 {
				l.Set(nil, Want{For: 1, Of: named("a")})
			}
		}
	}
}

// What such a deadline is not meant for waits on, and does not hide what comes
// behind it.
func TestOverduePromptPassesOthers(t *testing.T) {
	l := NewLedger(3)
	var g Gate
	l.at(trace.Pos{File: "f", Line: 1}, 1)
	l.SetGate(&g, true)
	l.Set(nil, Want{For: 1, Of: named("other")})
	l.Set(nil, Want{For: 1, Of: named("behind"), Gate: &g})
	l.at(trace.Pos{File: "f", Line: 2}, 2)
	l.Set(nil, Want{For: 2, Of: named("prompt")})
	var found []string
	for now := int64(1); now < 40; now++ {
		l.overduePrompt(now, 10, func(o *Obligation) bool { return o.For == 2 }, func(o *Obligation, _ int64) { found = append(found, o.Of.Ref().ID) })
	}
	if len(found) != 1 || found[0] != "prompt" {
		t.Errorf("late are %v, want prompt alone", found)
	}
	if open, since := l.pending(); open != 3 || since.Pos.Line != 1 {
		t.Errorf("%d are open since %v, want 3 since line 1", open, since)
	}
	n := 0
	l.each(func(*Obligation) { n++ })
	if n != 3 {
		t.Errorf("%d are open, want 3", n)
	}
	// With another deadline they are late, the oldest first.
	found = nil
	l.overdue(39, 20, func(o *Obligation) { found = append(found, o.Of.Ref().ID) })
	if !slices.Equal(found, []string{"other", "behind"}) {
		t.Errorf("by another deadline, late are %v", found)
	}
}
