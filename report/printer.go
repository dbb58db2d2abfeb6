package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// style is the parameter of an ANSI colour code; "" is none.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "1;31"
	green  style = "1;32"
	yellow style = "1;33"
)

const (
	noTerminal = 160 // columns, if the terminal's width is unknown
	mostProse  = 100 // longer lines of prose are hard to read
	leastWidth = 40
)

// printer writes lines of at most width columns. It cleans all text from
// outside: a trace must not control the reader's terminal. flush returns the
// writer's first error.
type printer struct {
	w     *bufio.Writer
	color bool
	width int // of a line that is cut
	prose int // of a line that is wrapped

	explain string       // as in TextOptions
	apart   func(string) // begins a section in another text; nil: all is one text
}

func newPrinter(w io.Writer, color bool, width int) *printer {
	if width <= 0 {
		width = noTerminal
	}
	width = max(width, leastWidth)
	return &printer{w: bufio.NewWriter(w), color: color, width: width, prose: min(width, mostProse)}
}

func (p *printer) flush() error { return p.w.Flush() }

func (p *printer) blank() { p.w.WriteByte('\n') }

// paint colours one line of clean text.
func (p *printer) paint(s style, text string) string {
	if !p.color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// raw writes an indented line.
func (p *printer) raw(indent int, text string) {
	fmt.Fprintf(p.w, "%*s%s\n", indent, "", text)
}

// cut writes one line, shortened to the width.
func (p *printer) cut(indent int, s style, text string) {
	p.raw(indent, p.paint(s, shorten(clean(text), p.width-indent)))
}

// wrapped writes text on as many lines as it needs. The label precedes the
// first line, and the others are indented like the text.
func (p *printer) wrapped(indent int, labelStyle style, label string, s style, text string) {
	lead := ""
	if label != "" {
		lead = label + " "
	}
	hang := utf8.RuneCountInString(lead)
	for i, line := range Wrap(clean(text), p.prose-indent-hang) {
		if i == 0 {
			p.raw(indent, p.paint(labelStyle, lead)+p.paint(s, line))
		} else {
			p.raw(indent+hang, p.paint(s, line))
		}
	}
}

// heading writes a title.
func (p *printer) heading(indent int, text string) {
	p.raw(indent, p.paint(bold, clean(text)))
}

// Wrap breaks text at spaces into lines of at most width columns. A longer word
// gets its own line.
func Wrap(text string, width int) []string {
	lines := []string{}
	var line strings.Builder
	n := 0
	for _, word := range strings.Fields(text) {
		w := utf8.RuneCountInString(word)
		if n > 0 && n+1+w > width {
			lines = append(lines, line.String())
			line.Reset()
			n = 0
		}
		if n > 0 {
			line.WriteByte(' ')
			n++
		}
		line.WriteString(word)
		n += w
	}
	return append(lines, line.String())
}

// shorten cuts text to at most width columns.
func shorten(text string, width int) string {
	if len(text) <= width || utf8.RuneCountInString(text) <= width {
		return text
	}
	n := 0
	for i := range text {
		if n == width-1 {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// padded pads text with spaces to width columns.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// count formats a number with a noun: "1 step", "1,042 steps".
