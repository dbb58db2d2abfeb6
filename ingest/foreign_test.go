package ingest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"tracecheck/trace"
)

// byLetter makes an event of each letter of a line that is a JSON string; the
// letter x cannot be read.
type byLetter struct {
	resets int
	lines  []string // since the last
	inner  trace.Decoder
}

func (l *byLetter) Reset() {
	l.resets++
	l.lines = nil
}

func (l *byLetter) Decode(events []trace.Event, line []byte, pos trace.Pos) ([]trace.Event, error) {
	l.lines = append(l.lines, string(line))
	if reason := trace.CheckJSON(line); reason != "" {
		return events, &trace.Error{Pos: pos, Reason: reason}
	}
	for _, c := range strings.Trim(string(line), `"`) {
		if c == 'x' {
			return events, &trace.Error{Pos: pos, Reason: "an x"}
		}
		n := len(events)
		events = append(events, trace.Event{})
		if err := l.inner.Decode([]byte(node(string(c))), pos, &events[n]); err != nil {
			return events[:n], err
		}
	}
	return events, nil
}

// Foreign lines become any number of events, at their own positions; blocks
// without any are delivered too.
func TestForeignLines(t *testing.T) {
	for _, c := range []struct{ log, events, lines, err string }{
		{"\"ab\"\n\n\"\"\n\"c\"\n", "1a 1b 4c", `"ab" "" "c"`, ""},
		{"\"\"\n\"\"", "", `"" ""`, ""},
		{"\uFEFF\"a\"\r\n", "1a", `"a"`, ""},
		{"\"a\"\n\"bx\"\n\"c\"\n", "1a 2b", `"a" "bx"`, "-:2: an x"},
		{"\"a\"\n\"x\"", "1a", `"a" "x"`, "-:2: an x"}, // it is whole, if it has no end
		{"\"a\"\n\"b", "1a", `"a" "b`, "-:2: the last line is truncated (the line is not JSON"},
		{"a\n", "", `a`, "-:1: the line is not JSON"},
		{"\"" + strings.Repeat("a", 99) + "\"\n", "", "", "-:1: the line is longer than 50 bytes"},
	} {
		r, err := Open([]string{stdinName}, Options{
			MaxLine: 50, Stdin: strings.NewReader(c.log), Lines: func() LineDecoder { return &byLetter{} },
		})
		if err != nil {
			t.Fatal(err)
		}
		var events, lines []string
		for {
			var b *Block
			if b, err = r.Next(t.Context()); err != nil {
				break
			}
			for i := range b.Events {
				events = append(events, fmt.Sprint(b.Events[i].Pos.Line, b.Events[i].ID))
			}
			l := b.Lines.(*byLetter)
			if l.resets != 1 {
				t.Errorf("%q: reset %d times", c.log, l.resets)
			}
			lines = append(lines, l.lines...)
			// Not released: another block has another decoder.
		}
		r.Close()
		if got := strings.Join(events, " "); got != c.events {
			t.Errorf("%q: events %s, want %s", c.log, got, c.events)
		}
		if got := strings.Join(lines, " "); got != c.lines {
			t.Errorf("%q: lines %s, want %s", c.log, got, c.lines)
		}
		if c.err == "" && err != io.EOF {
			t.Errorf("%q: %v", c.log, err)
		}
		if _, unfit := errors.AsType[*trace.Error](err); c.err != "" && (!unfit || !strings.HasPrefix(err.Error(), c.err)) {
			t.Errorf("%q: error %v, want %s", c.log, err, c.err)
		}
	}
}
