package report

import (
	"io"

	"tracecheck/validators"
)

// Steps writes the document's violating steps, explained, and its timeline as
// parts of somebody else's page, which has Style and, where there is a timeline,
// TimelineScript.
func Steps(w io.Writer, d *Document) error {
	return render(w, "steps", viewOf(d))
}

// Style is the style sheet of pages with Steps.
func Style() string { return styleSheet }

// TimelineScript draws the timeline of Steps once the page is there.
func TimelineScript() string { return timelineScript }

// Moment names an event, and its time where that is known.
func Moment(file string, line int, time string) string { return clean(moment(file, line, time)) }

// SameStep says that two violations are of one step.
func SameStep(a, b *validators.Violation) bool { return sameStep(a, b) }

// Clean makes visible what a browser or a terminal would not show, or obey.
func Clean(text string) string { return clean(text) }

// Count is "1 step", "1,042 steps".
func Count(n int, noun string) string { return count(n, noun) }

// Grouped is "1,042".
func Grouped(n int) string { return grouped(n) }

// RuleNames are the names that a violation of the spec may have as its rule.
func RuleNames(s *validators.Spec) []string { return ruleNames(s, nil) }
