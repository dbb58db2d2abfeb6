package trace

import (
	"fmt"
	"strings"
	"testing"
)

// recorder writes down what a Sequencer makes of a stream.
type recorder struct{ got []string }

func (r *recorder) Meta(ev *Event) error     { r.add("meta"); return nil }
func (r *recorder) Lost(*Error)              { r.add("lost") }
func (r *recorder) Begin() error             { r.add("begin"); return nil }
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

// line is an event in short: "u a tx=1 seq=2", "meta spec seq=3".
func line(t *testing.T, short string) Event {
	t.Helper()
	ops := map[string]string{"s": "snapshot", "c": "create", "u": "update", "d": "delete", "r": "reject"}
	parts := strings.Fields(short)
	text, more := `{"kind":"meta"`, parts[1:]
	switch {
	case parts[0] != "meta":
		text, more = fmt.Sprintf(`{"kind":"node","op":%q,"id":%q`, ops[parts[0]], parts[1]), parts[2:]
	case len(more) > 0 && !strings.Contains(more[0], "="):
		text, more = fmt.Sprintf(`{"kind":"meta","object":{"profile":%q}`, more[0]), more[1:]
	}
	for _, p := range more {
		k, v, _ := strings.Cut(p, "=")
		text += fmt.Sprintf(`,%q:%s`, k, v)
	}
	return mustDecode(t, text+"}")
}

