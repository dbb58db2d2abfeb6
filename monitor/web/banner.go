package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tracecheck/internal/amount"
	"tracecheck/monitor/board"
	"tracecheck/report"
	"tracecheck/validators"
)

// banner shows in a few words whether people have to act.
type banner struct {
	Class string // good, unsure or bad
	Mark  string // the class as a character
	Title string
	Notes []note
}

// note is a sentence of a banner.
type note struct {
	Text string
	Link string // "": none
	At   time.Time
}

// Bounds on the data for a banner.
const (
	latestSeen   = 200
	unusableSeen = 1000
	reasonsSeen  = 5
)

// banner shows the worst condition of the monitor: first that it does not judge,
// then what it has found, then its other problems.
func (s *server) banner(o *board.Overview) banner {
	failed, paused, late := failures(o), pauses(o), s.late(o)
	silent, blocked := s.silentParts(o), s.blockedParts(o)
	at, faults := s.faults(o)
	judging := 0
	for i := range o.Parts {
		if o.Parts[i].State == board.Judging {
			judging++
		}
	}
	b := banner{Class: "good", Mark: "✓", Title: "All well"}
	noAnswer := fmt.Sprintf("No answer from %d of %s", len(silent), amount.Of(len(o.Parts), "part"))
	if len(silent) == len(o.Parts) {
		noAnswer = "No answer from the source"
	}
	idle := "Not judging"
	if judging > 0 {
		idle = fmt.Sprintf("Not judging %d of %s", len(o.Parts)-judging, amount.Of(len(o.Parts), "part"))
	}
	switch stuck := slices.ContainsFunc(o.Parts, func(p board.Part) bool { return p.State == board.Waiting }); {
	case len(failed) > 0 || stuck:
		b = banner{Class: "bad", Mark: "✗", Title: idle}
	case len(silent) > 0:
		b = banner{Class: "bad", Mark: "✗", Title: noAnswer}
	case at > 0:
		b = banner{Class: "bad", Mark: "✗", Title: amount.Of(at, "stream") + " at fault"}
	case len(paused) > 0:
		b = banner{Class: "unsure", Mark: "…", Title: idle + " yet"}
	case len(blocked) > 0:
		b = banner{Class: "unsure", Mark: "!", Title: "Blocked by a transaction"}
	case len(late) > 0:
		b = banner{Class: "unsure", Mark: "!", Title: "Checkpoints are late"}
	case o.Totals.Streams == 0:
		b = banner{Class: "unsure", Mark: "…", Title: "No event yet"}
	}
	b.Notes = append(notesOf(slices.Concat(failed, silent)), faults...)
	b.Notes = append(b.Notes, notesOf(slices.Concat(paused, blocked, late))...)
	return s.rest(b, o)
}

// notesOf returns notes of the first reasons.
func notesOf(reasons []string) []note {
	var notes []note
	for i, text := range reasons {
		if i == reasonsSeen {
			return append(notes, note{Text: fmt.Sprintf("and %s more, below", amount.Grouped(len(reasons)-i))})
		}
		notes = append(notes, note{Text: text})
	}
	return notes
}

// rest adds notes that are not faults.
func (s *server) rest(b banner, o *board.Overview) banner {
	t := &o.Totals
	if t.Streams == 0 && len(o.Parts) > 0 {
		b.Notes = append(b.Notes, note{Text: "No event has been read from " + cmp.Or(report.Clean(o.Source), "the source") + ". Check that a program writes to it."})
	}
	if b.Class == "good" {
		b.Notes = append(b.Notes, note{Text: fmt.Sprintf("%s judged, no faults in the last %s", amount.Of(t.Streams, "stream"), s.recent())})
	}
	if t.Undesired > 0 {
		b.Notes = append(b.Notes, note{Text: amount.Of(t.Undesired, "stream") + " not in the desired state", Link: "streams?only=undesired"})
	}
	return b
}

// faults counts the streams with a recent violation, and those that are not judged.
func (s *server) faults(o *board.Overview) (streams int, notes []note) {
	found, _ := s.board.Violations("*", 0, latestSeen)
	since := s.now().Add(-s.opts.Recent)
	recent := 0
	var newest time.Time
	at := map[string]bool{}
	for i := range found {
		if found[i].Found.After(since) && found[i].Acked == nil {
			if recent == 0 {
				newest = found[i].Found
			}
			recent++
			at[found[i].Stream] = true
		}
	}
	if recent > 0 {
		more := ""
		if recent == latestSeen {
			more = " or more"
		}
		notes = append(notes, note{Link: "violations", At: newest,
			Text: fmt.Sprintf("%s%s in the last %s, in %s%s; the latest", amount.Of(recent, "violation"), more, s.recent(), amount.Of(len(at), "stream"), more)})
	}
	streams = len(at)
	if o.Totals.Unusable > 0 {
		unusable, total := s.board.Streams(board.Query{Only: onlyUnusable, Limit: unusableSeen})
		for i := range unusable {
			at[unusable[i].Stream] = true
		}
		streams = len(at) + total - len(unusable)
		notes = append(notes, note{Text: amount.Of(o.Totals.Unusable, "stream") + " not judged", Link: "streams?only=" + onlyUnusable})
	}
	return streams, notes
}

// recent is how long a violation counts as a fault, in words.
func (s *server) recent() string {
	if d := s.opts.Recent; d%time.Hour == 0 {
		return amount.Of(int(d/time.Hour), "hour")
	}
	return span(s.opts.Recent)
}

// badge is a state in a word or two.
type badge struct{ Class, Mark, Text string }

// partState is the state of a part.
func (s *server) partState(p board.Part) badge {
	switch {
	case p.State == board.Absent:
		return badge{"bad", "✗", "absent"}
	case s.isSilent(&p):
		return badge{"bad", "✗", "no answer"}
	case s.isBlocked(&p) && p.State == board.Judging:
		return badge{"unsure", "!", "blocked by a transaction"}
	}
	switch p.State {
	case board.Judging:
		return badge{"good", "✓", "judging"}
	case board.Failed:
		return badge{"bad", "✗", "failed"}
	case board.Waiting:
		return badge{"bad", "✗", "waiting: too many alerts are pending"}
	}
	return badge{"unsure", "…", report.Clean(string(p.State))}
}

// streamState is the worst condition of a stream.
func streamState(st board.Stream) badge {
	switch {
	case st.Unusable != "":
		return badge{"bad", "✗", "not judged"}
	case st.Faults() > 0:
		return badge{"bad", "✗", amount.Of(st.Faults(), "violation")}
	case undesired(st.Desired) != nil:
		return badge{"unsure", "!", "not as desired"}
	}
	return badge{"good", "✓", "ok"}
}

var livenessClass = map[validators.Status]string{
	validators.ForGood: "good", validators.Holding: "good", validators.AtRisk: "unsure", validators.Forfeited: "bad",
}

// waiter is the object of an obligation.
func waiter(w validators.Waiting) string {
	return report.Clean(strings.TrimSuffix(w.Object(), ","))
}

// undesired is the state that has been undesired for longest; nil: none is.
func undesired(states []validators.StreamState) *validators.StreamState {
	var found *validators.StreamState
	for i := range states {
		if d := &states[i]; !d.InDesiredState && (found == nil || d.SinceTime < found.SinceTime) {
			found = d
		}
	}
	return found
}
