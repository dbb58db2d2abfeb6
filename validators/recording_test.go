package validators

import (
	"fmt"
	"strings"
	"testing"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// Several recordings in one stream: each is judged as alone.
func TestRecordings(t *testing.T) {
	for _, c := range []struct {
		name, lines, want, reason string
		notes                     []string
		opts                      Options
	}{
		{name: "each up to its first violating step", lines: "a:meta {}\na:u n c seq=1\na:u n b seq=2\na:u n a seq=3\na:meta {}\na:u n b seq=1\na:u n a seq=2\na:u n c seq=3",
			want: "violation 8/4/2 [a tally Next 3(3-3)] [a tally Next 7(7-7)]"},
		{name: "past it", opts: Options{KeepGoing: true}, lines: "a:meta {}\na:u n c seq=1\na:u n b seq=2\na:u n a seq=3\na:meta {}\na:u n b seq=1\na:u n a seq=2",
			want: "violation 7/5/2 [a tally Next 3(3-3)] [a tally Next 4(4-4)] [a tally Next 7(7-7)]"},
		{name: "from its own snapshots", lines: "a:s n z seq=1\na:u n z seq=2\na:meta {}\na:s m b\na:u n a seq=1\na:u m a seq=2",
			want: "violation 6/2/2 [a tally NotZ 1(1-1)] [a tally Next 6(6-6)]"},
		{name: "behind one that cannot be judged on", lines: "a:u n c seq=1\na:u n d seq=3\na:u n b seq=4\na:meta {}\na:u n b seq=1\na:u n a seq=2",
			want: "unusable 6/3/2 [a tally Next 6(6-6)]", reason: "gap in stream \"a\": seq 3 follows 1"},
		{name: "behind another writer", lines: "a:u n c seq=1\na:u n d seq=2\na:u n b seq=1\na:u n a seq=2\na:meta {}\na:u n b seq=1\na:u n a seq=2",
			want: "unusable 7/4/2 [a tally Next 7(7-7)]", reason: `f:3: seq 1 of stream "a" comes again after 2, and differs from the earlier line of that number: another recording or writer seems to begin here`},
		{name: "by their own settings", lines: "a:meta {\"constants\":{\"limit\":\"bad\"}}\na:u n c seq=1\na:meta {}\na:u n b seq=1\na:u n a seq=2",
			want: "unusable 5/2/2 [a tally Next 5(5-5)]", reason: "limit must be a number"},
		{name: "an open transaction ends with its recording", lines: "a:u n c seq=1 tx=1\na:meta {}\na:u n b seq=1 tx=1\na:u n a seq=2 tx=1",
			want: "violation 4/2/2 [a tally Next 4(3-4)]"},
		{name: "one that ends behind a gap", opts: Options{OnGap: gapResync}, lines: "a:u n c seq=1\na:u n d seq=3\na:meta {}\na:u n b seq=1",
			want: "unusable 4/2/2", reason: "ends after a gap, with no snapshot to resume from"},
		{name: "one of a transaction that a gap cuts off", opts: Options{OnGap: gapResync}, lines: "a:u n c seq=7 tx=1\na:u n d seq=9\na:meta {}\na:u n b seq=5",
			want: "unusable 4/1/2", reason: "ends after a gap, with no snapshot to resume from", notes: []string{`no step of recording 1 of stream "a" was judged: all of its 2 lines were skipped`}},
		{name: "without a time", opts: Options{Deadline: 1}, lines: "a:u n c seq=1\na:meta {}\na:u n b seq=1 time=\"2026-11-20T10:00:00Z\"",
			want: "unusable 3/2/2", reason: "has no event with a time"},
		{name: "without numbers", lines: "a:meta {}\na:u n c\na:meta {}\na:u n d\na:meta {\"steps\":\"atomic\"}\na:u n b\na:u n a",
			want: "violation 7/4/2 [a tally Next 7(7-7)]"},
		{name: "the same again", lines: "a:meta {}\na:u n c seq=1\na:u n b seq=2\na:meta {}\na:u n c seq=1\na:u n b seq=2",
			want: "violation 6/4/2 [a tally Next 3(3-3)] [a tally Next 6(6-6)]"},
		{name: "two of different streams", lines: "a:u n c seq=1\nb:u n c seq=1\na:meta {}\na:u n b seq=1\nb:u n b seq=2",
			want: "violation 5/4/3 [b tally Next 5(5-5)]"},

		{name: "other settings, and the next number", lines: "a:meta {}\na:u n c seq=1\na:meta {\"steps\":\"batched\"}\na:u n d seq=2\na:u n b seq=3",
			want: "unusable 5/1/1", reason: `f:3: the meta line has other steps (batched, and not atomic), and stream "a" continues after it: there, a meta line may change only constants`},
		{name: "another profile, and the next number", lines: "a:meta {}\na:u n c seq=1\na:meta {\"profile\":\"moby\"}\na:u n d seq=2",
			want: "unusable 4/1/1", reason: "other profile (moby, and not spec)"},
		{name: "another spec, and the next number", lines: "a:meta {}\na:u n c seq=1\na:meta {\"spec\":[\"tally\"]}\na:u n d seq=2",
			want: "unusable 4/1/1", reason: "other specs"},
		{name: "options take precedence", opts: Options{Steps: Batched}, lines: "a:meta {}\na:u n c seq=1\na:meta {\"steps\":\"atomic\"}\na:u n b seq=2",
			want: "violation 4/2/1 [a tally Next 4(4-4)]"},
		{name: "what is spelled out is no change", lines: "a:meta {}\na:u n c seq=1\na:meta {\"steps\":\"atomic\",\"profile\":\"spec\"}\na:u n b seq=2",
			want: "violation 4/2/1 [a tally Next 4(4-4)]"},
		{name: "other constants, and the next number", lines: "a:meta {}\na:u n c seq=1\na:meta {\"constants\":{\"limit\":1}}\na:u n b seq=2",
			want: "violation 4/2/1 [a tally Next 4(4-4)]"},
		{name: "unfit constants, and the next number", lines: "a:meta {}\na:u n c seq=1\na:meta {\"constants\":{\"limit\":\"bad\"}}\na:u n b seq=2",
			want: "unusable 4/1/1", reason: "limit must be a number"},
		{name: "snapshots overlay the state where the stream goes on", lines: "a:u n c seq=1\na:u m c seq=2\na:meta {}\na:s n d\na:u n c seq=3\na:u m b seq=4",
			opts: Options{KeepGoing: true}, want: "violation 6/4/1 [a tally Next 5(5-5)] [a tally Next 6(6-6)]"},

		{name: "duplicates are none of what was judged", lines: "a:u n c seq=1\na:u n c seq=1\na:u n c seq=1", want: "conforming 3/1/1"},
		{name: "another writer, resynchronised", opts: Options{OnGap: gapResync}, lines: "a:u n c seq=1\na:u n d seq=2\na:u n b seq=1\na:s n d seq=2\na:u n c seq=3",
			want: "violation 5/3/1 [a tally Next 5(5-5)]", notes: []string{`f:3: seq 1 of stream "a" comes again`}},
		{name: "another writer, resynchronised, to the end", opts: Options{OnGap: gapResync}, lines: "a:u n c seq=1\na:u n d seq=2\na:u n b seq=1",
			want: "unusable 3/2/1", reason: `ends after a line of another recording or writer, with no snapshot to resume from`, notes: []string{"comes again"}},
		{name: "a stream of which nothing is judged", opts: Options{Select: []string{"tally"}}, lines: "a:u n c seq=1\nb:meta {}\nb:u task/x c seq=1\nb:u task/x c seq=2",
			want: "conforming 4/1/2", notes: []string{`no step of stream "b" was judged: all of its 2 lines`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := runShort(t, c.opts, c.lines)
			if got := inShort(r); got != c.want {
				t.Errorf("got  %s (%s)\nwant %s", got, r.Reason, c.want)
			}
			if !strings.Contains(r.Reason, c.reason) || c.reason == "" && r.Reason != "" {
				t.Errorf("the reason is %q, want %q", r.Reason, c.reason)
			}
			if len(r.Notes) != len(c.notes) {
				t.Fatalf("the notes are %q, want %q", r.Notes, c.notes)
			}
			for i := range c.notes {
				if !strings.Contains(r.Notes[i], c.notes[i]) {
					t.Errorf("the notes are %q, want %q", r.Notes, c.notes)
				}
			}
		})
	}
}

// Notes on files: that nothing of one was judged, and that time goes
// backwards.
func TestNotes(t *testing.T) {
	type in struct{ file, short string }
	at := func(second int) string { return fmt.Sprintf(` time="2026-11-20T10:00:%02dZ"`, second) }
	for _, c := range []struct {
		name  string
		lines []in
		want  []string
	}{
		{"a file that was given twice", []in{{"x", "a:u n c seq=1"}, {"y", "a:u n c seq=1"}}, []string{"no step of y was judged: all of its 1 lines were skipped"}},
		{"one that has a step more", []in{{"x", "a:u n c seq=1"}, {"y", "a:u n c seq=1"}, {"y", "a:u n c seq=2"}}, nil},
		{"one behind a violation", []in{{"x", "a:u n c seq=1"}, {"x", "a:u n b seq=2"}, {"y", "a:u n c seq=3"}}, nil},
		{"one of snapshots alone", []in{{"x", "a:u n c seq=1"}, {"y", "b:s n c seq=1"}}, nil},
		{"a step of two files", []in{{"x", "a:u n c seq=1 tx=1"}, {"y", "a:u m c seq=2 tx=1"}}, nil},
		{"time that goes backwards a little", []in{{"x", "a:u n c" + at(9)}, {"x", "a:u n c" + at(8)}}, nil},
		{"time that goes backwards", []in{{"x", "a:u n c" + at(30)}, {"y", "a:u n c" + at(1)}, {"y", "a:u n c" + at(10)}, {"y", "a:u n c" + at(29)}},
			[]string{"y:2: the time goes backwards here, by up to 29s at 2 such events"}},
		{"a constant that no spec has", []in{{"x", `a:meta {"constants":{"roof":1,"limit":2,"roof2":1}}`}, {"x", "a:u n c"}, {"x", `b:meta {"constants":{"limits":2}}`}, {"x", "b:u n c"}},
			[]string{`x:1: the constant "roof" has no effect, since no spec has it (`}},
		{"one that is nearly there", []in{{"x", `a:meta {"constants":{"limits":2}}`}, {"x", "a:u n c"}},
			[]string{`x:1: the constant "limits" has no effect, since no spec has it (did you mean "limit"?)`}},
		{"of another stream", []in{{"x", "a:u n c" + at(30)}, {"x", "b:u n c" + at(1)}}, nil},
		{"of another recording", []in{{"x", "a:u n c seq=1" + at(30)}, {"x", "a:meta {}"}, {"x", "a:u n c seq=1" + at(1)}}, nil},
		{"of a duplicate", []in{{"x", "a:u n c seq=1" + at(1)}, {"x", "a:u n c seq=2" + at(30)}, {"x", "a:u n c seq=1" + at(1)}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, shards := range []int{1, 3} {
				r, err := NewRunner(Options{Specs: []*Spec{tally("tally", kinds.Node)}, Shards: shards})
				if err != nil {
					t.Fatal(err)
				}
				for i, l := range c.lines {
					var d trace.Decoder
					ev := shortEvent(t, &d, l.short, i+1)
					ev.Pos.File = l.file
					if err := r.Push([]trace.Event{ev}); err != nil {
						t.Fatal(err)
					}
				}
				got := r.Finish().Notes
				if len(got) != len(c.want) {
					t.Fatalf("got %q, want %q", got, c.want)
				}
				for i := range got {
					if !strings.Contains(got[i], c.want[i]) {
						t.Errorf("got %q, want %q", got[i], c.want[i])
					}
				}
			}
		})
	}
}
