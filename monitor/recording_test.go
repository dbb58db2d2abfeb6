package monitor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
)

// A producer that begins once more is noticed, and judged again from its next
// meta line; whether the monitor is restarted behind each line, between the meta
// line and the number that decides, too, or not.
func TestProducerBeginsOnceMore(t *testing.T) {
	numbered := func(seq int, line string) string {
		return strings.Replace(line, `"kind"`, fmt.Sprintf(`"seq":%d,"kind"`, seq), 1)
	}
	const meta = `{"stream":"s","kind":"meta","object":{"spec":["swarmkit"]}}`
	lines := []string{
		meta, numbered(1, begins("s", "a")), numbered(2, begins("s", "b")), numbered(2, begins("s", "b")),
		numbered(1, begins("s", "c")), numbered(2, begins("s", "d")), // another writer: lines 5 and 6
		meta, snapshot("s", "x"), // and it says so
		numbered(1, begins("s", "y")), numbered(2, begins("s", "x")), numbered(3, begins("s", "a")),
		numbered(3, begins("s", "a")),
	}
	for _, every := range []int{len(lines), 1, 3} {
		kept, alerts := newMemory(), &outbox{}
		p := &listed{name: "p", lines: lines, batch: 1}
		for p.stop < len(lines) {
			p.stop = min(p.stop+every, len(lines))
			r := start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Outbox: alerts}, p).judged()
			until(t, "all is looked at", func() bool { return r.Overview().Totals.Events == int64(p.stop) })
			unusable := p.stop >= 5 && p.stop < 9
			page, _ := r.Streams(board.Query{})
			if got := page[0].Unusable; strings.Contains(got, "seq 1 of stream \"s\" comes again after 2, and says something else: another recording or writer seems to begin here") != unusable ||
				(got == "") == unusable {
				t.Errorf("a restart every %d lines, after line %d: not judged since %q", every, p.stop, got)
			}
			if n := r.Overview().Totals.Unusable; (n == 1) != unusable {
				t.Errorf("a restart every %d lines, after line %d: %d streams are not judged", every, p.stop, n)
			}
			if p.stop == len(lines) {
				want := board.Totals{Events: 12, Steps: 5, Duplicates: 2, Skipped: 2, Violations: 1}
				got := r.Overview().Totals
				if got := (board.Totals{Events: got.Events, Steps: got.Steps, Duplicates: got.Duplicates, Skipped: got.Skipped, Violations: got.Violations}); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("a restart every %d lines: the totals are %+v, want %+v", every, got, want)
				}
				counted := r.Overview().Counted
				if every == len(lines) && (counted.Steps != 5 || counted.Duplicates != 2 || counted.Skipped != 2) {
					t.Errorf("this process has counted %+v", counted)
				}
			}
			r.end()
		}
		if got := alerts.of(alert.OfUnusable); !slices.Equal(got, []string{"s 5"}) {
			t.Errorf("a restart every %d lines: alerts that %q is not judged", every, got)
		}
		if got := alerts.of(alert.OfViolation); !slices.Equal(got, []string{"s 10"}) {
			t.Errorf("a restart every %d lines: alerts of the violations %q", every, got)
		}
	}
}
