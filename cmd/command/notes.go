package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

const notePast = "each stream was judged up to its first violating step; --keep-going goes on past it."

// notes completes the result with the history, and says in words what the
// result does not: why it is partial, and how to see more.
func (j *job) notes(ctx context.Context, result *validators.Result, s *settings, ended string) []string {
	var notes []string
	if result.Partial {
		notes = append(notes, "the run ended before the input did: "+ended+".")
	}
	if j.source != nil {
		notes = append(notes, j.source.after(result)...)
	}
	for _, note := range result.Notes {
		notes = append(notes, note+".")
	}
	if s.quiet && s.output.Stdout == outputText && len(s.output.Files) == 0 {
		return nil // nobody would see it
	}
	if n := j.counts.Unmapped; n > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d lines of the log match no rule and were left out; `tracecheck map --verbose %s %s` shows which, and why.",
			n, j.counts.Lines, j.rules.File, strings.Join(j.names, " ")))
	}
	if j.rules != nil && len(result.Violations) > 0 {
		notes = append(notes, "the lines shown are the events that "+j.rules.File+" makes of the log's lines, under the numbers that these have in the log.")
	}
	if why := j.history(ctx, result.Violations); why != "" {
		notes = append(notes, why)
	}
	notes = append(notes, faultyInput(result.Violations, s.Attach)...)
	if len(result.Violations) > 0 && !s.KeepGoing {
		notes = append(notes, notePast)
	}
	return notes
}

// faultyNotes is how many of such notes there are at most.
const faultyNotes = 3

// faultyInput says where violations may come from the input: it begins in the
// middle, or names members otherwise than the format does.
func faultyInput(violations []validators.Violation, attach bool) []string {
	var notes []string
	note := func(text string) {
		if len(notes) < faultyNotes && !slices.Contains(notes, text) {
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
