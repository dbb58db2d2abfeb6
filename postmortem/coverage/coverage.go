// Package coverage computes how much of the specs a set of traces exercises, and whether that
// is enough. It also computes what has changed since an earlier set.
package coverage

import "tracecheck/validators"

// Measure is what is counted.
type Measure string

// The measures, in the order of the report.
const (
	Actions     Measure = "actions"
	Transitions Measure = "transitions"
	Clauses     Measure = "clauses"
	Branches    Measure = "branches"
	Disjuncts   Measure = "disjuncts"
)

// Measures are all of them.
var Measures = [...]Measure{Actions, Transitions, Clauses, Branches, Disjuncts}

// Report is the outcome of a run over traces, each judged by itself.
type Report struct {
	Version  int                   `json:"version"` // of this structure: 1
	Traces   []Trace               `json:"traces"`
	Coverage []validators.Coverage `json:"coverage"` // of all traces together
	Shares   []Share               `json:"shares"`
	Below    []Below               `json:"below,omitempty"`   // the shares that are less than required
	Against  *Change               `json:"against,omitempty"` // what has changed, where an earlier report was given
}

// Trace is one of the traces.
type Trace struct {
	File       string             `json:"file"`
	Verdict    validators.Verdict `json:"verdict"`
	Reason     string             `json:"reason,omitempty"` // why it is unusable
	Events     int                `json:"events"`
	Steps      int                `json:"steps"`
	Violations int                `json:"violations"`
}

// Add takes the result of a trace.
func (r *Report) Add(file string, result *validators.Result) {
	r.Version = 1
	r.Traces = append(r.Traces, Trace{File: file, Verdict: result.Verdict, Reason: result.Reason,
		Events: result.Events, Steps: result.Steps, Violations: len(result.Violations)})
	if r.Coverage = validators.MergeCoverage(r.Coverage, result.Coverage); r.Coverage == nil {
		r.Coverage = []validators.Coverage{} // JSON has a list
	}
	r.Shares = Shares(r.Coverage)
}

// Unusable reports whether some trace could not be judged to its end.
func (r *Report) Unusable() bool {
	for i := range r.Traces {
		if r.Traces[i].Verdict == validators.Unusable {
			return true
		}
	}
	return false
}

// Item is one thing that a trace can exercise.
type Item struct {
	Measure Measure `json:"measure"`
	Of      string  `json:"of,omitempty"` // the action of a clause, the rule of a branch, who makes a transition
	Name    string  `json:"name"`
	Count   int     `json:"-"`
}

// Items lists what the spec has of all measures, in its order.
func Items(c *validators.Coverage) []Item {
	var list []Item
	for _, a := range c.Actions {
		list = append(list, Item{Actions, "", a.Action, a.Count})
	}
	for _, t := range c.Transitions {
		list = append(list, Item{Transitions, t.By, t.From + " -> " + t.To, t.Count})
	}
	for _, l := range c.Clauses {
		list = append(list, Item{Clauses, l.Action, l.Clause, l.Count})
	}
	for _, b := range c.Branches {
		list = append(list, Item{Branches, b.Rule, b.Branch, b.Count})
	}
	for _, d := range c.Disjuncts {
		list = append(list, Item{Disjuncts, d.Action, d.Disjunct + "  " + d.Place, d.Count})
	}
	return list
}

// Share is how much of a measure was exercised.
type Share struct {
	Spec      string  `json:"spec"`
	Measure   Measure `json:"measure"`
	Exercised int     `json:"exercised"`
	Of        int     `json:"of"` // at least 1
}

// Percent is from 0 to 100.
func (s *Share) Percent() float64 { return 100 * float64(s.Exercised) / float64(s.Of) }

// Shares are those of each spec, without the measures of which it has nothing.
func Shares(all []validators.Coverage) []Share {
	shares := []Share{}
	for i := range all {
		for _, item := range Items(&all[i]) {
			last := len(shares) - 1
			if last < 0 || shares[last].Spec != all[i].Spec || shares[last].Measure != item.Measure {
				shares = append(shares, Share{Spec: all[i].Spec, Measure: item.Measure})
				last++
			}
			shares[last].Of++
			if item.Count > 0 {
				shares[last].Exercised++
			}
		}
	}
	return shares
}
