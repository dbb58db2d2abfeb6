package validators

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

const gapFail, gapResync = trace.FailOnGap, trace.ResyncOnGap

// A stream that is lost is judged again from its next snapshot; the others go on.
// Of n, the state that was known before the loss would make the steps in between
// violations, and no state at all would make none of those that come after it.
func TestRecover(t *testing.T) {
	for _, c := range []struct {
		name  string
		onGap trace.OnGap
		lines string
		want  []string
	}{
		{name: "lost and found again", lines: "a:u n c\n!lose a\na:u n b\na:s n d\na:u n c",
			want: []string{"2: (a) the script says so", "5: [a tally Next 5(5-5)] tally: d to c"}},
		{name: "the others go on", lines: "a:u n c\nb:u n c\n!lose a\nb:u n b\na:u n b",
			want: []string{"3: (a) the script says so", "4: [b tally Next 4(4-4)] tally: c to b"}},
		{name: "lost once is enough", lines: "a:u n c\n!lose a\n!lose a\na:u n b\n!loseall",
			want: []string{"2: (a) the script says so"}},
		{name: "and lost again", lines: "a:u n c\n!lose a\na:s n c\na:u n c\n!lose a\na:u n b\na:s n c\na:u n b",
			want: []string{"2: (a) ", "5: (a) ", "8: [a tally Next 8(8-8)]"}},
		{name: "a stream that was not seen yet", lines: "!lose a\na:u n c\na:u n b\na:s n d\na:u n c\nb:u n b\nb:u n a",
			want: []string{"1: (a) ", "5: [a tally Next 5(5-5)]", "7: [b tally Next 7(7-7)]"}},
		{name: "all of them", lines: "a:u n c\nb:u n c\n!loseall\na:u n b\nb:u n b\nb:s n c\na:u n a\nb:u n a",
			want: []string{"3: (a) ", "3: (b) ", "8: [b tally Next 8(8-8)]"}},
		{name: "an open transaction is none", lines: "a:u n c\na:u n b tx=1\n!lose a\na:u n a tx=1\na:s n c\na:u n b",
			want: []string{"3: (a) ", "6: [a tally Next 6(6-6)]"}},
		{name: "what is left of a run of snapshots is none to go on from",
			lines: "a:s n d\n!lose a\na:s m d\na:u m c\na:s m d\na:s n d\na:u m c\na:u n c",
			want:  []string{"2: (a) ", "7: [a tally Next 7(7-7)]", "8: [a tally Next 8(8-8)]"}},
		{name: "nor is it after another loss", lines: "a:s n d\n!lose a\n!lose a\na:s m d\na:u m c\na:s m d\na:u m c",
			want: []string{"2: (a) ", "7: [a tally Next 7(7-7)]"}},
		{name: "nor is it after a gap", lines: "a:s n d\n!lose a\na:s m d seq=2\na:s k d seq=4\na:u k c seq=5\na:s m d\na:u m c",
			want: []string{"2: (a) ", "7: [a tally Next 7(7-7)]"}},
		{name: "nor after one that is resynchronised", onGap: gapResync, lines: "a:s n d\n!lose a\na:s m d seq=2\na:s k d seq=4\na:u k c seq=5\na:s m d\na:u m c",
			want: []string{"2: (a) ", "7: [a tally Next 7(7-7)]"}},
		{name: "but behind a gap that ends it", lines: "a:s n d\n!lose a\na:s m d seq=2\na:u m c seq=4\na:s m d\na:u m c seq=5",
			want: []string{"2: (a) ", "6: [a tally Next 6(6-6)]"}},

		{name: "a gap", lines: "a:u n d seq=1\na:u n d seq=3\na:u n c seq=4\na:u n c seq=9\na:s n e seq=10\na:u n d seq=11\nb:u n b",
			want: []string{`2: (a) gap in stream "a": seq 3 follows 1`, "6: [a tally Next 6(6-6)] tally: e to d"}},
		{name: "a gap before snapshots, all of which count", lines: "a:u n d seq=1\na:s n e seq=3\na:s m e seq=4\na:u n d seq=5\na:u m d seq=6",
			want: []string{"2: (a) gap", "4: [a tally Next 4(4-4)] tally: e to d", "5: [a tally Next 5(5-5)] tally: e to d"}},
		{name: "a second gap, before snapshots", lines: "a:u n d seq=1\na:u n d seq=3\na:s n e seq=5\na:u n d seq=6",
			want: []string{"2: (a) gap", "4: [a tally Next 4(4-4)] tally: e to d"}},
		{name: "a gap that is resynchronised is no trouble", onGap: gapResync, lines: "a:u n d seq=1\na:u n c seq=3\na:s n e seq=5\na:u n d seq=6",
			want: []string{"4: [a tally Next 4(4-4)] tally: e to d"}},
		{name: "a duplicate is none, lost or not", lines: "a:s n e seq=4\na:s n e seq=4\n!lose a\na:s n e seq=4\na:u n d seq=5\na:s n e seq=6\na:u n d seq=7",
			want: []string{"3: (a) ", "7: [a tally Next 7(7-7)] tally: e to d"}},

		{name: "another writer", lines: "a:u n d seq=1\na:u n d seq=2\na:u n c seq=1\na:u n b seq=2\na:s n e seq=3\na:u n d seq=4",
			want: []string{`3: (a) seq 1 of stream "a" comes again after 2, and differs from the earlier line of that number: another recording or writer seems to begin here`, "6: [a tally Next 6(6-6)] tally: e to d"}},
		{name: "another writer, which begins with snapshots", lines: "a:u n d seq=6\na:s n e seq=1\na:s m e seq=2\na:u n d seq=3\na:u m d seq=4",
			want: []string{`2: (a) seq 1 of stream "a" comes again after 6, and is not among the last 1 lines`, "4: [a tally Next 4(4-4)] tally: e to d", "5: [a tally Next 5(5-5)]"}},
		{name: "another writer, which begins with a meta line", lines: "a:u n d seq=6\n" + `a:meta {"steps":"batched"}` + "\na:s n e\na:u n d seq=1",
			want: []string{"4: [a tally Next 4(4-4)] tally: e to d"}},
		{name: "a late line of a gap", lines: "a:u n d seq=1\na:s n e seq=3\na:u n z seq=2\na:u n d seq=4",
			want: []string{"2: (a) gap", "4: [a tally Next 4(4-4)] tally: e to d"}},

		{name: "a step that cannot be judged", lines: "a:u n d\na:u n x\na:u n c\na:s n e\na:u n d",
			want: []string{"2: (a) out of its budget", "5: [a tally Next 5(5-5)] tally: e to d"}},
		{name: "found so by the snapshot behind it, which counts", lines: "a:u n d\na:u n x tx=1\na:s n e\na:u n d",
			want: []string{"3: (a) out of its budget", "4: [a tally Next 4(4-4)] tally: e to d"}},
		{name: "found so by the step behind it, which does not", lines: "a:u n d\na:u n x tx=1\na:u n c\na:u n b\na:s n e\na:u n d",
			want: []string{"3: (a) out of its budget", "6: [a tally Next 6(6-6)] tally: e to d"}},
		{name: "a kind that nobody reads", lines: "a:u n d\na:u task/t b\na:u n c\na:s n e\na:u task/t a\na:u n d",
			want: []string{`2: (a) no spec of this version reads events of kind "task"`, "6: [a tally Next 6(6-6)] tally: e to d"}},
		{name: "and not in the middle of a run of snapshots, of which the rest is none", lines: "a:s n d\na:s task/t b\na:s m d\na:u m c\na:s m d\na:u m c",
			want: []string{`2: (a) no spec of this version reads events of kind "task"`, "6: [a tally Next 6(6-6)]"}},
	} {
		t.Run(c.name, func(t *testing.T) { both(t, Options{OnGap: c.onGap}, c.lines, c.want...) })
	}
}

