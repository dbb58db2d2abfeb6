package validators

// Cover counts what a machine's steps exercise beyond its actions.
type Cover struct {
	transitions map[Transition]int
	clauses     map[ActionClause]int
	branches    map[RuleBranch]int
}

// NewCover returns an empty Cover.
func NewCover() *Cover {
	return &Cover{map[Transition]int{}, map[ActionClause]int{}, map[RuleBranch]int{}}
}

// Took counts a branch of an invariant.
func (c *Cover) Took(b RuleBranch) { c.branches[b]++ }

// Moved counts a change of status.
func (c *Cover) Moved(by, from, to string) { c.transitions[Transition{by, from, to}]++ }

// list adds the counts to the spec's coverage.
func (c *Cover) list(own *Coverage, spec *Spec) {
	if spec.Transitions != nil {
		for _, t := range spec.Transitions() {
			own.Transitions = append(own.Transitions, TransitionCount{t, c.transitions[t]})
		}
	}
	for i := range spec.Actions {
		for _, text := range spec.Actions[i].Clauses {
			clause := ActionClause{spec.Actions[i].Name, text}
			own.Clauses = append(own.Clauses, ClauseCount{clause, c.clauses[clause]})
		}
	}
	for _, b := range spec.Branches {
		own.Branches = append(own.Branches, BranchCount{b, c.branches[b]})
	}
}

// Cover counts the clauses that decide: for each candidate action, the clause
// that alone fails. It sets the pair's witnesses.
func (r Relation[P]) Cover(p *P, c *Cover) {
	for _, a := range r {
		if !a.Bind(p) {
			continue
		}
		failed, alone := 0, 0
		for i := 0; i < len(a.Clauses) && failed < 2; i++ {
			if !a.Clauses[i].Holds(p) {
				failed, alone = failed+1, i
			}
		}
		if failed == 1 {
			c.clauses[ActionClause{a.Name, a.Clauses[alone].Text}]++
		}
	}
}

// Place returns the index of the action with the same name in a relation that is Prepared, or -1.
// A profile may have the action with other clauses.
func (r Relation[P]) Place(a *Action[P]) int {
	if a.place < len(r) && r[a.place] == a {
		return a.place
	}
	for i, b := range r {
		if a.Name == b.Name {
			return i
		}
	}
	return -1
}

// Branch is a way in which an invariant holds, with its test.
type Branch[P any] struct {
	RuleBranch
	Taken func(*P) bool
}

// Branches are those of a module's invariants.
type Branches[P any] []Branch[P]

// Cover counts the branches that hold for p.
func (b Branches[P]) Cover(p *P, c *Cover) {
	for i := range b {
		if b[i].Taken(p) {
			c.Took(b[i].RuleBranch)
		}
	}
}

// Describe returns the branches' names.
func (b Branches[P]) Describe() []RuleBranch {
	docs := make([]RuleBranch, len(b))
	for i := range b {
		docs[i] = b[i].RuleBranch
	}
	return docs
}
