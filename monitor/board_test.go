package monitor_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
)

// What is shown is what was fed, before a restart and after it.
func TestBoard(t *testing.T) {
	service := func(stream, id string, hour, replicas int) string {
		return fmt.Sprintf(`{"stream":%q,"time":"2026-11-20T%02d:00:00Z","kind":"service","op":"create","id":%q,"object":{"replicas":%d,"remove":false}}`,
			stream, hour, id, replicas)
	}
	lines := []string{
		service("owes", "x", 4, 1), // a task
		service("late", "x", 1, 0),
		begins("twice", "x"), begins("twice", "x"), begins("twice", "y"), begins("twice", "y"),
		service("well", "x", 1, 0), service("well", "y", 1, 0),
		begins("lost", "x"), "{",
		service("late", "y", 3, 1),
	}
	p := &listed{name: "p", lines: lines, stop: len(lines), of: map[int][]string{9: {"lost"}}, batch: 1}
	other := &listed{name: "q", lines: []string{begins("elsewhere", "x"), begins("elsewhere", "x")}, stop: 2}
	kept := newMemory()
	alerted := &outbox{}
	for _, restarted := range []bool{false, true} {
		r := start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Outbox: alerted, Version: "v9", Reads: "two lists"}, p, other).judged()
		until(t, "all is looked at", func() bool { return r.Overview().Totals.Bad == 1 && r.Overview().Totals.Events == 12 })
		o := r.Overview()
		if o.Version != "v9" || o.Source != "two lists" || o.Started.IsZero() || len(o.Parts) != 2 || o.Parts[0].Name != "p" || o.Parts[1].Name != "q" {
			t.Errorf("the overview is %+v", o)
		}
		part := o.Parts[0]
		if part.State != board.Judging || part.Position != "11" || part.Events != 10 || part.Streams != 5 || part.Lag != 0 && !restarted || part.Unit != "lines" && !restarted {
			t.Errorf("the part is %+v", part)
		}
		rules := []board.RuleCount{{Spec: "swarmkit", Rule: "Next", Count: 3}}
		want := board.Totals{
			Events: 12, Steps: 12, Violations: 3, ByRule: rules, Bad: 1, Streams: 6, Unusable: 1,
			Undesired: 4, Objects: o.Totals.Objects, Open: o.Totals.Open, Rate: o.Totals.Rate,
			Oldest: time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC),
		}
		if !reflect.DeepEqual(o.Totals, want) {
			t.Errorf("the totals are\n%+v, want\n%+v", o.Totals, want)
		}
		if o.Totals.Objects < 8 || o.Totals.Open < 4 {
			t.Errorf("%d objects exist, and %d obligations are open", o.Totals.Objects, o.Totals.Open)
		}
		counted := board.Counters{Events: 12, Steps: 12, Bad: 1, ByRule: rules}
		if restarted {
			counted = board.Counters{}
		}
		if !reflect.DeepEqual(o.Counted, counted) {
			t.Errorf("this process has judged %+v, want %+v", o.Counted, counted)
		}

		for _, c := range []struct {
			q    board.Query
			want string
			all  int
		}{
			{board.Query{}, "twice elsewhere lost late owes well", 6},
			{board.Query{Order: board.ByName}, "elsewhere late lost owes twice well", 6},
			{board.Query{Order: board.ByName, Skip: 1, Limit: 2}, "late lost", 6},
			{board.Query{Order: board.ByName, Skip: 1, Limit: math.MaxInt}, "late lost owes twice well", 6},
			{board.Query{Order: board.ByName, Skip: math.MaxInt, Limit: 1}, "", 6},
			{board.Query{Order: board.ByName, Skip: -7, Limit: 1}, "elsewhere", 6},
			{board.Query{Order: board.ByName, Find: "l", Limit: 3}, "elsewhere late lost", 4},
			{board.Query{Find: "["}, "", 0},
			{board.Query{Only: "unusable"}, "lost", 1},
			{board.Query{Only: "violations", Order: board.ByName}, "elsewhere twice", 2},
			{board.Query{Only: "undesired", Order: board.ByName}, "elsewhere late owes twice", 4},
			{board.Query{Only: "waiting", Find: "e", Order: board.ByFault, Limit: 9}, "twice elsewhere late owes", 4},
		} {
			page, total := r.Streams(c.q)
			var got []string
			for _, s := range page {
				got = append(got, s.Stream)
			}
			if strings.Join(got, " ") != c.want || total != c.all {
				t.Errorf("%+v: got %q of %d, want %q of %d", c.q, got, total, c.want, c.all)
			}
		}
		s, ok := r.Stream(context.Background(), "owes")
		if !ok || s.Part != "p" || s.Events != 1 || s.LastEvent.IsZero() != restarted || len(s.Liveness) == 0 || s.Oldest.At().Hour() != 4 {
			t.Errorf("the stream is %+v", s)
		}
		if _, ok := r.Stream(context.Background(), "none"); ok {
			t.Error("a stream that there is not is shown")
		}

		for _, c := range []struct {
			stream      string
			skip, limit int
			want        string
			all         int
		}{
			{"twice", 0, 9, "twice:6 twice:4", 2}, {"twice", 1, 9, "twice:4", 2}, {"twice", 0, 1, "twice:6", 2}, {"twice", 0, -1, "", 2},
			{"twice", 1, math.MaxInt, "twice:4", 2}, {"owes", 0, 9, "", 0}, {"*", 0, 0, "", 3},
		} {
			page, total := r.Violations(c.stream, c.skip, c.limit)
			var got []string
			for _, v := range page {
				got = append(got, fmt.Sprint(v.Stream, ":", v.Line))
			}
			if strings.Join(got, " ") != c.want || total != c.all {
				t.Errorf("%+v: got %q of %d", c, got, total)
			}
		}
		for _, a := range alerted.all {
			v, ok := r.Violation(a.ID)
			if ok != (a.Kind == alert.OfViolation) {
				t.Errorf("%s %s: %v", a.Kind, a.ID, ok)
			}
			if !ok || a.Stream != "twice" {
				continue
			}
			if !reflect.DeepEqual(v.Violation, *a.Violation) || v.Part != "p" || !v.Found.Equal(a.Found) || len(v.Timeline) != 2 || v.Timeline[1].Raw != lines[a.Line-1] || v.Timeline[0].Pos.Line != a.Line-1 {
				t.Errorf("restarted %v: the violation is\n%+v, want\n%+v", restarted, v, a.Violation)
			}
		}
		if !r.IsAlive(time.Now()) || r.IsAlive(time.Now().Add(time.Hour)) {
			t.Error("it is alive now, and is not if it is not looked at for an hour")
		}
		r.end()
	}
}

