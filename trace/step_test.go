package trace

import (
	"fmt"
	"strings"
	"testing"
)

// recorder writes down what a Sequencer makes of a stream.
type recorder struct{ got []string }

func (r *recorder) Meta(ev *Event) error     { r.add("meta"); return nil }
func (r *recorder) Lost()                    { r.add("lost") }
func (r *recorder) Snapshot(ev *Event) error { r.add("snapshot " + ev.ID); return nil }
func (r *recorder) SnapshotsEnd() error      { r.add("end"); return nil }
func (r *recorder) add(s string)             { r.got = append(r.got, s) }
func (r *recorder) Step(s *Step) error {
	var ids []string
	for i := range s.Events {
		ids = append(ids, s.Events[i].ID)
	}
	r.add(fmt.Sprintf("step %s (%d-%d)", strings.Join(ids, "+"), s.First().Line, s.Last().Line))
	return nil
}

// line is an event in short: "u a tx=1 seq=2".
func line(t *testing.T, short string) Event {
	t.Helper()
	ops := map[string]string{"s": "snapshot", "c": "create", "u": "update", "d": "delete", "r": "reject"}
	parts := strings.Fields(short)
	if parts[0] == "meta" {
		return mustDecode(t, `{"kind":"meta"}`)
	}
	text := fmt.Sprintf(`{"kind":"node","op":%q,"id":%q`, ops[parts[0]], parts[1])
	for _, p := range parts[2:] {
		k, v, _ := strings.Cut(p, "=")
		text += fmt.Sprintf(`,%q:%s`, k, v)
	}
	return mustDecode(t, text+"}")
}

func TestSequencer(t *testing.T) {
	for _, c := range []struct {
		name   string
		onGap  OnGap
		lines  string
		want   string
		err    string
		counts [3]int // duplicates, gaps, skipped
	}{
		{name: "a line without tx is a step", lines: "u a/u b", want: "step a (1-1)/step b (2-2)"},
		{name: "neighbours with one tx are a step", lines: "u a tx=1/u b tx=1/u c tx=2/u d tx=1", want: "step a+b (1-2)/step c (3-3)/step d (4-4)"},
		{name: "a line without tx ends a transaction", lines: "u a tx=1/u b/u c tx=1", want: "step a (1-1)/step b (2-2)/step c (3-3)"},
		{name: "runs of snapshots", lines: "meta/s a/s b/u c/s d/u e", want: "meta/snapshot a/snapshot b/end/step c (4-4)/snapshot d/end/step e (6-6)"},
		{name: "a run ends with the input", lines: "s a", want: "snapshot a/end"},
		{name: "a snapshot ends a transaction", lines: "u a tx=1/s b tx=1/u c tx=1", want: "step a (1-1)/snapshot b/end/step c (3-3)"},
		{name: "a reject is a step", lines: "r a", want: "step a (1-1)"},
		{name: "seq from any start", lines: "u a seq=7/u b seq=8", want: "step a (1-1)/step b (2-2)"},
		{name: "snapshots and meta go without seq", lines: "u a seq=7/s b/u c seq=8", want: "step a (1-1)/snapshot b/end/step c (3-3)"},
		{name: "duplicates", lines: "u a seq=7/u a seq=7/u b seq=8/u a seq=7/u c seq=9",
			want: "step a (1-1)/step b (3-3)/step c (5-5)", counts: [3]int{2, 0, 0}},
		{name: "a duplicate inside a transaction", lines: "u a seq=1 tx=1/u a seq=1 tx=1/u b seq=2 tx=1", want: "step a+b (1-3)", counts: [3]int{1, 0, 0}},
		{name: "a gap", lines: "u a seq=1/u b seq=3/u c seq=4", want: "step a (1-1)", err: "seq 3 follows 1"},
		{name: "a gap forgets the open transaction", lines: "u a seq=1 tx=1/u b seq=3 tx=2", want: "", err: "seq 3 follows 1"},
		{name: "a duplicate does not end a transaction", lines: "u z seq=0/u a seq=1 tx=1/u z seq=0/u b seq=2 tx=1/u c seq=3", want: "step z (1-1)/step a+b (2-4)/step c (5-5)", counts: [3]int{1, 0, 0}},
		{name: "resync", onGap: ResyncOnGap, lines: "u a seq=1/u b seq=3/u c seq=4/s d seq=5/u e seq=6",
			want: "step a (1-1)/lost/snapshot d/end/step e (5-5)", counts: [3]int{0, 1, 2}},
		{name: "a gap before a snapshot", onGap: ResyncOnGap, lines: "u a seq=1/s b seq=9/u c seq=10",
			want: "step a (1-1)/lost/snapshot b/end/step c (3-3)", counts: [3]int{0, 1, 0}},
		{name: "resync forgets the open transaction", onGap: ResyncOnGap, lines: "u a seq=1 tx=1/u b seq=3 tx=1/s c", want: "lost/snapshot c/end", counts: [3]int{0, 1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var events []Event
			for i, short := range strings.Split(c.lines, "/") {
				events = append(events, line(t, short))
				events[i].Pos.Line = i + 1
			}
			// Borrowed and owned events give the same, and so do runs of all lengths.
			for how := range 2 + 2*len(events) {
				own, length := how%2 == 1, how/2
				q, r := &Sequencer{OnGap: c.onGap}, &recorder{}
				var err error
				for i := 0; i < len(events) && err == nil; {
					if length == 0 {
						ev := events[i]
						i, err = i+1, q.Push(&ev, r)
					} else {
						var next *Event
						end := min(i+length, len(events))
						if end < len(events) {
							next = &events[end]
						}
						var n int
						n, err = q.PushRun(events[i:end], next, r)
						i += n
					}
					if own {
						q.Own()
					}
				}
				if err == nil {
					err = q.Close(r)
				}
				if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Fatalf("got error %v, want %q", err, c.err)
				}
				if got := strings.Join(r.got, "/"); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
				if got := [3]int{q.Duplicates, q.Gaps, q.Skipped}; got != c.counts {
					t.Errorf("duplicates, gaps, skipped: got %v, want %v", got, c.counts)
				}
			}
		})
	}
}

