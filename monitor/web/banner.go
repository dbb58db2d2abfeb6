package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tracecheck/monitor/board"
	"tracecheck/report"
	"tracecheck/validators"
)

// banner says in a few words whether somebody has to act.
type banner struct {
	Class string // good, unsure or bad
	Mark  string // what the class says without colour
	Title string
	Notes []note
}

// note is a sentence of a banner.
type note struct {
	Text string
	Link string // "": none
	At   time.Time
}

// Bounds on what a banner looks at.
const (
	latestSeen   = 200
	unusableSeen = 1000
	reasonsSeen  = 5
)

// banner judges the monitor as a whole: first whether it judges at all, then
// what it has found, then whether it is as it should be.
func (s *server) banner(o *board.Overview) banner {
	failed, paused, late := failures(o), pauses(o), s.late(o)
	unheard, held := s.unheard(o), s.heldUp(o)
	at, faults := s.faults(o)
	judging := 0
	for i := range o.Parts {
		if o.Parts[i].State == board.Judging {
			judging++
		}
	}
	b := banner{Class: "good", Mark: "✓", Title: "All well"}
	deaf := fmt.Sprintf("Not hearing %d of %s", len(unheard), report.Count(len(o.Parts), "part"))
	if len(unheard) == len(o.Parts) {
		deaf = "Not hearing the source"
	}
	blind := "Not judging"
	if judging > 0 {
		blind = fmt.Sprintf("Not judging %d of %s", len(o.Parts)-judging, report.Count(len(o.Parts), "part"))
	}
	switch stuck := slices.ContainsFunc(o.Parts, func(p board.Part) bool { return p.State == board.Waiting }); {
	case len(failed) > 0 || stuck:
		b = banner{Class: "bad", Mark: "✗", Title: blind}
	case len(unheard) > 0:
		b = banner{Class: "bad", Mark: "✗", Title: deaf}
	case at > 0:
		b = banner{Class: "bad", Mark: "✗", Title: report.Count(at, "stream") + " at fault"}
	case len(paused) > 0:
		b = banner{Class: "unsure", Mark: "…", Title: blind + " yet"}
	case len(held) > 0:
		b = banner{Class: "unsure", Mark: "!", Title: "Held up by a transaction"}
	case len(late) > 0:
		b = banner{Class: "unsure", Mark: "!", Title: "Checkpoints are late"}
	case o.Totals.Streams == 0:
		b = banner{Class: "unsure", Mark: "…", Title: "No event yet"}
	}
	b.Notes = append(notesOf(slices.Concat(failed, unheard)), faults...)
	b.Notes = append(b.Notes, notesOf(slices.Concat(paused, held, late))...)
	return s.rest(b, o)
}

// notesOf are the first few of the reasons.
func notesOf(reasons []string) []note {
	var notes []note
	for i, text := range reasons {
		if i == reasonsSeen {
			return append(notes, note{Text: fmt.Sprintf("and %s more, below", report.Grouped(len(reasons)-i))})
		}
		notes = append(notes, note{Text: text})
	}
	return notes
}

// rest adds what is no fault but good to know.
func (s *server) rest(b banner, o *board.Overview) banner {
	t := &o.Totals
	if t.Streams == 0 && len(o.Parts) > 0 {
		b.Notes = append(b.Notes, note{Text: "Nothing has come from " + cmp.Or(report.Clean(o.Source), "the source") + " since its beginning, or since the checkpoints'. Does something write to it?"})
	}
	if b.Class == "good" {
		b.Notes = append(b.Notes, note{Text: fmt.Sprintf("%s judged, nothing at fault in the last %s", report.Count(t.Streams, "stream"), s.recent())})
	}
	if t.Undesired > 0 {
		b.Notes = append(b.Notes, note{Text: report.Count(t.Undesired, "stream") + " not in the desired state", Link: "streams?only=undesired"})
	}
	return b
}

// faults counts the streams with a violation of late or that are not judged.
func (s *server) faults(o *board.Overview) (streams int, notes []note) {
	found, _ := s.board.Violations("*", 0, latestSeen)
	since := s.now().Add(-s.opts.Recent)
	recent := 0
	at := map[string]bool{}
	for i := range found {
		if found[i].Found.After(since) {
			recent++
			at[found[i].Stream] = true
		}
	}
	if recent > 0 {
		more := ""
		if recent == latestSeen {
			more = " or more"
		}
		notes = append(notes, note{Link: "violations", At: found[0].Found,
			Text: fmt.Sprintf("%s%s in the last %s, in %s%s; the latest", report.Count(recent, "violation"), more, s.recent(), report.Count(len(at), "stream"), more)})
	}
	streams = len(at)
	if o.Totals.Unusable > 0 {
		unusable, total := s.board.Streams(board.Query{Only: onlyUnusable, Limit: unusableSeen})
		for i := range unusable {
			at[unusable[i].Stream] = true
		}
		streams = len(at) + total - len(unusable)
		notes = append(notes, note{Text: report.Count(o.Totals.Unusable, "stream") + " not judged", Link: "streams?only=" + onlyUnusable})
	}
	return streams, notes
}

// recent is for how long a violation is a fault, in words.
func (s *server) recent() string {
	if d := s.opts.Recent; d%time.Hour == 0 {
		return report.Count(int(d/time.Hour), "hour")
	}
	return span(s.opts.Recent)
}

// badge is a state in a word or two.
type badge struct{ Class, Mark, Text string }

// partState is the state of a part.
func (s *server) partState(p board.Part) badge {
	switch {
	case s.isUnheard(&p):
		return badge{"bad", "✗", "not heard"}
	case s.isHeld(&p) && p.State == board.Judging:
		return badge{"unsure", "!", "held up by a transaction"}
	}
	switch p.State {
	case board.Judging:
		return badge{"good", "✓", "judging"}
	case board.Failed:
		return badge{"bad", "✗", "failed"}
	case board.Waiting:
		return badge{"bad", "✗", "waiting for alerts to be taken"}
	}
	return badge{"unsure", "…", report.Clean(string(p.State))}
}

// streamState is the state of a stream: the worst that is to be said of it.
func streamState(st board.Stream) badge {
	switch {
	case st.Unusable != "":
		return badge{"bad", "✗", "not judged"}
	case st.Violations > 0:
		return badge{"bad", "✗", report.Count(st.Violations, "violation")}
	case undesired(st.Desired) != nil:
		return badge{"unsure", "!", "not as desired"}
	}
	return badge{"good", "✓", "well"}
}

var livenessClass = map[validators.Status]string{
	validators.ForGood: "good", validators.Holding: "good", validators.AtRisk: "unsure", validators.Forfeited: "bad",
}

// waiter is who waits.
func waiter(w validators.Waiting) string {
	return report.Clean(strings.TrimSuffix(w.Object(), ","))
}

// undesired is the state that has not been the desired one for longest; nil
// where all are.
func undesired(states []validators.StreamState) *validators.StreamState {
	var found *validators.StreamState
	for i := range states {
		if d := &states[i]; !d.InDesiredState && (found == nil || d.SinceTime < found.SinceTime) {
			found = d
		}
	}
	return found
}
