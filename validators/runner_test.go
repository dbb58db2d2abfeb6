package validators

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// tally is a spec for tests: an object's "state" must be one letter, and no
// step may make it go back in the alphabet. It takes "x" for a step that it
// cannot judge.
func tally(name string, kinds ...trace.Kind) *Spec {
	return &Spec{
		Name: name, Kinds: kinds, Actions: []ActionDoc{{Name: name + "Step"}},
		Constants: []ConstantDoc{{Name: "limit"}}, Profiles: []Profile{{Name: "moby"}},
		New: func(c Config) (Machine, error) {
			if c.Constants["limit"] == `"bad"` {
				return nil, fmt.Errorf("limit must be a number")
			}
			return &tallier{spec: name, kinds: kinds, state: map[string]string{}}, nil
		},
	}
}

type tallier struct {
	spec  string
	kinds []trace.Kind
	state map[string]string
	bad   []Finding
}

func (m *tallier) take(ev *trace.Event) *Finding {
	for _, k := range m.kinds {
		if k != ev.Kind {
			continue
		}
		new := strings.Clone(ev.Fields.Get(fieldState).Str)
		old := m.state[ev.ID]
		m.state[strings.Clone(ev.ID)] = new
		if new < old {
			return &Finding{Kind: OfTransition, Rule: "Next", Pos: ev.Pos, Message: m.spec + ": " + old + " to " + new}
		}
		if ev.Action != "" && ev.Action != m.spec+"Step" {
			return &Finding{Kind: OfClaim, Rule: "action", Pos: ev.Pos}
		}
	}
	return nil
}

func (m *tallier) Lost() { m.state = map[string]string{} }
func (m *tallier) Snapshot(ev *trace.Event) {
	m.state[strings.Clone(ev.ID)] = ""
	m.take(ev)
	if m.state[ev.ID] == "z" {
		m.bad = append(m.bad, Finding{Kind: OfInvariant, Rule: "NotZ", Pos: ev.Pos})
	}
}
func (m *tallier) SnapshotsEnd() []Finding { f := m.bad; m.bad = nil; return f }
func (m *tallier) Step(s *trace.Step) (found []Finding, judged bool, err error) {
	for i := range s.Events {
		if s.Events[i].Fields.Get(fieldState).Str == "x" {
			return nil, false, &trace.Error{Pos: s.Events[i].Pos, Reason: "out of its budget"}
		}
		if f := m.take(&s.Events[i]); f != nil {
			found = append(found, *f)
		}
	}
	return found, true, nil
}
func (m *tallier) Explanation() []string                    { return nil }
func (m *tallier) Objects(func(trace.Kind, string, []byte)) {}
func (m *tallier) InDesiredState() bool                     { return true }
func (m *tallier) Count(counts []int)                       { counts[0]++ }

// shortEvent decodes a line in short: "a:u n1 b" is an update of node n1 to state
// b in stream a; "a:meta {…}", "a:s n1 b", "a:u n1 b seq=3 tx=1", "a:u task/t1 b".
func shortEvent(t *testing.T, d *trace.Decoder, short string, line int) trace.Event {
	t.Helper()
	ops := map[string]string{"s": "snapshot", "c": "create", "u": "update", "d": "delete"}
	stream, rest, _ := strings.Cut(strings.TrimSpace(short), ":")
	parts := strings.Fields(rest)
	text := ""
	if parts[0] == "meta" {
		object, more, _ := strings.Cut(strings.TrimPrefix(rest, "meta "), "} ")
		if more != "" {
			k, v, _ := strings.Cut(more, "=")
			object += fmt.Sprintf(`},%q:%s`, k, v)
		}
		text = fmt.Sprintf(`{"stream":%q,"kind":"meta","object":%s}`, stream, object)
	} else {
		kind, id := "node", parts[1]
		if k, rest, ok := strings.Cut(id, "/"); ok {
			kind, id = k, rest
		}
		text = fmt.Sprintf(`{"stream":%q,"kind":%q,"op":%q,"id":%q,"object":{"state":%q}`, stream, kind, ops[parts[0]], id, parts[2])
		for _, p := range parts[3:] {
			k, v, _ := strings.Cut(p, "=")
			text += fmt.Sprintf(`,%q:%s`, k, v)
		}
		text += "}"
	}
	var ev trace.Event
	if err := d.Decode([]byte(text), trace.Pos{File: "f", Line: line}, &ev); err != nil {
		t.Fatal(err)
	}
	return ev
}

