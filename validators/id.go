package validators

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"tracecheck/trace"
)

// ruleAt is a rule, broken at a line.
type ruleAt struct {
	rule string
	pos  trace.Pos
}

// identify sets the violation's id. It depends only on the events and their
// names, so it is the same in each run. The event's time and seq distinguish
// lines that a file had at the same place at different times, as a rotated log
// does. The text of an event without both has to suffice. later
// distinguishes findings that showed after their event, and nth those of one
// step, rule and line, from 0.
func (v *Violation) identify(later string, nth int) {
	seq := ""
	if v.Seq != nil {
		seq = strconv.FormatInt(*v.Seq, 10)
	}
	b := make([]byte, 0, 256)
	quoted := func(text string) { b = append(strconv.AppendQuote(b, text), ' ') }
	quoted(v.Stream)
	quoted(v.File)
	b = append(strconv.AppendInt(b, int64(v.Line), 10), ' ')
	quoted(seq)
	quoted(v.Time)
	quoted(v.Spec)
	quoted(v.Rule)
	b = strconv.AppendInt(b, int64(nth), 10)
	if later != "" {
		b = strconv.AppendQuote(append(b, ' '), later)
	}
	if v.Seq == nil && v.Time == "" {
		for i := range v.Events {
			if ev := &v.Events[i]; ev.File == v.File && ev.Line == v.Line {
				b = append(append(b, '\n'), ev.Raw...)
			}
		}
	}
	sum := sha256.Sum256(b)
	v.ID = hex.EncodeToString(sum[:12])
}

// Identify sets the id of a violation that no runner has found.
func (v *Violation) Identify() { v.identify("", 0) }

// Fingerprint identifies the violation independently of its position. It depends on the rule,
// the stream, and what the step changes, or what waits for what. It also depends on the
// nearest action and its failed clauses. Lines before it may come and go. It has 64
// hexadecimal digits.
func (v *Violation) Fingerprint() string {
	parts := []string{v.Spec, string(v.Kind), v.Rule, v.Stream}
	object := func(text json.RawMessage) {
		if string(text) == "null" { // as a violation has it that was JSON, such as in a checkpoint
			text = nil
		}
		parts = append(parts, string(text))
	}
	for i := range v.Changes {
		c := &v.Changes[i]
		parts = append(parts, c.Kind, c.ID)
		object(c.Before)
		object(c.After)
	}
	switch w := v.Waiting; {
	case w != nil:
		parts = append(parts, w.Kind, w.ID, w.Part, w.Action)
	case len(v.Changes) == 0:
		parts = append(parts, v.Message)
	}
	if len(v.Nearest) > 0 {
		parts = append(append(parts, v.Nearest[0].Action), v.Nearest[0].Failed...)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// Changed names the objects that the step changes, each once: kind and id.
func (v *Violation) Changed() []string {
	var names []string
	for i := range v.Changes {
		names = append(names, v.Changes[i].Kind+" "+v.Changes[i].ID)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// showed returns when a finding showed, if not with its event. It is the time
// of a run of snapshots, or the place and time of a later step, since several
// later steps may reveal a violation of one step.
func (s *stream) showed(f *Finding, last trace.Pos, step *trace.Step) string {
	switch {
	case step == nil:
		return string(s.shown.time)
	case f.First.Line > 0:
		return last.String() + " " + step.Events[len(step.Events)-1].Time
	}
	return ""
}
