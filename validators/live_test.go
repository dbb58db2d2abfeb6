package validators

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// push pushes the lines, all at once.
func (s *script) push(from int, lines ...string) {
	s.t.Helper()
	var d trace.Decoder
	events := make([]trace.Event, len(lines))
	for i, line := range lines {
		events[i] = shortEvent(s.t, &d, line, from+i)
	}
	if err := s.Push(events); err != nil {
		s.t.Fatal(err)
	}
}

// newScript is a run without end, with so many shards.
func newScript(t *testing.T, opts Options) *script {
	t.Helper()
	opts.KeepGoing, opts.Recover = true, true
	if opts.Specs == nil {
		opts.Specs = []*Spec{tally("tally", kinds.Node)}
	}
	s := &script{t: t, opts: opts}
	s.Runner = s.runner()
	return s
}

// What is taken is in the order of the input, however many shards judge, and is
// not taken twice.
func TestTake(t *testing.T) {
	for shards := 1; shards <= 5; shards++ {
		s := newScript(t, Options{Shards: shards})
		var lines []string
		var want []string
		for i := range 5 {
			lines = append(lines, fmt.Sprintf("s%d:u n c", i))
		}
		for i := range 5 { // the later ones first
			lines = append(lines, fmt.Sprintf("s%d:u n b", 4-i))
			want = append(want, fmt.Sprintf("1: [s%d tally Next %d(%[2]d-%[2]d)] tally: c to b", 4-i, 6+i))
		}
		for i := range 5 {
			lines = append(lines, fmt.Sprintf("s%d:u n x", i))
		}
		for i := range 5 {
			want = append(want, fmt.Sprintf("1: (s%d) out of its budget", i))
		}
		s.push(1, lines...)
		s.report(1)
		if !slices.Equal(s.out, want) {
			t.Fatalf("%d shards: taken\n%s\nwant\n%s", shards, strings.Join(s.out, "\n"), strings.Join(want, "\n"))
		}
		if s.report(2); len(s.out) != len(want) {
			t.Errorf("taken twice: %q", s.out[len(want):])
		}
		s.push(100, "s2:s n c", "s2:u n b")
		if s.report(3); len(s.out) != len(want)+1 || s.out[len(want)] != "3: [s2 tally Next 101(101-101)] tally: c to b" {
			t.Errorf("taken then %q", s.out[len(want):])
		}
		if found := s.Finish().Violations; len(found) != 0 {
			t.Errorf("the result has what was taken: %v", found)
		}
	}
}

// What is not taken is in the result.
func TestFinishWithoutTake(t *testing.T) {
	s := newScript(t, Options{})
	s.push(1, "a:u n c", "a:u n b")
	s.Take()
	s.push(3, "a:u n a")
	if found := s.Finish().Violations; len(found) != 1 || found[0].Line != 3 {
		t.Errorf("%+v, want what was not taken", found)
	}
}

// TestSaveChanged: Save yields what has changed, or all; Status likewise, of its
// own.
func TestSaveChanged(t *testing.T) {
	s := newScript(t, Options{})
	check := func(what string, all bool, want string) {
		t.Helper()
		var saved, reported []string
		s.Save(all, func(stream string, state []byte) { saved = append(saved, stream) })
		s.Status(all, func(st *StreamStatus) { reported = append(reported, st.Stream) })
		slices.Sort(saved)
		slices.Sort(reported)
		if got := strings.Join(saved, " "); got != want {
			t.Errorf("%s: saved %q, want %q", what, got, want)
		}
		if got := strings.Join(reported, " "); got != want {
			t.Errorf("%s: reported %q, want %q", what, got, want)
		}
	}
	check("nothing yet", false, "")
	s.push(1, "a:u n b", "b:u n b", "c:u n b")
	check("new ones", false, "a b c")
	check("nothing since", false, "")
	s.push(4, "b:u n b")
	check("one", false, "b")
	s.push(5, "c:u n b tx=1")
	check("an open transaction", false, "c")
	s.push(6, "c:u n b seq=5", "c:u n b seq=5")
	check("a duplicate", false, "c")
	s.Lose("a", &trace.Error{Reason: "lost"})
	check("one that was lost", false, "a")
	s.push(8, "a:u n b")
	check("what a lost one skips", false, "a") // it is counted
	s.push(9, "b:meta {}", `d:meta {"spec":["tolly"]}`)
	check("ones that end", false, "b d")
	s.LoseAll(&trace.Error{Reason: "lost"})
	check("only those that are judged at all can be lost", false, "a b c")
	check("all", true, "a b c d")
	check("and nothing since", false, "")
	s.begin()
	check("those that were restored are as they were saved", false, "")
	check("but they are there", true, "a b c d")
	s.push(11, "e:u n b")
	check("and others come", false, "e")
}

// TestRestoreOrder: the streams of a result are in the order in which they
// began, in whichever run that was.
func TestRestoreOrder(t *testing.T) {
	var want []string
	for _, restart := range []bool{false, true} {
		s := newScript(t, Options{Specs: []*Spec{patience}})
		for i, stream := range []string{"q", "c", "x", "a", "y", "b", "d"} {
			s.push(i+1, stream+":u n b", "c:u n b")
			if restart {
				s.begin()
			}
		}
		var got []string
		for _, l := range s.Finish().Liveness {
			got = append(got, l.Stream)
		}
		if want == nil {
			want = []string{"q", "c", "x", "a", "y", "b", "d"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("restarts %v: %q, want %q", restart, got, want)
		}
	}
}
