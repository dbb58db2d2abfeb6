package main

import (
	"context"

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
	if s.quiet && s.output.value == outputText {
		return nil // nobody would see it
	}
	if why := j.history(ctx, result.Violations); why != "" {
		notes = append(notes, why)
	}
	if len(result.Violations) > 0 && !s.keepGoing {
		notes = append(notes, notePast)
	}
	return notes
}
