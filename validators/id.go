package validators

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

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
	h := sha256.New()
	seq := ""
	if v.Seq != nil {
		seq = fmt.Sprint(*v.Seq)
	}
	fmt.Fprintf(h, "%q %q %d %q %q %q %q %d", v.Stream, v.File, v.Line, seq, v.Time, v.Spec, v.Rule, nth)
	if told != "" {
		fmt.Fprintf(h, " %q", told)
	}
	v.ID = hex.EncodeToString(h.Sum(nil)[:12])
}

// told is when, and perhaps where, the finding showed, if that is not with its
// event: of a run of snapshots; of an earlier step, on which the one at hand,
// which ends at last, throws light. Several may do that to one.
func (s *stream) told(f *Finding, last trace.Pos, step *trace.Step) string {
	switch {
	case step == nil:
		return s.runTime
	case f.First.Line > 0:
		return last.String() + " " + step.Events[len(step.Events)-1].Time
	}
	return ""
}
