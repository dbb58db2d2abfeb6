package validators

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// patience is a tally whose objects wait for "Go" until their state is past "m";
// those with an id that begins with g only while the object "gate" is in state "open".
var patience = func() *Spec {
	spec := tally("patience", kinds.Node)
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

// TestStatus: the status of a stream, without restarts and with one after each
// event.
func TestStatus(t *testing.T) {
	const base = "2026-11-20T10:00:0"
	lines := []string{
		`a:u n1 b time="` + base + `0Z"`,
		`a:u g1 b time="` + base + `1Z"`,
		`b:u n1 b`,
		`a:u n1 y time="` + base + `2Z"`,
		`a:u gate open time="` + base + `3Z" seq=7`,
		`a:u gate open seq=7 time="` + base + `3Z"`, // reported before
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
			if got, want := s.Objects(), 4+1+2*streamObjects; i == 6 && !restart && got != want {
				t.Errorf("%d objects, want %d", got, want)
			}
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
			`"f:10: gap in stream \"a\": seq 9 follows 7" ` +
				`[patience] 9 events, 1 duplicates, 0 objects, ` + at(6) + `, 0; 0 open, 1 met`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("restarts %v: reported\n%s\nwant\n%s", restart, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !restart {
			if got, want := s.Counts(), (Counts{Events: 10, Steps: 7, Streams: 2, Duplicates: 1, Skipped: 1}); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
		if got, want := s.Objects(), 0+1+2*streamObjects; !restart && got != want { // those of a are lost
			t.Errorf("%d objects, want %d", got, want)
		}
		if s.Waiting("z") != nil {
			t.Error("something is known of a stream that is not")
		}
	}
}

// A stream reports that it is not judged, however it was lost, until it is again.
func TestUnusable(t *testing.T) {
	for _, c := range []struct {
		name  string
		opts  Options
		lines []string
		want  []string // a part of the status after each line
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