// A stream that is first seen when events of any stream are missing may have
// begun among them, unless it shows that it begins.
func TestLoseNew(t *testing.T) {
	for _, c := range []struct {
		name   string
		attach bool
		lines  string
		want   []string
	}{
		{name: "one that may have begun before", lines: "!losenew\na:u n c\na:u n b\na:s n d\na:u n c",
			want: []string{"2: (a) the script says so", "5: [a tally Next 5(5-5)] tally: d to c"}},
		{name: "those that are known are not meant", lines: "a:u n c\n!losenew\na:u n b", want: []string{"3: [a tally Next 3(3-3)]"}},
		{name: "nor are those that begin with a snapshot", lines: "!losenew\na:s n d\na:s m d\na:u n c\na:u m c",
			want: []string{"4: [a tally Next 4(4-4)]", "5: [a tally Next 5(5-5)]"}},
		{name: "or a meta line", lines: "!losenew\n" + `a:meta {"steps":"atomic"}` + "\na:u n c\na:u n b", want: []string{"4: [a tally Next 4(4-4)]"}},
		{name: "or may begin in the middle", attach: true, lines: "!losenew\na:u n c\na:u n b", want: []string{"3: [a tally Next 3(3-3)]"}},
		{name: "each by itself", lines: "!losenew\na:u n c\nb:s n c\nb:u n b\na:u n b\nc:u n b", want: []string{"2: (a)", "4: [b tally Next 4(4-4)]", "6: (c)"}},
	} {
		t.Run(c.name, func(t *testing.T) { both(t, Options{Attach: c.attach}, c.lines, c.want...) })
	}
}

