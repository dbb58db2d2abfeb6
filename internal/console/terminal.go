// Package console is what a person sees beside results: progress and log lines.
package console

import (
	"io"
	"os"

	"golang.org/x/term"

	"tracecheck/report"
)

// IsTerminal reports whether somebody looks at w.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Columns is the width of the terminal w, 0 if it is none.
func Columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok && IsTerminal(w) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// ForTerminal is a writer to w of JSON lines that others wrote: they stay as they
// are, unless somebody looks at them.
func ForTerminal(w io.Writer) io.Writer {
	if IsTerminal(w) {
		return report.Visible(w)
	}
	return w
}
