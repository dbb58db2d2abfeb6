package validators

// Coverage counts what the steps of a run exercised of a spec. Each list has
// everything that the spec has, also with a count of 0.
type Coverage struct {
	Spec        string            `json:"spec"`
	Actions     []ActionCount     `json:"actions"`
	Transitions []TransitionCount `json:"transitions,omitempty"` // this and the following with Options.Coverage only
	Clauses     []ClauseCount     `json:"clauses,omitempty"`
	Branches    []BranchCount     `json:"branches,omitempty"`
	Disjuncts   []DisjunctCount   `json:"disjuncts,omitempty"` // only for a module read at run time
}

// ActionCount is how often an action explained a conforming step or a part of
// one.
type ActionCount struct {
	Action string `json:"action"`
	Count  int    `json:"count"`
}

// Transition is a change of an object's status that the text permits to a component. If the
// module has no components, the text permits it to an action.
type Transition struct {
	By   string `json:"by"`
	From string `json:"from"`
	To   string `json:"to"`
}

// TransitionCount is how often a conforming step made the change.
type TransitionCount struct {
	Transition
	Count int `json:"count"`
}

// ActionClause names a conjunct of an action.
type ActionClause struct {
	Action string `json:"action"`
	Clause string `json:"clause"`
}

// ClauseCount is how often the clause decided: it was the only clause of its
// action that failed.
type ClauseCount struct {
	ActionClause
	Count int `json:"count"`
}

// RuleBranch names a nontrivial way in which an invariant holds: a disjunct, a
// true consequent of a true antecedent, or a bound that is reached.
type RuleBranch struct {
	Rule   string `json:"rule"`
	Branch string `json:"branch"`
}

// BranchCount counts the objects, in the new states of conforming steps, for
// which the invariant held in that way.
type BranchCount struct {
	RuleBranch
	Count int `json:"count"`
}

// ActionDisjunct names an alternative within an action of a module that was read.
type ActionDisjunct struct {
	Action   string `json:"action"` // or the action constraint
	Disjunct string `json:"disjunct"`
	Place    string `json:"place"` // file:line:column
}

// DisjunctCount is on how many lines of the log a path takes the disjunct.
type DisjunctCount struct {
	ActionDisjunct
	Count int `json:"count"`
}

// law identifies how a judge judges: its spec and settings.
type law struct {
	spec    *Spec
	profile string
}

func (j *judge) law() law { return law{j.spec, j.by.config.Profile} }

// countsOf returns the counts that all judges of the law share on the shard.
// Sharing keeps them in the caches.
func (sh *shard) countsOf(l law) *counts {
	all := sh.counts[l]
	if all == nil {
		all = &counts{make([]int, len(l.spec.Actions))}
		sh.counts[l] = all
	}
	return all
}

// coverage adds what the judge's steps exercised. With the first judge of a
// law, it also adds the actions of all its judges.
func (r *Runner) coverage(list []Coverage, j *judge, counted map[law]bool) []Coverage {
	isFirst := !counted[j.law()]
	if !isFirst && j.cover == nil {
		return list
	}
	spec := j.spec.Under(j.by.config.Profile)
	own := Coverage{Spec: spec.Name}
	if isFirst {
		counted[j.law()] = true
		for i := range spec.Actions {
			n := ActionCount{Action: spec.Actions[i].Name}
			for k := range r.shards {
				if counts := r.shards[k].counts[j.law()]; counts != nil {
					n.Count += counts.list[i]
				}
			}
			own.Actions = append(own.Actions, n)
		}
	}
	if j.cover != nil {
		j.cover.list(&own, spec)
	}
	return MergeCoverage(list, []Coverage{own})
}

// MergeCoverage adds the counts of b to those of a, spec by spec.
func MergeCoverage(a, b []Coverage) []Coverage {
next:
	for _, more := range b {
		for i := range a {
			if c := &a[i]; c.Spec == more.Spec {
				c.Actions = merge(c.Actions, more.Actions, func(x *ActionCount) (string, *int) { return x.Action, &x.Count })
				c.Transitions = merge(c.Transitions, more.Transitions, func(x *TransitionCount) (Transition, *int) { return x.Transition, &x.Count })
				c.Clauses = merge(c.Clauses, more.Clauses, func(x *ClauseCount) (ActionClause, *int) { return x.ActionClause, &x.Count })
				c.Branches = merge(c.Branches, more.Branches, func(x *BranchCount) (RuleBranch, *int) { return x.RuleBranch, &x.Count })
				c.Disjuncts = merge(c.Disjuncts, more.Disjuncts, func(x *DisjunctCount) (ActionDisjunct, *int) { return x.ActionDisjunct, &x.Count })
				continue next
			}
		}
		a = append(a, more)
	}
	return a
}

// merge adds the counts of b to those of a, by key. Keys of b alone come last:
// a profile has some actions with other clauses.
func merge[T any, K comparable](a, b []T, of func(*T) (K, *int)) []T {
	at := make(map[K]int, len(a))
	for i := range a {
		key, _ := of(&a[i])
		at[key] = i
	}
	for i := range b {
		key, more := of(&b[i])
		if k, ok := at[key]; ok {
			_, count := of(&a[k])
			*count += *more
		} else {
			a = append(a, b[i])
		}
	}
	return a
}