// Settings that change are those of another recording, or that the stream goes on by.
func TestRecoverMeta(t *testing.T) {
	const again = "the meta line has other steps (batched, and not atomic)"
	for _, c := range []struct {
		name  string
		lines string
		steps string // with which machines were made, without restarts
		want  []string
	}{
		{name: "the same again", lines: `a:meta {"steps":"batched"}` + "\na:u n c\n" + `a:meta {"steps":"batched"}` + "\na:u n b",
			steps: "batched", want: []string{"4: [a tally Next 4(4-4)]"}},
		{name: "another", lines: `a:meta {"steps":"batched"}` + "\na:u n c\n" + `a:meta {"steps":"atomic"}` + "\na:u n b\na:s n d\na:u n c",
			steps: "batched atomic", want: []string{"6: [a tally Next 6(6-6)] tally: d to c"}},
		{name: "another, and the next number", lines: "a:u n c seq=1\n" + `a:meta {"steps":"batched"}` + "\na:u n b seq=2\na:s n d\na:u n c seq=3",
			steps: "atomic batched", want: []string{"3: (a) " + again, "5: [a tally Next 5(5-5)] tally: d to c"}},
		{name: "another with snapshots, and the next number", lines: "a:u n c seq=1\n" + `a:meta {"steps":"batched"}` + "\na:s n d\na:u n c seq=2",
			steps: "atomic batched", want: []string{"4: [a tally Next 4(4-4)] tally: d to c", "4: (a) " + again}},
		{name: "another, and a number that is too high", lines: "a:u n c seq=1\n" + `a:meta {"steps":"batched"}` + "\na:s n d\na:u n c seq=3",
			steps: "atomic batched", want: []string{"4: [a tally Next 4(4-4)] tally: d to c", "4: (a) gap"}},
		{name: "another, and a number that begins", lines: "a:u n c seq=1\n" + `a:meta {"steps":"batched"}` + "\na:s n d\na:u n c seq=1",
			steps: "atomic batched", want: []string{"4: [a tally Next 4(4-4)] tally: d to c"}},
		{name: "lost behind it", lines: "a:u n c seq=1\n" + `a:meta {"steps":"batched"}` + "\na:s n d\n!lose a\na:s m d\na:u n c seq=1\na:u m c seq=2\na:s m d\na:u m c seq=3",
			steps: "atomic batched", want: []string{"4: (a) ", "9: [a tally Next 9(9-9)] tally: d to c"}},
		{name: "a first one, late", lines: "a:u n c\n" + `a:meta {"steps":"batched"}` + "\na:s n d\na:u n c",
			steps: "atomic batched", want: []string{"4: [a tally Next 4(4-4)] tally: d to c"}},
		{name: "and the same again, before the snapshot", lines: "a:u n c\n" + `a:meta {"steps":"batched"}` + "\n" + `a:meta {"steps":"batched"}` + "\na:s n d\na:u n c",
			steps: "atomic batched", want: []string{"5: [a tally Next 5(5-5)] tally: d to c"}},
		{name: "another while lost", lines: "a:u n c seq=1\na:u n c seq=3\n" + `a:meta {"steps":"batched"} seq=4` + "\na:s n d seq=5\na:s m d seq=6\na:u n c seq=7\na:u m c seq=8",
			steps: "atomic batched", want: []string{"2: (a) gap", "6: [a tally Next 6(6-6)]", "7: [a tally Next 7(7-7)]"}},
		{name: "another at the gap", lines: "a:u n c seq=1\n" + `a:meta {"steps":"batched"} seq=4` + "\na:s n d seq=5\na:u n c seq=6",
			steps: "atomic batched", want: []string{"2: (a) gap", "4: [a tally Next 4(4-4)]"}},
		{name: "an old one while lost, seen before", lines: `a:meta {"steps":"atomic"} seq=1` + "\na:u n c seq=2\n" + `a:meta {"steps":"batched"} seq=3` + "\n" +
			`a:meta {"steps":"atomic"} seq=1` + "\na:s n d seq=4\na:u n c seq=5",
			steps: "atomic batched", want: []string{"3: (a) " + again, "6: [a tally Next 6(6-6)]"}},
		{name: "another, behind a step that cannot be judged", lines: "a:u n x tx=1\n" + `a:meta {"steps":"batched"}` + "\na:s n d\na:u n c",
			steps: "atomic batched", want: []string{"2: (a) out of its budget", "4: [a tally Next 4(4-4)]"}},
		{name: "unfit ones end it for good", lines: `a:meta {"spec":["tolly"]}` + "\na:u n c\na:u n b\n!lose a\na:s n c\na:u n b\nb:u n c\nb:u n b",
			want: []string{`1: (a for good) meta: unknown spec "tolly"`, "8: [b tally Next 8(8-8)]"}, steps: "atomic"},
		{name: "unfit ones, late", lines: "a:u n c\n" + `a:meta {"constants":{"limit":"bad"}}` + "\na:u n b\na:s n c\na:u n b\n" + `a:meta {"steps":"atomic"}` + "\na:s n c\na:u n b",
			want: []string{"2: (a for good) meta: limit must be a number", "8: [a tally Next 8(8-8)] tally: c to b"}, steps: "atomic atomic"},
		{name: "unfit ones while lost", lines: "a:u n c\n!lose a\n" + `a:meta {"profile":"strict"}` + "\na:s n c\na:u n b",
			want: []string{"2: (a) ", `3: (a for good) meta: unknown profile "strict"`}, steps: "atomic"},
		{name: "unfit ones at a gap", lines: "a:u n c seq=1\n" + `a:meta {"spec":["tolly"]} seq=4` + "\na:s n c seq=5\na:u n b seq=6",
			want: []string{"2: (a) gap", `2: (a for good) meta: unknown spec "tolly"`}, steps: "atomic"},
		{name: "ones that are no settings", lines: "a:u n c\n" + `a:meta {"steps":7}` + "\na:s n c\na:u n b", want: []string{"2: (a for good) "}, steps: "atomic"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := tally("tally", kinds.Node)
			made, inner := []string{}, spec.New
			spec.New = func(c Config) (Machine, error) {
				if c.Ledger != nil { // not only to check the settings
					made = append(made, string(c.Steps))
				}
				return inner(c)
			}
			opts := Options{Specs: []*Spec{spec}, OnGap: gapFail}
			play(t, opts, false, c.lines)
			if got := strings.Join(made, " "); got != c.steps {
				t.Errorf("machines were made for %q, want %q", got, c.steps)
			}
			both(t, opts, c.lines, c.want...)
		})
	}
}

