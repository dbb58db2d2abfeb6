package past

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// mostFaults bounds the notes.
const mostFaults = 3

// Faults returns notes on faults of the input that may cause violations: it begins in the
// middle, or has misnamed members.
func Faults(violations []validators.Violation, attach bool) []string {
	var notes []string
	note := func(text string) {
		if len(notes) < mostFaults && !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	for i := range violations {
		v := &violations[i]
		if !attach && v.Kind == validators.OfTransition && len(v.History) == 0 && strings.HasSuffix(v.Message, validators.NoSuchObject) {
			note("the object was never created, nor in a snapshot: if the trace begins in the middle, run it again with --attach.")
		}
		for _, ev := range v.Events {
			for _, hint := range trace.Misnamed(string(ev.Raw)) {
				note(fmt.Sprintf("%s: %s", trace.Pos{File: ev.File, Line: ev.Line}, hint))
			}
		}
	}
	return notes
}
