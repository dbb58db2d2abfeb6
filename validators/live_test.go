package validators

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/trace"
	"tracecheck/trace/codec"
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

// newScript is a run without end, by the shards told.
func newScript(t *testing.T, opts Options) *script {
	t.Helper()
	opts.KeepGoing, opts.Recover = true, true
	if opts.Specs == nil {
		opts.Specs = []*Spec{tally("tally", trace.KindNode)}
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
		s.tell(1)
		if !slices.Equal(s.out, want) {
			t.Fatalf("%d shards: taken\n%s\nwant\n%s", shards, strings.Join(s.out, "\n"), strings.Join(want, "\n"))
		}
		if s.tell(2); len(s.out) != len(want) {
			t.Errorf("taken twice: %q", s.out[len(want):])
		}
		s.push(100, "s2:s n c", "s2:u n b")
		if s.tell(3); len(s.out) != len(want)+1 || s.out[len(want)] != "3: [s2 tally Next 101(101-101)] tally: c to b" {
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
		var saved, told []string
		s.Save(all, func(stream string, state []byte) { saved = append(saved, stream) })
		s.Status(all, func(st *StreamStatus) { told = append(told, st.Stream) })
		slices.Sort(saved)
		slices.Sort(told)
		if got := strings.Join(saved, " "); got != want {
			t.Errorf("%s: saved %q, want %q", what, got, want)
		}
		if got := strings.Join(told, " "); got != want {
			t.Errorf("%s: told of %q, want %q", what, got, want)
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
	s.Lose("a", &trace.Error{Reason: "told so"})
	check("one that was lost", false, "a")
	s.push(8, "a:u n b")
	check("what a lost one skips", false, "a") // it is counted
	s.push(9, "b:meta {}", `d:meta {"spec":["tolly"]}`)
	check("ones that end", false, "b d")
	s.LoseAll(&trace.Error{Reason: "told so"})
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

// patience is a tally whose objects wait for "Go" until their state is past "m";
// those whose id begins with g only while the object "gate" is in state "open".
var patience = func() *Spec {
	spec := tally("patience", trace.KindNode)
	inner := spec.New
	spec.Waits = []string{1: "Go"}
	spec.Temporal = []Temporal{{Name: "WF(Go)", Waits: []Wait{1}}}
	spec.New = func(c Config) (Machine, error) {
		m, err := inner(c)
		if err != nil {
			return nil, err
		}
		return &patient{tallier: m.(*tallier), ledger: c.Ledger, waits: map[string]*Obligation{}}, nil
	}
	return spec
}()

type patient struct {
	*tallier
	ledger *Ledger
	gate   Gate
	waits  map[string]*Obligation
}

func (m *patient) follow() {
	m.ledger.SetGate(&m.gate, m.state["gate"] == "open")
	for id, state := range m.state {
		want := Want{For: 1, Of: named(id)}
		if strings.HasPrefix(id, "g") {
			want.Gate = &m.gate
		}
		if state > "m" {
			want = Want{}
		}
		m.waits[id] = m.ledger.Set(m.waits[id], want)
	}
}

func (m *patient) Lost() { m.tallier.Lost(); m.gate, m.waits = Gate{}, map[string]*Obligation{} }

func (m *patient) Snapshot(ev *trace.Event) { m.tallier.Snapshot(ev); m.follow() }

func (m *patient) Step(s *trace.Step) ([]Finding, bool, error) {
	_, judged, err := m.tallier.Step(s)
	m.follow()
	return nil, judged, err
}

func (m *patient) Persist(c *codec.Codec) {
	m.tallier.Persist(c)
	if c.Reading() {
		m.follow()
	}
	m.ledger.Gate(c, &m.gate)
}

// TestStatus: what is told of a stream, without restarts and with one after each
// event.
func TestStatus(t *testing.T) {
	const base = "2026-11-20T10:00:0"
	lines := []string{
		`a:u n1 b time="` + base + `0Z"`,
		`a:u g1 b time="` + base + `1Z"`,
		`b:u n1 b`,
		`a:u n1 y time="` + base + `2Z"`,
		`a:u gate open time="` + base + `3Z" seq=7`,
		`a:u n2 b time="` + base + `4Z" seq=7`, // seen before
		`a:u n2 b time="` + base + `4Z"`,
		`a:u gate shut time="` + base + `5Z"`,
		`a:s n3 b time="` + base + `6Z"`,
	}
	gap := `a:u n4 b seq=9`
	for _, restart := range []bool{false, true} {
		s := newScript(t, Options{Specs: []*Spec{patience}})
		var got []string
		status := func() {
			s.Status(true, func(st *StreamStatus) {
				if st.Stream != "a" {
					return
				}
				waiting := ""
				if l := s.Waiting("a"); len(l) == 1 {
					waiting = fmt.Sprintf("%d open, %d met", l[0].Open, l[0].Satisfied)
					if l[0].Open != st.Open {
						t.Errorf("%d obligations are open, and of them %d are listed", st.Open, l[0].Open)
					}
				}
				oldest := ""
				if st.Open > 0 {
					oldest = " since line " + fmt.Sprint(st.Oldest.Pos.Line) + " " + st.Oldest.At().Format(time.TimeOnly)
				}
				got = append(got, fmt.Sprintf("%q %v %d events, %d duplicates, %d objects, %s, %d%s; %s",
					st.Unusable, st.Specs, st.Events, st.Duplicates, st.Objects, st.Time, st.Open, oldest, waiting))
			})
		}
		for i, line := range append(lines, gap) {
			s.push(i+1, line)
			if restart {
				s.begin()
			}
			status()
		}
		at := func(second int) string { return fmt.Sprintf("%s%dZ", base, second) }
		want := []string{
			`"" [patience] 1 events, 0 duplicates, 1 objects, ` + at(0) + `, 1 since line 1 10:00:00; 1 open, 0 met`,
			`"" [patience] 2 events, 0 duplicates, 2 objects, ` + at(1) + `, 1 since line 1 10:00:00; 1 open, 0 met`,
			`"" [patience] 2 events, 0 duplicates, 2 objects, ` + at(1) + `, 1 since line 1 10:00:00; 1 open, 0 met`,
			`"" [patience] 3 events, 0 duplicates, 2 objects, ` + at(2) + `, 0; 0 open, 1 met`,
			`"" [patience] 4 events, 0 duplicates, 3 objects, ` + at(3) + `, 1 since line 5 10:00:03; 1 open, 1 met`,
			`"" [patience] 5 events, 1 duplicates, 3 objects, ` + at(3) + `, 1 since line 5 10:00:03; 1 open, 1 met`,
			`"" [patience] 6 events, 1 duplicates, 4 objects, ` + at(4) + `, 2 since line 5 10:00:03; 2 open, 1 met`,
			`"" [patience] 7 events, 1 duplicates, 4 objects, ` + at(5) + `, 1 since line 7 10:00:04; 1 open, 1 met`,
			`"" [patience] 8 events, 1 duplicates, 5 objects, ` + at(6) + `, 2 since line 7 10:00:04; 2 open, 1 met`,
			`"f:10: gap in stream \"a\": seq 9 follows 7; recover the missing events, or go on from the next snapshot with --on-gap resync" ` +
				`[patience] 9 events, 1 duplicates, 0 objects, ` + at(6) + `, 0; 0 open, 1 met`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("restarts %v: told\n%s\nwant\n%s", restart, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !restart {
			if events, steps, streams := s.Counts(); events != 10 || steps != 7 || streams != 2 {
				t.Errorf("%d events, %d steps, %d streams; want 10, 7 and 2", events, steps, streams)
			}
		}
		if s.Waiting("z") != nil {
			t.Error("something is known of a stream that is not")
		}
	}
}

// A stream says that it is not judged, whichever way it was lost, until it is.
func TestUnusable(t *testing.T) {
	for _, c := range []struct {
		name  string
		opts  Options
		lines []string
		want  []string // a part of what is said after each line
	}{
		{"a gap", Options{}, []string{"a:u n b seq=1", "a:u n b seq=3", "a:u n b seq=4", "a:s n b seq=5"}, []string{"", "gap", "gap", ""}},
		{"a gap that is resynchronised", Options{OnGap: gapResync}, []string{"a:u n b seq=1", "a:u n b seq=3", "a:u n b seq=4", "a:s n b seq=5"},
			[]string{"", "events are missing", "events are missing", ""}},
		{"a snapshot of what no spec that was chosen reads", Options{Select: []string{"tally"}},
			[]string{"a:u n b seq=1", "a:u n b seq=3", "a:s task/t b"}, []string{"", "gap", ""}},
		{"unfit settings", Options{}, []string{`a:meta {"spec":["tolly"]}`, "a:s n b"}, []string{"tolly", "tolly"}},
	} {
		for _, restart := range []bool{false, true} {
			s := newScript(t, c.opts)
			for i, line := range c.lines {
				s.push(i+1, line)
				if restart {
					s.begin()
				}
				s.Status(true, func(st *StreamStatus) {
					if want := c.want[i]; !strings.Contains(st.Unusable, want) || (st.Unusable == "") != (want == "") {
						t.Errorf("%s, restarts %v, line %d: unusable: %q, want %q", c.name, restart, i+1, st.Unusable, want)
					}
				})
			}
		}
	}
}

// content is a tally with a desired state, all objects in "d", and an allowance
// that each step needs.
var content = func() *Spec {
	spec := tally("content", trace.KindNode)
	inner := spec.New
	spec.Desired = true
	spec.Allows = []AllowanceDoc{{Name: "Ease"}}
	spec.New = func(c Config) (Machine, error) {
		m, err := inner(c)
		if err != nil {
			return nil, err
		}
		return &contented{m.(*tallier), c.Uses}, nil
	}
	return spec
}()

type contented struct {
	*tallier
	uses *Uses
}

func (m *contented) Step(s *trace.Step) ([]Finding, bool, error) {
	m.uses.Add("Ease", len(s.Events))
	return m.tallier.Step(s)
}

func (m *contented) InDesiredState() bool {
	for _, state := range m.state {
		if state != "d" {
			return false
		}
	}
	return true
}

// TestTotalsBothWays: what a result says of a stream beside its violations
// outlives restarts.
func TestTotalsBothWays(t *testing.T) {
	lines := []string{
		`a:u n d time="2026-11-20T10:00:00Z"`, `a:u n e`, `a:u m d`, `a:s n d time="2026-11-20T10:00:05Z"`, `a:u o d tx=1`, `a:u p d tx=1`, `b:u n a`,
	}
	const want = `[{"stream":"a","spec":"content","in_desired_state":true,"since_file":"f","since_line":4,"since_time":"2026-11-20T10:00:05Z"},` +
		`{"stream":"b","spec":"content","in_desired_state":false,"since_file":"f","since_line":7}] [{"spec":"content","name":"Ease","count":6}] ` +
		`[{"spec":"content","actions":[{"action":"contentStep","count":5}]}]`
	for _, restart := range []bool{false, true} {
		s := newScript(t, Options{Specs: []*Spec{content}})
		for i, line := range lines {
			s.push(i+1, line)
			if restart {
				s.begin()
			}
		}
		var now []StreamState
		s.Status(true, func(st *StreamStatus) { now = append(now, st.Desired...) })
		slices.SortFunc(now, func(a, b StreamState) int { return strings.Compare(a.Stream, b.Stream) })
		r := s.Finish()
		if !slices.Equal(now, r.Desired) {
			t.Errorf("restarts %v: status %+v, result %+v", restart, now, r.Desired)
		}
		var got []string
		for _, v := range []any{r.Desired, r.Allowances, r.Coverage} {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(text))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("restarts %v: got\n%s\nwant\n%s", restart, text, want)
		}
	}
}

// TestTimelessAfterRestart: that a deadline could not be applied is found at the
// end, whenever the stream began.
func TestTimelessAfterRestart(t *testing.T) {
	s := newScript(t, Options{Deadline: time.Minute})
	s.push(1, "a:u n b")
	s.begin()
	if r := s.Finish(); !strings.Contains(r.Reason, "has no event with a time") {
		t.Errorf("reason %q", r.Reason)
	}
}

// TestSettings: what was saved under other settings is not gone on from.
func TestSettings(t *testing.T) {
	seen := map[string]string{}
	for name, o := range map[string]Options{
		"none":             {},
		"a spec":           {Select: []string{"a"}},
		"another":          {Select: []string{"b"}},
		"both":             {Select: []string{"a", "b"}},
		"the other first":  {Select: []string{"b", "a"}},
		"steps":            {Steps: Batched},
		"atomic steps":     {Steps: Atomic}, // a meta line may not say otherwise
		"a profile":        {Profile: ProfileMoby},
		"the text's":       {Profile: ProfileSpec},
		"attach":           {Attach: true},
		"keep going":       {KeepGoing: true},
		"a constant":       {Constants: map[string]string{"limit": "1"}},
		"another value":    {Constants: map[string]string{"limit": "2"}},
		"another constant": {Constants: map[string]string{"bound": "1"}},
		"two constants":    {Constants: map[string]string{"bound": "1", "limit": "1"}},
	} {
		text := o.Settings()
		if other, is := seen[text]; is {
			t.Errorf("%s and %s are the same: %s", name, other, text)
		}
		seen[text] = name
		o.Deadline, o.Shards, o.Budget, o.OnGap, o.Recover = time.Minute, 3, 7, gapResync, true
		if got := o.Settings(); got != text {
			t.Errorf("%s: %s, and %s with what the state does not depend on", name, text, got)
		}
	}
}
