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

// identify gives the violation its id: the same wherever and how often the same
// events are judged under the same names. The time and seq of the event keep
// apart the lines that a file has had at one place, one after the other. nth
// counts what one step broke of a rule at one line, from 0.
func (v *Violation) identify(told string, nth int) {
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
	if told != "" {
		b = strconv.AppendQuote(append(b, ' '), told)
	}
	sum := sha256.Sum256(b)
	v.ID = hex.EncodeToString(sum[:12])
}

// Identify gives a violation that no runner has found its id.
func (v *Violation) Identify() { v.identify("", 0) }

// told is when, and perhaps where, the finding showed, if that is not with its
// event: of a run of snapshots; of an earlier step, on which the one at hand,
// which ends at last, throws light. Several may do that to one.
func (s *stream) told(f *Finding, last trace.Pos, step *trace.Step) string {
	switch {
	case step == nil:
		return string(s.shown.time)
	case f.First.Line > 0:
		return last.String() + " " + step.Events[len(step.Events)-1].Time
	}
	return ""
}
