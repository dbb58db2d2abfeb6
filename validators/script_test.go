package validators

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// Live implements Machine.
func (m *tallier) Live() int { return len(m.state) }

// Persist implements Machine.
func (m *tallier) Persist(c *codec.Codec) {
	codeMap(c, &m.state, func(v *string) { codec.String(c, v) })
	if m.state == nil {
		m.state = map[string]string{}
	}
	codec.Slice(c, &m.bad, func(f *Finding) { f.Code(c) })
}

// script is a run without end that is controlled line by line: events in
// short, "!lose a", "!loseall", "!losenew". After each it takes what was found, and perhaps
// saves its streams and goes on in a new Runner.
type script struct {
	t       *testing.T
	opts    Options
	restart bool
	*Runner
	lost *trace.Error
	out  []string
}

// play returns the reports, with the line of each:
// "3: [a tally Next 2(1-3)] b to a" and "3: (a) the reason", "3: (a for good) …".
func play(t *testing.T, opts Options, restart bool, lines string) *script {
	t.Helper()
	opts.KeepGoing, opts.Recover = true, true
	if opts.Specs == nil {
		opts.Specs = []*Spec{tally("tally", kinds.Node)}
	}
	s := &script{t: t, opts: opts, restart: restart}
	s.Runner = s.runner()
	var d trace.Decoder
	for i, line := range strings.Split(lines, "\n") {
		reason := &trace.Error{Pos: trace.Pos{File: "f", Line: i + 1}, Reason: "the script says so"}
		switch line = strings.TrimSpace(line); {
		case line == "!loseall":
			s.LoseAll(reason)
		case line == "!losenew":
			s.LoseNew(reason)
			s.lost = reason
		case strings.HasPrefix(line, "!lose "):
			s.Lose(strings.TrimPrefix(line, "!lose "), reason)
		default:
			if err := s.Push([]trace.Event{shortEvent(t, &d, line, i+1)}); err != nil {
				t.Fatal(err)
			}
		}
		s.report(i + 1)
		if restart {
			s.begin()
		}
	}
	return s
}

func (s *script) runner() *Runner {
	s.t.Helper()
	r, err := NewRunner(s.opts)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *script) report(line int) {
	found, troubles := s.Take()
	for _, v := range found {
		s.out = append(s.out, fmt.Sprintf("%d: [%s %s %s %d(%d-%d)] %s", line, v.Stream, v.Spec, v.Rule, v.Line, v.FirstLine, v.LastLine, v.Message))
	}
	for _, u := range troubles {
		name := u.Stream
		if u.Final {
			name += " for good"
		}
		s.out = append(s.out, fmt.Sprintf("%d: (%s) %s", line, name, u.Err.Reason))
	}
}

// begin goes on in a new Runner.
func (s *script) begin() {
	s.t.Helper()
	next := s.runner()
	s.Save(true, func(stream string, state []byte) {
		if err := next.Restore(stream, slices.Clone(state)); err != nil {
			s.t.Fatal(err)
		}
	})
	next.LoseNew(s.lost)
	s.Runner = next
}

// both plays the script with and without restarts, and compares the reports
// with what is wanted: each line must contain its own.
func both(t *testing.T, opts Options, lines string, want ...string) {
	t.Helper()
	for _, restart := range []bool{false, true} {
		got := play(t, opts, restart, lines).out
		if len(got) != len(want) || slices.ContainsFunc(got, func(g string) bool {
			return !strings.Contains(g, want[slices.Index(got, g)])
		}) {
			t.Errorf("restarts %v: reported\n\t%s\nwant\n\t%s", restart, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
	}
}
