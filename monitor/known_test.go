package monitor_test

import (
	"testing"

	"tracecheck/monitor"
	"tracecheck/monitor/alert"
)

// Of a known violation no alert is sent; it is counted, also over a restart.
func TestKnown(t *testing.T) {
	lines := []string{snapshot("s", "x"), begins("s", "y"), begins("s", "x"), snapshot("r", "x"), begins("r", "y"), begins("r", "x")}
	first := &outbox{}
	r := start(t, monitor.Options{Store: newMemory().open(), Judge: swarmkit, Outbox: first}, &listed{name: "p", lines: lines, batch: 1, stop: len(lines)}).judged()
	until(t, "all is looked at", func() bool { return r.Overview().Totals.Violations == 2 })
	r.end()
	known := map[string]bool{}
	for _, a := range first.all {
		if a.Kind == alert.OfViolation && a.Violation.Stream == "s" {
			known[a.Violation.Fingerprint()] = true
		}
	}
	judge := swarmkit
	judge.Known = known
	kept, alerts := newMemory(), &outbox{}
	p := &listed{name: "p", lines: lines, batch: 1}
	for _, p.stop = range []int{3, len(lines)} {
		r := start(t, monitor.Options{Store: kept.open(), Judge: judge, Outbox: alerts}, p).judged()
		until(t, "all is looked at", func() bool { return r.Overview().Totals.Events == int64(p.stop) })
		if got := r.Overview().Counted.Known; (p.stop == 3) != (got == 1) {
			t.Errorf("after line %d this process has counted %d known violations", p.stop, got)
		}
		r.end()
	}
	if got := alerts.of(alert.OfViolation); len(got) != 1 || got[0] != "r 6" {
		t.Errorf("alerts of %q, want r 6 alone", got)
	}
}
