package live

import (
	"fmt"
	"io"
	"strings"

	"tracecheck/internal/console"
	"tracecheck/postmortem/converge"
	"tracecheck/report"
)

// statusLine is one line of a terminal that is written again and again. Without
// a terminal it shows nothing.
type statusLine struct {
	w     io.Writer
	shown string
}

func newStatusLine(w io.Writer) *statusLine { return &statusLine{w: w} }

// set shows the state of the services.
func (s *statusLine) set(gate *converge.Gate) {
	if s.w == nil || gate.Result() != nil {
		return
	}
	var parts []string
	for _, one := range gate.Progress() {
		state := ""
		if one.Converged {
			state = " since " + one.Since.Local().Format("15:04:05")
		}
		parts = append(parts, fmt.Sprintf("%s %d/%d%s", report.Clean(one.Name), one.Running, one.Wanted, state))
	}
	text := "waiting: " + strings.Join(parts, ", ")
	if width := console.Columns(s.w); width > 0 {
		text = cutTo(text, width-1)
	}
	if text == s.shown {
		return
	}
	s.shown = text
	fmt.Fprintf(s.w, "\r\x1b[K%s", text)
}

// clear takes the line away.
func (s *statusLine) clear() {
	if s.shown != "" {
		fmt.Fprint(s.w, "\r\x1b[K")
		s.shown = ""
	}
}

// cutTo is text of at most width characters.
func cutTo(text string, width int) string {
	if all := []rune(text); len(all) > width && width > 0 {
		return string(all[:width-1]) + "…"
	}
	return text
}