// The timeline of a violation has all its lines, also if many lines arrive at once: they are kept
// while they are judged.
func TestTimelineOfManyLines(t *testing.T) {
	t.Parallel()
	pairs, _ := twice(15) // as many as have a timeline in a second
	var lines []string
	for i := range pairs {
		lines = append(lines, pairs[i])
		for n := range 20 {
			lines = append(lines, begins("other", fmt.Sprint(i, "-", n)))
		}
	}
	p := &listed{name: "p", lines: lines, stop: len(lines), batch: len(lines)}
	r := start(t, monitor.Options{Judge: swarmkit}, p).judged()
	defer r.end()
	found, _ := r.Violations("s", 0, len(lines))
	if len(found) != len(pairs)/2 {
		t.Errorf("%d violations, want %d", len(found), len(pairs)/2)
	}
	for i := range found {
		if v := &found[i]; len(v.Timeline) != 2 || v.Timeline[1].Raw != lines[v.Line-1] {
			t.Errorf("line %d: the timeline is %+v", v.Line, v.Timeline)
		}
	}
}

// Rates are those of now: they end when events do.
func TestRates(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 500 {
		lines = append(lines, begins(fmt.Sprint("s", i%2), fmt.Sprint(i)))
	}
	p := &listed{name: "p", lines: lines, stop: len(lines), batch: 1, pause: time.Millisecond}
	r := start(t, monitor.Options{Judge: swarmkit, Every: time.Second, Look: 200 * time.Millisecond}, p)
	until(t, "a rate", func() bool {
		s, _ := r.Streams(board.Query{Order: board.ByRate})
		o := r.Overview()
		return len(s) == 2 && s[0].Rate > 0 && s[1].Rate > 0 && s[0].Rate >= s[1].Rate && o.Totals.Rate > 0 && o.Totals.Rate == o.Parts[0].Rate
	})
	r.judged()
	until(t, "no rate", func() bool {
		s, _ := r.Streams(board.Query{Order: board.ByRate})
		return s[0].Rate == 0 && s[1].Rate == 0 && r.Overview().Totals.Rate == 0
	})
	r.end()
}

// Of many violations the latest are shown, also after a restart.
func TestLatestViolations(t *testing.T) {
	lines, _ := twice(450)
	for i := range 150 { // of these, those before the last restart count, too
		lines = append(lines, begins("s", fmt.Sprint(i)))
	}
	kept := newMemory()
	p := &listed{name: "p", lines: lines, batch: 20}
	for _, p.stop = range []int{0, 100, 370, 371, 900, len(lines), len(lines)} {
		r := start(t, monitor.Options{Store: kept.open(), Judge: swarmkit}, p).judged()
		page, total := r.Violations("s", 0, 1000)
		found := p.stop / 2
		if p.stop > 900 {
			found = p.stop - 450
		}
		if want := min(found, 200); total != want || len(page) != want {
			t.Fatalf("up to line %d: %d violations are shown, and %d listed; want %d", p.stop, total, len(page), want)
		}
		for i, v := range page {
			line := 2 * (found - i)
			if found-i > 450 {
				line = found - i + 450
			}
			if v.Line != line {
				t.Fatalf("up to line %d: the latest but %d is that of line %d, want %d", p.stop, i, v.Line, line)
			}
		}
		r.end()
	}
	if n := len(kept.parts["p"]); n != 201 {
		t.Errorf("%d records are kept, want one of the stream and 200 violations", n)
	}
}