// runShort runs lines in short.
func runShort(t *testing.T, opts Options, short string) *Result {
	t.Helper()
	if opts.Specs == nil {
		opts.Specs = []*Spec{tally("tally", kinds.Node)}
	}
	r, err := NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	var d trace.Decoder
	for i, line := range strings.Split(short, "\n") {
		if err := r.Push([]trace.Event{shortEvent(t, &d, line, i+1)}); err != nil {
			break
		}
	}
	return r.Finish()
}

// inShort is a result in short.
func inShort(r *Result) string {
	s := fmt.Sprintf("%s %d/%d/%d", r.Verdict, r.Events, r.Steps, r.Streams)
	for _, v := range r.Violations {
		s += fmt.Sprintf(" [%s %s %s %d(%d-%d)]", v.Stream, v.Spec, v.Rule, v.Line, v.FirstLine, v.LastLine)
	}
	if r.Partial {
		s += " partial"
	}
	return s
}

func TestRunner(t *testing.T) {
	two := []*Spec{tally("one", kinds.Node, kinds.Task), tally("two", kinds.Node, kinds.Container)}
	for _, c := range []struct {
		name, lines, want, reason string
		opts                      Options
	}{
		{name: "conforming", lines: "a:u n b\na:u n c", want: "conforming 2/2/1"},
		{name: "only the first violating step of a stream", lines: "a:u n b\na:u n a\na:u n b\na:u n a", want: "violation 4/2/1 [a tally Next 2(2-2)]"},
		{name: "keep going", lines: "a:u n b\na:u n a\na:u n b\na:u n a", opts: Options{KeepGoing: true},
			want: "violation 4/4/1 [a tally Next 2(2-2)] [a tally Next 4(4-4)]"},
		{name: "each stream on its own", lines: "a:u n b\nb:u n a\na:u n a\nb:u n b", want: "violation 4/4/2 [a tally Next 3(3-3)]"},
		{name: "in the order of the input", lines: "a:u n b tx=1\nb:u n b\nb:u n a\na:u n a tx=1", want: "violation 4/3/2 [b tally Next 3(3-3)] [a tally Next 4(1-4)]"},
		{name: "a bound on violations", lines: "a:u n b\na:u n a\nb:u n b\nb:u n a\nb:u n c", opts: Options{MaxViolations: 2},
			want: "violation 4/4/2 [a tally Next 2(2-2)] [b tally Next 4(4-4)] partial"},
		{name: "a snapshot that breaks an invariant", lines: "a:s m b\na:s n z\na:s o b", want: "violation 3/0/1 [a tally NotZ 2(1-3)]"},
		{name: "nothing but snapshots", lines: "a:s n b", want: "unusable 1/0/1", reason: "no step to judge"},
		{name: "nothing but snapshots, with --attach", lines: "a:s n b", opts: Options{Attach: true}, want: "unusable 1/0/1", reason: "earlier lines have shown"},
		{name: "no step in one stream", lines: "a:s n b\nb:u n b", want: "conforming 2/1/2"},
		{name: "kinds that the chosen spec does not read", lines: "a:u container/n b", opts: Options{Select: []string{"tally"}}, want: "unusable 1/0/1", reason: "no step to judge"},
		{name: "kinds that no spec reads", lines: "a:u container/n b", want: "unusable 1/0/1", reason: `no spec of this version reads events of kind "container"`},
		{name: "a gap", lines: "a:u n b seq=1\na:u n a seq=2\nb:u n b\na:u n c seq=4\nb:u n a",
			want: "unusable 5/4/2 [a tally Next 2(2-2)] [b tally Next 5(5-5)]", reason: "f:4: gap in stream \"a\": seq 4 follows 2"},
		{name: "a gap, and the last steps of other streams", lines: "a:u n b seq=1\nb:u n b\na:u n c seq=3\nb:u n a tx=1\nc:s n z\na:u n d seq=4 tx=1",
			want: "unusable 6/3/3 [b tally Next 4(4-4)] [c tally NotZ 5(5-5)]", reason: "f:3: gap in stream \"a\""},
		{name: "a gap with resync", lines: "a:u n b seq=1\na:u n a seq=3\na:s n a seq=4\na:u n b seq=5", opts: Options{OnGap: trace.ResyncOnGap}, want: "conforming 4/2/1"},
		{name: "resync without a snapshot", lines: "a:u n b seq=1\na:u n a seq=3", opts: Options{OnGap: trace.ResyncOnGap}, want: "unusable 2/1/1", reason: "ends after a gap"},
		{name: "out of the budget", lines: "a:u n b\na:u n x\nb:u n b", want: "unusable 3/2/2", reason: "f:2: out of its budget"},
		{name: "meta chooses", lines: `a:meta {"spec":["tally"],"steps":"batched"}` + "\na:u n b", want: "conforming 2/1/1"},
		{name: "meta names an unknown spec", lines: `a:meta {"spec":["tolly"]}` + "\na:u n b", want: "unusable 2/0/1", reason: `unknown spec "tolly": this version has tally`},
		{name: "a flag wins over meta", lines: `a:meta {"spec":["tolly"],"profile":"moby"}` + "\na:u n b", opts: Options{Select: []string{"tally"}, Profile: "spec"}, want: "conforming 2/1/1"},
		{name: "profile moby", lines: `a:meta {"profile":"moby"}` + "\na:u n b", want: "conforming 2/1/1"},
		{name: "an unknown profile", lines: `a:meta {"profile":"strict"}` + "\na:u n b", want: "unusable 2/0/1", reason: `unknown profile "strict": expected spec or moby`},
		{name: "a bad constant", lines: `a:meta {"constants":{"limit":"bad"}}` + "\na:u n b", want: "unusable 2/0/1", reason: "limit must be a number"},
		{name: "meta again", lines: `a:meta {"steps":"atomic"}` + "\na:u n b\n" + `a:meta {"steps":"atomic"}` + "\na:u n c", want: "conforming 4/2/1"},
		{name: "another meta later", lines: "a:u n b\n" + `a:meta {"steps":"atomic"}` + "\na:u n a", want: "conforming 3/2/2"},
		{name: "two specs by their kinds", lines: "a:u n b\na:u task/t b\na:u container/c b\na:u n a", opts: Options{Specs: two},
			want: "violation 4/4/1 [a one Next 4(4-4)] [a two Next 4(4-4)]"},
		{name: "only the spec whose own kind appears", lines: "a:u n b\na:u n a\na:u container/c b", opts: Options{Specs: two},
			want: "violation 3/2/1 [a two Next 2(2-2)]"},
		{name: "a provisional judge that cannot judge reports it once its kind appears", lines: "a:u n b\na:u n x\na:u task/t b", opts: Options{Specs: two},
			want: "unusable 3/1/1", reason: "f:2: out of its budget"},
		{name: "shared kinds alone", lines: "a:u n b\na:u n a", opts: Options{Specs: two}, want: "violation 2/2/1 [a one Next 2(2-2)]"},
		{name: "a claim is for the spec that has the action", lines: `a:u task/t b` + "\n" + `a:u container/c b` + "\n" + `a:u n b action="twoStep"`,
			opts: Options{Specs: two}, want: "conforming 3/3/1"},
		{name: "a claim that no spec knows", lines: `a:u task/t b` + "\n" + `a:u container/c b` + "\n" + `a:u n b action="noStep"`,
			opts: Options{Specs: two}, want: "violation 3/3/1 [a one action 3(3-3)] [a two action 3(3-3)]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := runShort(t, c.opts, c.lines)
			if got := inShort(r); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if !strings.Contains(r.Reason, c.reason) || (r.Reason == "") != (c.reason == "") {
				t.Errorf("reason: got %q, want %q", r.Reason, c.reason)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	r, err := NewRunner(Options{Specs: []*Spec{tally("tally", kinds.Node)}})
	if err != nil {
		t.Fatal(err)
	}
	var d trace.Decoder
	var ev trace.Event
	if err := d.Decode([]byte(`{"kind":"node","op":"update","id":"n","object":{"state":"b"}}`), trace.Pos{File: "f", Line: 1}, &ev); err != nil {
		t.Fatal(err)
	}
	if err := r.Push([]trace.Event{ev}); err != nil {
		t.Fatal(err)
	}
	r.Interrupt()
	if got := inShort(r.Finish()); got != "unusable 1/1/1 partial" {
		t.Errorf("got %s; an interrupted run is never conforming", got)
	}
}

func TestUsage(t *testing.T) {
	specs := []*Spec{tally("tally", kinds.Node)}
	for _, c := range []struct {
		opts Options
		want string
	}{
		{Options{Select: []string{"tolly"}}, `unknown spec "tolly"`},
		{Options{Profile: "strict"}, `unknown profile "strict"`},
		{Options{Constants: map[string]string{"limits": "1"}}, `no spec has a constant "limits"`},
		{Options{Constants: map[string]string{"limit": `"bad"`}}, "limit must be a number"},
	} {
		c.opts.Specs = specs
		if _, err := NewRunner(c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got error %v, want one with %s", c.opts, err, c.want)
		}
	}
}

// The result's JSON has the names that docs/format.md gives.
func TestResultJSON(t *testing.T) {
	r := runShort(t, Options{}, "a:u n b seq=4\na:u n a seq=5")
	got, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	// The first 12 bytes of a digest of stream, file, line, seq, time, spec, rule, and
	// which violation of the rule it is at that line.
	id := sha256.Sum256([]byte(`"a" "f" 2 "5" "" "tally" "Next" 0`))
	want := `{"version":1,"verdict":"violation","events":2,"steps":2,"streams":1,"specs":["tally"],"violations":[{"id":"` + hex.EncodeToString(id[:12]) + `","stream":"a","spec":"tally",` +
		`"kind":"transition","rule":"Next","file":"f","line":2,"first_line":2,"last_line":2,"seq":5,"message":"tally: b to a","nearest":[],` +
		`"events":[{"file":"f","line":2,"event":{"stream":"a","kind":"node","op":"update","id":"n","object":{"state":"a"},"seq":5}}]}],"coverage":[{"spec":"tally","actions":[{"action":"tallyStep","count":1}]}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Push keeps nothing of the events' bytes: here each line is overwritten once
// it is judged.
func TestPushBorrows(t *testing.T) {
	lines := []string{
		`{"stream":"a","kind":"meta","object":{"spec":["tally"],"steps":"batched","profile":"spec","constants":{"limit":7}}}`,
		`{"stream":"a","kind":"node","op":"snapshot","id":"n","object":{"state":"b"},"time":"2026-11-20T10:00:00Z"}`,
		`{"stream":"a","kind":"node","op":"update","id":"n","object":{"state":"c"},"tx":"one"}`,
		`{"stream":"a","kind":"node","op":"update","id":"m","object":{"state":"c"},"tx":"one"}`,
		`{"stream":"a","kind":"node","op":"update","id":"n","object":{"state":"a"},"tx":"two","time":"2026-11-20T10:00:01Z"}`,
		`{"stream":"a","kind":"node","op":"update","id":"m","object":{"state":"d"},"tx":"two"}`,
	}
	var config Config
	spec := tally("tally", kinds.Node)
	make := spec.New
	spec.New = func(c Config) (Machine, error) { config = c; return make(c) }
	r, err := NewRunner(Options{Specs: []*Spec{spec}})
	if err != nil {
		t.Fatal(err)
	}
	var d trace.Decoder
	for i, line := range lines {
		raw := []byte(line)
		var ev trace.Event
		if err := d.Decode(raw, trace.Pos{File: "f", Line: i + 1}, &ev); err != nil {
			t.Fatal(err)
		}
		if err := r.Push([]trace.Event{ev}); err != nil {
			t.Fatal(err)
		}
		for k := range raw {
			raw[k] = '#'
		}
	}
	if config.Steps != Batched || config.Constants["limit"] != "7" {
		t.Errorf("the machine was made with %+v", config)
	}
	got, err := json.Marshal(r.Finish())
	if err != nil {
		t.Fatal(err)
	}
	if s := string(got); strings.Contains(s, "#") || !strings.Contains(s, `"stream":"a"`) || !strings.Contains(s, `"line":5`) {
		t.Errorf("got %s", s)
	}
}

// The violations of files that are read side by side are in the order that was
// said, and each has the offset of its message.
func TestExpect(t *testing.T) {
	r, err := NewRunner(Options{Specs: []*Spec{tally("tally", kinds.Node)}, KeepGoing: true})
	if err != nil {
		t.Fatal(err)
	}
	files := []string{trace.MessageFile("t", 2), trace.MessageFile("t", 10)}
	r.Expect(files)
	var d trace.Decoder
	states := []string{"b", "a", "b", "a"} // every second step goes back
	for offset, state := range states {
		for i := len(files) - 1; i >= 0; i-- {
			var ev trace.Event
			line := fmt.Sprintf(`{"stream":"s%d","kind":"node","op":"update","id":"n","object":{"state":%q}}`, i, state)
			if err := d.Decode([]byte(line), trace.MessagePos(files[i], int64(offset)), &ev); err != nil {
				t.Fatal(err)
			}
			if err := r.Push([]trace.Event{ev}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	for _, v := range r.Finish().Violations {
		got = append(got, fmt.Sprintf("%s %d %d", v.File, v.Line, *v.Offset))
	}
	want := []string{"kafka:t/2 2 1", "kafka:t/2 4 3", "kafka:t/10 2 1", "kafka:t/10 4 3"}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("got %q, want %q", got, want)
	}
}