// Two specs that share a kind: what one states is withheld until a kind of its own
// comes, in a run without end up to a bound.
func TestWithheld(t *testing.T) {
	two := []*Spec{tally("one", kinds.Node, kinds.Task), tally("two", kinds.Node, kinds.Container)}
	back := func(n int) string { // as many steps that go back
		return strings.Repeat("\na:u n c\na:u n b", n)[1:]
	}
	t.Run("reported when its kind comes", func(t *testing.T) {
		s := play(t, Options{Specs: two}, true, back(3)+"\na:u task/t b")
		if len(s.out) != 3 || !strings.HasPrefix(s.out[0], "7: [a one Next 2(2-2)]") {
			t.Errorf("reported %q", s.out)
		}
		s.Status(true, func(st *StreamStatus) {
			if st.Violations != 3 || !slices.Equal(st.Specs, []string{"one"}) {
				t.Errorf("%+v, want the 3 violations that were reported", st)
			}
		})
	})
	for _, restart := range []bool{false, true} {
		lines := back(mostWithheld)
		s := play(t, Options{Specs: two}, false, lines)
		if len(s.out) != 0 {
			t.Errorf("at the bound: reported %q", s.out)
		}
		s.Status(true, func(st *StreamStatus) {
			if st.Violations != 0 || st.Unusable != "" {
				t.Errorf("%+v, and nothing was reported", st)
			}
		})
		step := func(n int, short string) {
			var d trace.Decoder
			if err := s.Push([]trace.Event{shortEvent(t, &d, short, n)}); err != nil {
				t.Fatal(err)
			}
			s.report(n)
			if restart {
				s.begin()
			}
		}
		for i, short := range []string{
			"a:u n a", "a:u n c", "a:u n b", // one too many: nobody judges any more, and there are no more troubles
			"a:u container/c b", "a:u n a", // two is to judge, and cannot
			"a:s n e", "a:u n d", // from here on it can
			"a:u task/t b", // one is to judge, too, and is well again
			"a:u n c",
		} {
			step(10001+i, short)
		}
		want := []string{"10001: (a) more than 1000 steps are none of one, ", "10001: (a) more than 1000 steps are none of two, ",
			"10004: (a) more than 1000 steps are none of two, ", "10007: [a two Next 10007(10007-10007)] two: e to d",
			"10008: [a one Next 10007(10007-10007)] one: e to d", "10009: [a one Next 10009(10009-10009)] one: d to c",
			"10009: [a two Next 10009(10009-10009)] two: d to c"}
		for i := range max(len(want), len(s.out)) {
			if len(s.out) != len(want) || !strings.HasPrefix(s.out[i], want[i]) {
				t.Errorf("restarts %v: reported\n\t%s\nwant\n\t%s", restart, strings.Join(s.out, "\n\t"), strings.Join(want, "\n\t"))
				break
			}
		}
	}
	t.Run("where another judges, nobody reports the bound", func(t *testing.T) {
		s := play(t, Options{Specs: two}, false, "a:u container/c b\n"+back(mostWithheld+1))
		if len(s.out) != mostWithheld+1 || slices.ContainsFunc(s.out, func(o string) bool { return !strings.Contains(o, "[a two Next") }) {
			t.Errorf("reported %d things, the last %q; want the violations of two", len(s.out), s.out[len(s.out)-1])
		}
	})
	t.Run("a run with an end has no bound", func(t *testing.T) {
		r := runShort(t, Options{Specs: two, KeepGoing: true}, back(mostWithheld+5)+"\na:u task/t b")
		if len(r.Violations) != mostWithheld+5 {
			t.Errorf("%d violations, want %d", len(r.Violations), mostWithheld+5)
		}
	})
	t.Run("a judge that could not judge", func(t *testing.T) {
		both(t, Options{Specs: two}, "a:u n x\na:u task/t b\na:u n d\na:s n d\na:u n c",
			"2: (a) out of its budget", "5: [a one Next 5(5-5)] one: d to c")
	})
}

