package monitor_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/checkpoint/local"
	"tracecheck/monitor/monitortest"
	"tracecheck/validators"
)

// A monitor whose last checkpoint is damaged goes on from the one before it, says
// so, and tells in the end what an undisturbed run finds.
func TestDamagedCheckpointIsPassedOver(t *testing.T) {
	p := &listed{name: "p", lines: monitortest.Faulty(t, "swarmkit", 7, 7, 900, 40), batch: 7}
	want := undisturbed(t, []*listed{p})
	passed := 0
	for round := range 12 {
		rng := rand.New(rand.NewPCG(uint64(round), 6))
		path := filepath.Join(t.TempDir(), fmt.Sprint("checkpoints", round))
		told := &outbox{}
		for p.stop = 0; p.stop < len(p.lines); {
			p.stop = min(p.stop+200, len(p.lines))
			store, err := local.Open(path, local.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := start(t, monitor.Options{Store: store, Outbox: told, Every: 5 * time.Millisecond, Judge: validators.Options{Select: []string{"swarmkit"}}}, p).judged()
			until(t, "it is looked at", func() bool { return len(r.Overview().Parts) == 1 && r.Overview().Totals.Streams > 0 })
			o := r.Overview()
			if shown := o.Parts[0].Fallback != ""; shown != (o.Counted.Fallbacks == 1) {
				t.Errorf("it shows %q, and counts %d", o.Parts[0].Fallback, o.Counted.Fallbacks)
			}
			passed += int(o.Counted.Fallbacks)
			r.end()
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			hurt(t, rng, path+[]string{"", local.OtherSuffix}[rng.IntN(2)])
		}
		var got []string
		for _, a := range told.all {
			if id := "violation " + a.ID; a.Kind == alert.OfViolation && !slices.Contains(got, id) {
				got = append(got, id)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("round %d: told %d violations, want the %d of an undisturbed run", round, len(got), len(want))
		}
	}
	if passed == 0 || len(want) == 0 {
		t.Errorf("the test shows nothing: %d checkpoints were passed over, and there are %d violations", passed, len(want))
	}
}

// hurt changes bits of a file.
func hurt(t *testing.T, rng *rand.Rand, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
