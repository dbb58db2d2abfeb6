package validators

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// identify gives the violation its id: the same wherever and how often the same
// events are judged under the same names. The time and seq of the event keep
// apart the lines that a file has had at one place, one after the other. nth
// counts what one step broke of a rule at one line, from 0.
func (v *Violation) identify(nth int) {
	h := sha256.New()
	seq := ""
	if v.Seq != nil {
		seq = fmt.Sprint(*v.Seq)
	}
	fmt.Fprintf(h, "%q %q %d %q %q %q %q %d", v.Stream, v.File, v.Line, seq, v.Time, v.Spec, v.Rule, nth)
	v.ID = hex.EncodeToString(h.Sum(nil)[:12])
}