// What is withheld outlives a restart to the byte.
func TestWithheldBothWays(t *testing.T) {
	two := []*Spec{tally("one", kinds.Node, kinds.Task), tally("two", kinds.Node, kinds.Container)}
	var reported []string
	for _, restart := range []bool{false, true} {
		opts := Options{Specs: two, KeepGoing: true, Recover: true}
		s := &script{t: t, opts: opts}
		s.Runner = s.runner()
		var d trace.Decoder
		for i, line := range []string{
			`{"kind":"node","op":"update","id":"n","seq":1,"object":{"state":"b"}}`,
			`{ "kind": "node", "op":"update", "id":"n<&>", "seq":2, "tx": "y", "object" : {"state":"b"} }`,
			`{ "kind": "node", "op":"update", "id":"n", "seq":3, "tx": "y", "time":"2026-11-20T10:00:00Z", "object" : {"state":"a"} }`,
			`{"kind":"task","op":"update","id":"t","seq":4,"object":{"state":"b"}}`,
		} {
			var ev trace.Event
			if err := d.Decode([]byte(line), trace.MessagePos(trace.MessageFile("t", 3), int64(i)), &ev); err != nil {
				t.Fatal(err)
			}
			if err := s.Push([]trace.Event{ev}); err != nil {
				t.Fatal(err)
			}
			if restart && i < 3 {
				s.begin()
			}
		}
		found, _ := s.Take()
		if len(found) != 1 || *found[0].Offset != 2 || *found[0].Seq != 3 || !strings.HasPrefix(string(found[0].Events[0].Raw), `{ "kind": "node", `) {
			t.Fatalf("%+v", found)
		}
		found[0].Offset, found[0].Seq = nil, nil // pointers
		reported = append(reported, fmt.Sprintf("%#v", found))
	}
	if reported[0] != reported[1] {
		t.Errorf("reported\n%s\nand after restarts\n%s", reported[0], reported[1])
	}
}