func TestSequencer(t *testing.T) {
	for _, c := range []struct {
		name     string
		onGap    OnGap
		lines    string
		want     string
		err      string
		remember int
		counts   [3]int // duplicates, gaps, skipped
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
		{name: "a duplicate in other words", lines: `u a seq=7 tx=1 time="2026-11-20T10:00:00Z"/u a time="2026-11-20T10:00:00Z" tx=1 seq=7/u b seq=8`,
			want: "step a (1-1)/step b (3-3)", counts: [3]int{1, 0, 0}},
		{name: "another line with the number of an earlier one", lines: "u a seq=7/u b seq=8/u c seq=7/u d seq=9", want: "step a (1-1)/step b (2-2)", err: "seq 7 of the default stream comes again after 8, and differs from the earlier line of that number: another recording or writer seems to begin here"},
		{name: "a number that is not remembered", lines: "u a seq=7/u b seq=8/u a seq=1", want: "step a (1-1)/step b (2-2)", err: "is not among the last 2 lines"},
		{name: "the same of which too much is forgotten", remember: 2, lines: "u a seq=1/u b seq=2/u c seq=3/u b seq=2/u a seq=1",
			want: "step a (1-1)/step b (2-2)/step c (3-3)", err: "seq 1 of the default stream comes again after 3, and is not among the last 2 lines", counts: [3]int{1, 0, 0}},
		{name: "another writer, resynchronised", onGap: ResyncOnGap, lines: "u a seq=1/u b seq=2/u c seq=3/u x seq=1/u y seq=2/s d seq=3/u e seq=4/u e seq=4",
			want: "step a (1-1)/step b (2-2)/step c (3-3)/lost/snapshot d/end/step e (7-7)", counts: [3]int{1, 0, 2}},
		{name: "another writer, which begins with a snapshot", onGap: ResyncOnGap, lines: "u a seq=1/u b seq=2/s x seq=1/s y seq=2/u e seq=3",
			want: "step a (1-1)/step b (2-2)/lost/snapshot x/snapshot y/end/step e (5-5)"},
		{name: "late lines of a gap", onGap: ResyncOnGap, lines: "u a seq=1/u b seq=5/u z seq=2/s d seq=6/u y seq=4/u e seq=7/u b seq=5",
			want: "step a (1-1)/lost/snapshot d/end/step e (6-6)", counts: [3]int{1, 1, 3}},
		{name: "late lines of a wide gap", onGap: ResyncOnGap, lines: "u a seq=1/s b seq=9000/u z seq=4000/u e seq=9001/u a seq=1/u y seq=2",
			want: "step a (1-1)/lost/snapshot b/end/step e (4-4)", counts: [3]int{1, 1, 2}},
		{name: "beyond a gap something else", onGap: ResyncOnGap, lines: "u a seq=1/s b seq=9/u e seq=10/u z seq=1", want: "step a (1-1)/lost/snapshot b/end/step e (3-3)/lost", counts: [3]int{0, 1, 1}},

		{name: "a meta line between, and the next number", lines: "meta/u a seq=1/meta/u b seq=2", want: "meta/step a (2-2)/meta/step b (4-4)"},
		{name: "another meta line between, and the next number", lines: "meta/u a seq=1/meta moby/u b seq=2", want: "meta/step a (2-2)/meta/step b (4-4)"},
		{name: "a meta line between, and a gap", lines: "meta/u a seq=1/meta/u b seq=3", want: "meta/step a (2-2)", err: "gap in the default stream: seq 3 follows 1"},
		{name: "a meta line between, and a gap that is resynchronised", onGap: ResyncOnGap, lines: "meta/u a seq=1/meta moby/s x/u b seq=3", counts: [3]int{0, 1, 0},
			want: "meta/step a (2-2)/lost/meta/snapshot x/end/step b (5-5)"},
		{name: "snapshots behind a meta line, and the next number", lines: "u a seq=1/meta/s x/s y/s x/u b seq=2", want: "step a (1-1)/meta/snapshot x/snapshot y/end/step b (6-6)"},
		{name: "a new recording", lines: "meta/s x/u a seq=1/u b seq=2/meta/s y/u c seq=1/u d seq=2/u d seq=2",
			want: "meta/snapshot x/end/step a (3-3)/step b (4-4)/begin/meta/snapshot y/end/step c (7-7)/step d (8-8)", counts: [3]int{1, 0, 0}},
		{name: "a new recording whose first line is that of the one before", lines: "meta/u a seq=1/u b seq=2/meta/u a seq=1/u b seq=2",
			want: "meta/step a (2-2)/step b (3-3)/begin/meta/step a (5-5)/step b (6-6)"},
		{name: "a new recording whose snapshots have numbers", lines: "meta/u a seq=1/meta/s x seq=1/u b seq=2", want: "meta/step a (2-2)/begin/meta/snapshot x/end/step b (5-5)"},
		{name: "a new recording ends a transaction", lines: "u a seq=1 tx=1/meta/u b seq=1 tx=1", want: "step a (1-1)/begin/meta/step b (3-3)"},
		{name: "a new recording behind a gap", lines: "u a seq=1/meta/u b seq=1/u c seq=5", want: "step a (1-1)/begin/meta/step b (3-3)", err: "seq 5 follows 1"},
		{name: "a new recording behind another writer", onGap: ResyncOnGap, lines: "u a seq=1/u b seq=2/u c seq=2/u d seq=3/meta/u e seq=1", counts: [3]int{0, 0, 2},
			want: "step a (1-1)/step b (2-2)/lost/begin/meta/step e (6-6)"},
		{name: "another meta line without numbers", lines: "meta/u a/meta moby/u b", want: "meta/step a (2-2)/begin/meta/step b (4-4)"},
		{name: "the same meta line without numbers", lines: "meta moby/u a tx=1/meta moby/u b tx=1", want: "meta/step a (2-2)/meta/step b (4-4)"},
		{name: "a first meta line, late, without numbers", lines: "u a/meta/u b", want: "step a (1-1)/begin/meta/step b (3-3)"},
		{name: "a meta line with a number of its own goes on", lines: "meta seq=1/u a seq=2/meta seq=3/u b seq=4", want: "meta/step a (2-2)/meta/step b (4-4)"},
		{name: "a meta line with a number of its own begins", lines: "meta seq=1/u a seq=2/u b seq=3/meta moby seq=1/u c seq=2", want: "meta/step a (2-2)/step b (3-3)/begin/meta/step c (5-5)"},
		{name: "a meta line with a number comes again", lines: "meta seq=1/u a seq=2/meta seq=1/u a seq=2/u b seq=3", want: "meta/step a (2-2)/step b (5-5)", counts: [3]int{2, 0, 0}},
		{name: "a meta line with a number comes again alone", lines: "meta seq=1/u a seq=2/meta seq=1/u b seq=3", want: "meta/step a (2-2)/step b (4-4)", counts: [3]int{1, 0, 0}},
		{name: "a meta line with a number comes again, with other lines", lines: "meta seq=1/u a seq=2/u b seq=3/meta seq=1/u c seq=2", want: "meta/step a (2-2)/step b (3-3)/begin/meta/step c (5-5)"},
		{name: "a line without a number after a meta line does not decide", lines: "meta/u a seq=1/u b seq=2/meta/u x/u a seq=1/u b seq=2", want: "meta/step a (2-2)/step b (3-3)/meta/step x (5-5)",
			err: "seq 1 of the default stream comes again after 2, and the line after the last meta line has no number: another recording or writer seems to begin here"},
		{name: "a line without a number, and the next number", lines: "meta/u a seq=1/meta/u x/u b seq=2/u b seq=2", want: "meta/step a (2-2)/meta/step x (4-4)/step b (5-5)", counts: [3]int{1, 0, 0}},
		{name: "the end behind a equal meta line", lines: "meta/u a seq=1/meta/s x", want: "meta/step a (2-2)/meta/snapshot x/end"},
		{name: "the end behind a meta line with other settings", lines: "meta/u a seq=1/meta moby/s x", want: "meta/step a (2-2)/begin/meta/snapshot x/end"},
		{name: "two meta lines, and the next number", lines: "u a seq=1/meta/s x/s y/meta/s y/s z/u b seq=2", want: "step a (1-1)/meta/snapshot x/snapshot y/snapshot z/end/step b (8-8)"},
		{name: "two meta lines, and a new recording", lines: "u a seq=1/meta/s x/s y/meta/s y/s z/u b seq=1", counts: [3]int{0, 0, 1},
			want: "step a (1-1)/begin/meta/snapshot y/snapshot z/end/step b (8-8)"},
		{name: "resync forgets the open transaction", onGap: ResyncOnGap, lines: "u a seq=1 tx=1/u b seq=3 tx=1/s c", want: "lost/snapshot c/end", counts: [3]int{0, 1, 2}},
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
				q, r := &Sequencer{OnGap: c.onGap, Remember: c.remember}, &recorder{}
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

// A repeated object counts as it does for the fields: the last.
func TestParseMetaTakesTheLastObject(t *testing.T) {
	ev := mustDecode(t, `{"object":{"profile":"moby","constants":{"n":1}},"kind":"meta","\u006fbject":{"constants":{"n":2}}}`)
	m, err := ParseMeta(&ev)
	if err != nil || m.Profile != "" || m.Constants["n"] != "2" {
		t.Errorf("got %+v, %v", m, err)
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
