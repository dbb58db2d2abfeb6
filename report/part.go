package report

import (
	"fmt"
	"io"

	"tracecheck/validators"
)

// Steps writes the document's violating steps with explanations, and its
// timeline, as parts of another page. The page must include Style and, for a
// timeline, TimelineScript.
func Steps(w io.Writer, d *Document) error {
	return render(w, "steps", viewOf(d))
}

// Style returns the style sheet of pages with Steps.
func Style() string { return styleSheet }

// TimelineScript returns the script that draws the timeline of Steps.
func TimelineScript() string { return timelineScript }

// Moment names an event, with its time if known.
func Moment(file string, line int, time string) string { return clean(moment(file, line, time)) }

// SameStep reports whether two violations belong to one step.
func SameStep(a, b *validators.Violation) bool { return sameStep(a, b) }

// Clean escapes invisible and control characters.
func Clean(text string) string { return clean(text) }

// Bytes formats a number of bytes: "1.5 MiB".
func Bytes(n int) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	units := []string{"KiB", "MiB", "GiB"}
	size, unit := float64(n)/1024, 0
	for ; size >= 1024 && unit < len(units)-1; unit++ {
		size /= 1024
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}

// Fit is the text in at most width characters, none of which steers a terminal.
func Fit(text string, width int) string {
	if width <= 0 {
		return ""
	}
	return shorten(clean(text), width)
}

// RuleNames returns the rules that a violation of the spec may name.
func RuleNames(s *validators.Spec) []string { return ruleNames(s, nil) }
