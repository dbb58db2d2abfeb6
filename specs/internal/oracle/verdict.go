package oracle

import (
	"slices"
	"strings"
)

// Verdict is an oracle's judgement of a trace: its first violating step.
type Verdict struct {
	First, Last int      // the step's lines; 0 where the trace conforms
	Kinds       []string // what must be reported, sorted
	Open        []string // what may be reported beside: the contract leaves it open
	Unknown     bool     // no verdict: a search was cut off, or the contract is silent
}

// Accepts says whether a checker's first violating step agrees: kinds in any
// order, repeated or not; nothing and lines 0, 0 for a conforming trace.
func (v Verdict) Accepts(first, last int, kinds []string) bool {
	return Agree(v.Kinds, v.Open, kinds) && v.First == first && v.Last == last && !v.Unknown
}

// Reported are the kinds that must be reported, separated by spaces.
func (v Verdict) Reported() string { return strings.Join(v.Kinds, " ") }

// Judge is the verdict on a trace of one stream: that on its first step which has one.
func Judge(lines []string, meta func(map[string]any), step func([]Event) Verdict) (v Verdict) {
	Steps(lines, meta, func(run []Event) bool {
		v = step(run)
		return len(v.Kinds) == 0 && !v.Unknown
	})
	return v
}

// Case draws traces until the oracle has a verdict on one. draw returns nil where it makes
// none.
func Case(draw func() []string, judge func(lines []string) Verdict) ([]string, Verdict) {
	for {
		lines := draw()
		if lines == nil {
			continue
		}
		if want := judge(lines); !want.Unknown {
			return lines, want
		}
	}
}

// Agree says whether all kinds of violation that must be reported were. Apart from these, only
// those that are open may be.
func Agree(must, open, reported []string) bool {
	return !slices.ContainsFunc(must, func(k string) bool { return !slices.Contains(reported, k) }) &&
		!slices.ContainsFunc(reported, func(k string) bool { return !slices.Contains(must, k) && !slices.Contains(open, k) })
}
