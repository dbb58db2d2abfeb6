package bind

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// A machine that is written down and read again after each line finds the same as one
// that goes on, also where states are in reserve and the lines are tried again.
func TestResumedWithReserve(t *testing.T) {
	b := loaded(t, lockModule+calls+"observe: {'Len(queue)': e.waiting, held: e.held}\nsets: [e.held]\n", "INVARIANT Bounded\n", Options{MaxStates: 150})
	fresh := func() *machine {
		m, err := b.machine(validators.Config{})
		if err != nil {
			t.Fatal(err)
		}
		return m.(*machine)
	}
	random := rand.New(rand.NewPCG(3, 1))
	reserved, tried, faults := 0, 0, 0
	for range exhaustive.Or(10, 30) {
		once, again := fresh(), fresh()
		waiting, held := 0, false
		for line := 1; line <= 60; line++ {
			text := ""
			switch {
			case random.IntN(3) == 0 && waiting < 2:
				text, waiting = `"op":"Ask"`, waiting+1
			case !held && waiting > 0:
				text, waiting, held = `"op":"Grant"`, waiting-1, true
			case held:
				text, held = `"op":"Release"`, false
				if random.IntN(4) == 0 {
					text += fmt.Sprintf(`,"args":[%q]`, string("abc"[random.IntN(3)]))
				}
			default:
				text = `"op":"Reset"`
			}
			ev := trace.Event{Pos: trace.Pos{File: "log", Line: line}, Kind: trace.KindLine, Op: trace.OpUpdate, Raw: "{" + text + "}"}
			before := len(once.reserve)
			want, err := found(once, ev)
			w := codec.Writer(nil)
			again.Persist(w)
			again = fresh()
			r := codec.Reader(w.Data())
			again.Persist(r)
			if bad := r.Close(); bad != nil {
				t.Fatal(bad)
			}
			got, bad := found(again, ev)
			if fmt.Sprint(got, bad) != fmt.Sprint(want, err) || len(again.frontier) != len(once.frontier) || len(again.reserve) != len(once.reserve) {
				t.Fatalf("line %d, resumed: %v, %v; at once: %v, %v", line, got, bad, want, err)
			}
			if err != nil {
				break // it is unusable from here on
			}
			reserved, faults = reserved+len(once.reserve), faults+len(want)
			if len(once.reserve) < before {
				tried++
			}
		}
	}
	if reserved == 0 || tried == 0 || faults == 0 {
		t.Errorf("%d states were in reserve, %d times some were tried, and %d violations found: the test shows nothing", reserved, tried, faults)
	}
}

// found is what a machine finds at a line, without what is only shown.
func found(m *machine, ev trace.Event) (list []string, err error) {
	findings, _, err := m.Step(&trace.Step{Events: []trace.Event{ev}})
	for i := range findings {
		f := &findings[i]
		list = append(list, fmt.Sprint(f.Rule, f.Pos, f.Message, f.Nearest, f.State, f.History))
	}
	return list, err
}
