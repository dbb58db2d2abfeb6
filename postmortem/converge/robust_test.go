package converge

import (
	"math/rand/v2"
	"testing"
	"time"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// A repeated object counts as it does for the fields of an event: the last.
func TestLastObjectCounts(t *testing.T) {
	var d trace.Decoder
	var ev trace.Event
	if err := d.Decode([]byte(`{"kind":"node","op":"update","id":"n","object":{"state":"up"},"object":{"state":"down"}}`), trace.Pos{}, &ev); err != nil {
		t.Fatal(err)
	}
	each(&ev, func(name string, v value) {
		if name != "state" || text(v) != ev.Fields.Get(fieldState).Str {
			t.Errorf("%s is %s", name, v.Raw)
		}
	})
}

// Lines that are lost, repeated or out of order may make a decision wrong, but
// never a panic or a result that contradicts itself.
func TestDamagedRecordings(t *testing.T) {
	for _, file := range []string{"updates28", "global28", "jobs28", "settled", "workers28"} {
		events := recorded(t, file)
		var ids []string
		for i := range events {
			if events[i].Kind == kinds.Service && events[i].Op == trace.OpCreate {
				ids = append(ids, events[i].ID)
			}
		}
		for seed := range 30 {
			random := rand.New(rand.NewPCG(uint64(seed), 1))
			g, err := New(Options{
				Services: ids[:1+random.IntN(len(ids))], Stable: time.Duration(random.IntN(20)) * time.Second,
				Timeout: time.Hour, Grace: time.Duration(random.IntN(40)) * time.Second, MaxFailures: random.IntN(4),
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(events); i++ {
				at := i
				switch random.IntN(12) {
				case 0:
					continue
				case 1:
					at = random.IntN(len(events))
				}
				ev := events[at]
				ev.HasSeq = ev.HasSeq && seed%2 == 0
				if g.Push([]trace.Event{ev}) != nil {
					break
				}
			}
			r := g.Finish()
			converged := true
			for _, s := range r.Services {
				converged = converged && s.Converged
				if s.Converged && (len(s.Waiting) > 0 || s.Running != s.Wanted) {
					t.Errorf("%s, seed %d: %+v", file, seed, s)
				}
			}
			if r.Verdict == Converged && !converged {
				t.Errorf("%s, seed %d: %+v", file, seed, r)
			}
		}
	}
}
