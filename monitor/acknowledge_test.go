package monitor_test

import (
	"errors"
	"testing"

	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
)

// An acknowledged violation is in the checkpoint. If it comes again, even after a crash,
// no alert is sent, and it is counted as known. Others are as before. Withdrawn, it is a
// fault again.
func TestAcknowledge(t *testing.T) {
	again := []string{snapshot("s", "x"), begins("s", "x")}
	lines := []string{snapshot("s", "x"), begins("s", "x"), snapshot("r", "x"), begins("r", "x")}
	lines = append(append(lines, again...), again...)
	kept, alerts := newMemory(), &outbox{}
	p := &listed{name: "p", lines: lines, batch: 1, stop: 4}
	store := kept.open()
	r := start(t, monitor.Options{Store: store, Judge: swarmkit, Outbox: alerts}, p).judged()
	until(t, "both are found", func() bool { return r.Overview().Totals.Violations == 2 })
	found, _ := r.Violations("s", 0, 1)
	if found[0].Acked != nil {
		t.Fatalf("it is acknowledged by %s", found[0].Acked.By)
	}
	for _, c := range []struct{ id, by, why string }{{"nobody", "ann", "x"}, {found[0].ID, "", "x"}, {found[0].ID, "ann", " "}, {found[0].ID, "ann", "\xff"}} {
		if _, err := r.Acknowledge(c.id, c.by, c.why); err == nil || c.id == "nobody" && !errors.Is(err, board.ErrUnknown) {
			t.Errorf("%q: error %v", c, err)
		}
	}
	if _, err := r.Withdraw(found[0].ID); !errors.Is(err, board.ErrNotAcknowledged) {
		t.Errorf("withdrawn before: %v", err)
	}
	k, err := r.Acknowledge(found[0].ID, "ann", "removed by hand")
	if err != nil || k.Fingerprint != found[0].Fingerprint() || k.By != "ann" || k.Why != "removed by hand" || k.At.IsZero() {
		t.Fatalf("%+v, %v", k, err)
	}
	if list, total := r.Streams(board.Query{Only: "violations"}); total != 1 || list[0].Stream != "r" {
		t.Errorf("streams with violations that are not acknowledged: %+v", list)
	}
	if list, _ := r.Streams(board.Query{}); list[0].Stream != "r" || list[1].Violations != 1 || list[1].Faults() != 0 || r.Overview().Totals.Accepted != 1 {
		t.Errorf("by fault: %+v", list)
	}
	until(t, "the checkpoint has it", func() bool {
		h, err := monitor.ReadKept([]byte(kept.head("p")))
		return err == nil && len(h.Acked) == 1
	})
	store.kill()
	r.end()

	p.stop = 6
	r = start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Outbox: alerts}, p).judged()
	until(t, "it comes again", func() bool { return r.Overview().Totals.Events == 6 })
	o := r.Overview()
	if o.Counted.Known != 1 || o.Totals.Acked != 1 || o.Totals.Violations != 2 {
		t.Errorf("counted %+v, totals %+v", o.Counted, o.Totals)
	}
	if found, _ = r.Violations("s", 0, 9); len(found) != 1 || found[0].Acked == nil || found[0].Acked.By != "ann" {
		t.Errorf("violations %+v", found)
	}
	if other, _ := r.Violations("r", 0, 9); len(other) != 1 || other[0].Acked != nil {
		t.Errorf("of the other stream: %+v", other)
	}
	if list := r.Acknowledgements(); len(list) != 1 || list[0].Fingerprint != k.Fingerprint {
		t.Errorf("listed: %+v", list)
	}
	if _, err := r.Withdraw(k.Fingerprint); err != nil {
		t.Error(err)
	}
	r.end()

	p.stop = 8
	r = start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Outbox: alerts}, p).judged()
	until(t, "it is a fault again", func() bool { return r.Overview().Totals.Violations == 3 })
	r.end()
	if got := alerts.of(alert.OfViolation); len(got) != 3 {
		t.Errorf("alerts of %q, want of lines 2, 4 and 8", got)
	}
}
