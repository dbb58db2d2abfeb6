package console

import (
	"cmp"
	"fmt"
	"io"

	"tracecheck/report"
)

// Line is one line of a terminal that is written again and again.
type Line struct {
	w     io.Writer
	shown string
}

// NewLine writes to the terminal w; nil shows nothing.
func NewLine(w io.Writer) *Line { return &Line{w: w} }

// usual is the width of a terminal that does not state its own, as a serial one.
const usual = 80

// Room is how many characters fit, 0 if w is not a terminal.
func (l *Line) Room() int {
	if !IsTerminal(l.w) {
		return 0
	}
	return max(cmp.Or(Columns(l.w), usual)-1, 1)
}

// Show shows the text, cut to the width of the terminal. "" takes the line away.
func (l *Line) Show(text string) {
	if room := l.Room(); room > 0 {
		text = report.Fit(text, room)
	}
	if l.w == nil || text == l.shown {
		return
	}
	l.shown = text
	fmt.Fprintf(l.w, "\r\x1b[K%s", text)
}
