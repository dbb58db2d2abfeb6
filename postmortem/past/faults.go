package past

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// mostFaults is how many notes of faults there are at most.
const mostFaults = 3

// Faults says where violations may come from the input: it begins in the
// middle, or names members otherwise than the format does.
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
