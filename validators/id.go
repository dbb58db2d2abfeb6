package validators

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"tracecheck/trace"
)

// ruleAt is a rule, broken at a line.
type ruleAt struct {
	rule string
	pos  trace.Pos
}

// identify sets the violation's id. It depends only on the events and their
// names, so it is the same in each run. The event's time and seq distinguish
// lines that a file had at the same place at different times. later
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
	sum := sha256.Sum256(b)
	v.ID = hex.EncodeToString(sum[:12])
}

// Identify sets the id of a violation that no runner has found.
func (v *Violation) Identify() { v.identify("", 0) }

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
