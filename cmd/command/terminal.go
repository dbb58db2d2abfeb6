package command

import (
	"io"
	"os"

	"golang.org/x/term"

	"tracecheck/report"
)

// isTerminal reports whether somebody looks at w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// columns is the width of the terminal w, 0 if it is none.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok && isTerminal(w) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// forTerminal is a writer to w of JSON lines that others wrote: they stay as they
// are, unless somebody looks at them.
func forTerminal(w io.Writer) io.Writer {
	if isTerminal(w) {
		return report.Visible(w)
	}
	return w
}

// colors are the values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// textOptions is how text on stdout looks. auto keeps to no-color.org.
func textOptions(env environment, color string) report.TextOptions {
	auto := color == colorAuto && isTerminal(env.stdout) && env.getenv("NO_COLOR") == "" && env.getenv("TERM") != "dumb"
	return report.TextOptions{Color: auto || color == colorAlways, Width: columns(env.stdout)}
}

func colorChoice() *choice {
	return &choice{value: colorAuto, allowed: []string{colorAuto, colorAlways, colorNever}}
}

// The formats of --output.
const (
	outputText   = "text"
	outputJSON   = "json"
	outputHTML   = "html"
	outputJUnit  = "junit"
	outputSARIF  = "sarif"
	outputGitHub = "github"
)

// resultOutputs are the outputs of a result of validate.
func resultOutputs() *outputs {
	return &outputs{stdout: outputText, allowed: []string{outputText, outputJSON, outputHTML, outputJUnit, outputSARIF, outputGitHub}}
}

func outputChoice() *choice {
	return &choice{value: outputText, allowed: []string{outputText, outputJSON}}
}
