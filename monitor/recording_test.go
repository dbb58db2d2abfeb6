package monitor_test

import (
	"fmt"
	"math/rand/v2"
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
	const meta = `{"stream":"s","kind":"meta","object":{"spec":["swarmkit"]}}`
	lines := []string{
		meta, numbered(1, begins("s", "a")), numbered(2, begins("s", "b")), numbered(2, begins("s", "b")),
		numbered(1, begins("s", "c")), numbered(2, begins("s", "d")), // another writer: lines 5 and 6
		meta, snapshot("s", "x"), // and it states so
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
			if got := page[0].Unusable; strings.Contains(got, "seq 1 of stream \"s\" comes again after 2, and differs from the earlier line of that number: another recording or writer seems to begin here") != unusable ||
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

// Many recordings in two streams, with duplicates and lines of other writers: a
// monitor that is killed at random, between a meta line and the number that decides,
// too, finds what one that runs through does.
func TestRecordingsDisturbed(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 4))
		p := &listed{name: "p", batch: 1 + r.IntN(20)}
		last := map[string]int{}
		for i := range 400 {
			s := []string{"a", "b"}[r.IntN(2)]
			switch n := r.IntN(12); {
			case n < 2:
				p.lines = append(p.lines, fmt.Sprintf(`{"stream":%q,"kind":"meta","object":{"spec":["swarmkit"]}}`, s))
				if n == 0 {
					last[s] = 0
				}
			case n == 2:
				p.lines = append(p.lines, snapshot(s, fmt.Sprint("x", r.IntN(3))))
			case n == 3:
				p.lines = append(p.lines, p.lines[max(0, len(p.lines)-1-r.IntN(5)):][:min(1, len(p.lines))]...)
			default:
				if last[s]++; r.IntN(30) == 0 {
					last[s] = 1 + r.IntN(2*last[s])
				}
				p.lines = append(p.lines, numbered(last[s], begins(s, fmt.Sprint("x", (i+r.IntN(2))%60))))
			}
		}
		disturb(t, seed, monitor.Options{}, []*listed{p})
	}
}

func numbered(seq int, line string) string {
	return strings.Replace(line, `"kind"`, fmt.Sprintf(`"seq":%d,"kind"`, seq), 1)
}
