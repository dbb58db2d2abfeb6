package replay

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tracecheck/trace"
)

// Point is a place in a trace: after a step of each stream. The zero Point is
// the trace's end. A point within a step is after the whole of it.
type Point struct {
	what pointKind
	pos  trace.Pos // byLine
	seq  int64     // bySeq
	time int64     // byTime, in ns since 1970
	text string
}

type pointKind uint8

const (
	atEnd  pointKind = iota
	byLine           // after that line and all lines before it
	bySeq            // after the event with that seq, in the replayed stream
	byTime           // after all events up to and including that time
)

func (p Point) String() string {
	if p.what == atEnd {
		return "the end"
	}
	return p.text
}

// Line returns the point after the line's step.
func Line(pos trace.Pos) Point { return Point{what: byLine, pos: pos, text: pos.String()} }

// IsLine reports whether the point is after a line.
func (p Point) IsLine() bool { return p.what == byLine }

const pointForms = "expected LINE, FILE:LINE, seq:N, or a time such as 2026-11-20T10:00:00Z"

// ParsePoint reads LINE (of the only file), FILE:LINE, seq:N, or a time in
// RFC 3339. FILE is one of files, or such a name's last element where no other
// file has the same.
func ParsePoint(text string, files []string) (Point, error) {
	p := Point{text: text}
	if n, ok := strings.CutPrefix(text, "seq:"); ok {
		var err error
		if p.seq, err = strconv.ParseInt(n, 10, 64); err != nil {
			return p, fmt.Errorf("%q is not a position in a trace: a seq is an integer; %s", text, pointForms)
		}
		p.what = bySeq
		return p, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		if p.time, err = nanos(t); err != nil {
			return p, fmt.Errorf("%q is not a position in a trace: %w", text, err)
		}
		p.what = byTime
		return p, nil
	}
	pos, err := ParseLine(text, files)
	if errors.Is(err, errNoLine) {
		err = fmt.Errorf("%q is not a position in a trace: %s", text, pointForms)
	}
	p.what, p.pos = byLine, pos
	return p, err
}

var errNoLine = errors.New("expected LINE or FILE:LINE")

// ParseLine reads LINE (of the only file) or FILE:LINE, as ParsePoint does.
func ParseLine(text string, files []string) (trace.Pos, error) {
	name, number := "", text
	if at := strings.LastIndexByte(text, ':'); at >= 0 {
		name, number = text[:at], text[at+1:]
	}
	line, err := strconv.Atoi(number)
	if err != nil || line < 1 {
		return trace.Pos{}, fmt.Errorf("%q is not a line of a trace: %w", text, errNoLine)
	}
	file, err := fileNamed(name, files)
	if err != nil {
		return trace.Pos{}, fmt.Errorf("%q is not a position in this trace: %w", text, err)
	}
	return trace.Pos{File: file, Line: line}, nil
}

func nanos(t time.Time) (int64, error) {
	if y := t.Year(); y < 1678 || y > 2261 {
		return 0, fmt.Errorf("the year %d is beyond the times that can be compared", y)
	}
	return t.UnixNano(), nil
}

// fileNamed returns the file that the name means. "" means the only file.
func fileNamed(name string, files []string) (string, error) {
	var found []string
	for _, f := range files {
		switch {
		case f == name:
			return f, nil
		case name == "" || filepath.Base(f) == name:
			found = append(found, f)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return "", fmt.Errorf("it has no file %q", name)
	}
	return "", fmt.Errorf("the name fits %d files; use FILE:LINE with one of %s", len(found), strings.Join(found, ", "))
}
