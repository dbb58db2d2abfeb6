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

// mostLooked is how many events Misnamed looks at: what one line misnames, most do.
const mostLooked = 100

// Misnamed returns notes on misnamed members of the first event that has any. No step need
// break a rule: what is misnamed is not judged.
func Misnamed(events []trace.Event) []string {
	notes := []string{}
	for _, ev := range events[:min(len(events), mostLooked)] {
		for _, hint := range trace.Misnamed(ev.Raw) {
			notes = append(notes, fmt.Sprintf("%s: %s", ev.Pos, hint))
		}
		if len(notes) > 0 {
			break
		}
	}
	return notes
}

// Faults adds to the notes those on faults of the input that may cause violations: it begins in
// the middle, or has misnamed members.
func Faults(violations []validators.Violation, attach bool, notes ...string) []string {
	note := func(text string) {
		if len(notes) < mostFaults && !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	for i := range violations {
		v := &violations[i]
		if !attach && v.Kind == validators.OfTransition && v.History != nil && len(v.History) == 0 && strings.HasSuffix(v.Message, validators.NoSuchObject) {
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