func TestLostAtTheEnd(t *testing.T) {
	q, r := &Sequencer{OnGap: ResyncOnGap}, &recorder{}
	for _, short := range []string{"u a seq=1", "u b seq=3"} {
		ev := line(t, short)
		if err := q.Push(&ev, r); err != nil {
			t.Fatal(err)
		}
	}
	if !q.Lost() {
		t.Error("a stream between a gap and its next snapshot is lost")
	}
}

func TestParseMeta(t *testing.T) {
	ev := mustDecode(t, `{"kind":"meta","object":{"format":1,"spec":["swarmkit","portallocator"],"profile":"moby","steps":"batched","constants":{"max_terminated":3,"clusters":["a"],"none":null},"other":1}}`)
	m, err := ParseMeta(&ev)
	if err != nil || strings.Join(m.Specs, " ") != "swarmkit portallocator" || m.Profile != "moby" || m.Steps != "batched" ||
		m.Constants["max_terminated"] != "3" || m.Constants["clusters"] != `["a"]` || len(m.Constants) != 2 {
		t.Errorf("got %+v, %v", m, err)
	}
	for object, reason := range map[string]string{
		`{"format":2}`:          "tracecheck reads format 1",
		`{"format":"1"}`:        "tracecheck reads format 1",
		`{"spec":"swarmkit"}`:   `"spec" must be an array`,
		`{"spec":[1]}`:          `"spec" must be an array`,
		`{"steps":"sometimes"}`: `"steps" must be`,
		`{"profile":1}`:         `"profile" must be`,
		`{"constants":[]}`:      `"constants" must be`,
	} {
		ev := mustDecode(t, `{"kind":"meta","object":`+object+`}`)
		if _, err := ParseMeta(&ev); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: got error %v, want one with %s", object, err, reason)
		}
	}
}
