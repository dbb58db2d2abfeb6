package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tracecheck/ingest/input"
	"tracecheck/postmortem/past"
	"tracecheck/validators"
)

const notePast = "each stream was judged up to its first violating step; --keep-going continues after it."

// notes adds the history to the result. It returns notes on why the result is partial, and how
// to see more.
func (j *judging) notes(ctx context.Context, result *validators.Result, s *settings, ended string) []string {
	var notes []string
	if result.Partial {
		notes = append(notes, "the run ended before the input did: "+ended+".")
	}
	if k, ok := j.in.Live.(*input.Kafka); ok {
		notes = append(notes, j.ofTopics(k, result, s)...)
	}
	result.Notes = append(result.Notes, s.module.With.Notes(result.Events)...)
	for _, note := range result.Notes {
		notes = append(notes, note+".")
	}
	if s.silent() {
		return nil // it would not be shown
	}
	if n := j.in.Counts.Unmapped; n > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d lines of the log match no rule and were left out; `tracecheck map --verbose %s %s` shows which, and why.",
			n, j.in.Counts.Lines, j.in.Rules.File, strings.Join(j.in.Names, " ")))
	}
	if j.in.Rules != nil && len(result.Violations) > 0 {
		notes = append(notes, "the lines shown are the events that "+j.in.Rules.File+" makes of the log's lines. Each has the number of its line in the log.")
	}
	if why := j.history(ctx, result.Violations); why != "" {
		notes = append(notes, why)
	}
	notes = append(notes, past.Faults(result.Violations, s.Attach, j.misnamed...)...)
	if len(result.Violations) > 0 && !s.KeepGoing {
		notes = append(notes, notePast)
	}
	return notes
}

// ofTopics removes fields without a meaning for topics from the result, and returns notes on the
// topics. If the output does not show notes, they are logged.
func (j *judging) ofTopics(k *input.Kafka, result *validators.Result, s *settings) []string {
	if stream := k.Split(); stream != nil {
		result.Violations = slices.DeleteFunc(result.Violations, func(v validators.Violation) bool { return v.Stream == *stream })
		result.Desired = slices.DeleteFunc(result.Desired, func(d validators.StreamState) bool { return d.Stream == *stream })
		result.Liveness = slices.DeleteFunc(result.Liveness, func(l validators.Liveness) bool { return l.Stream == *stream })
	}
	notes := k.Notes()
	if s.output.Stdout == outputJSON {
		for _, n := range notes {
			j.in.Log.Warn(n)
		}
	}
	return notes
}
