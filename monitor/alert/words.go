package alert

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"tracecheck/report"
)

// inWords is the alert for people: a heading, what happened and why it is wrong, a line
// each. The heading has the id: the page has the violation at /violation/ID.
func inWords(a *Alert) []byte {
	title, cause := "NOT JUDGED", ""
	if v := a.Violation; v != nil {
		title, cause = fmt.Sprintf("VIOLATION  %s %s", v.Spec, v.Rule), report.Cause(v)
	}
	text := []string{a.Found.UTC().Format(time.TimeOnly) + "Z  " + title + "  " + position(a)}
	if a.Stream != "" {
		text[0] += fmt.Sprintf(", stream %q", a.Stream)
	}
	text[0] += ", id " + a.ID
	for _, line := range []string{cut(cause, mostSummary), cut(cmp.Or(a.Message, "no reason"), mostMessage)} {
		if line != "" {
			text = append(text, "  "+line)
		}
	}
	for i := range text {
		text[i] = report.Clean(text[i])
	}
	return []byte(strings.Join(text, "\n"))
}
