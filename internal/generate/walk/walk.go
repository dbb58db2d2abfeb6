package walk

import "tracecheck/trace"

// Config is how a walk goes.
type Config struct {
	Rand      *Rand
	Objects   int               // how many live objects to hover around, at least 1
	Snapshot  bool              // begin with so many, in snapshot lines
	Constants map[string]string // the spec's, as valid raw JSON by name
	Stream    int               // of the trace, from 0
}

// Walk is one behaviour of a spec: a state, and steps that the spec's actions
// allow, for as long as they are asked for.
type Walk interface {
	// Opening is how many lines Open will give.
	Opening() int
	// Open adds the next line of what comes before the first action.
	Open(*Step)
	// Take takes an action that is enabled, and adds what it does to the step,
	// with at most room lines more, room being at least 1. Where the step has
	// lines already, all its actions together must be what those lines say.
	Take(s *Step, room int)
	// Break breaks the rule with the step, which is empty, by at most room lines,
	// or does not if it cannot now.
	Break(rule string, s *Step, room int) (Broken, bool)
}

// Broken says what was done to break a rule.
type Broken struct {
	What string // in words
	At   int    // the line of the step that breaks it, from 0
	// Waits says that the step itself is right: from it on something waits that
	// will not be done.
	Waits bool
	// Further says that it takes more steps: Break is to be called again for
	// the next.
	Further bool
}

// Rule is a rule that a walk can break, or why no trace breaks it.
type Rule struct {
	Name   string
	Cannot string // "": it can
	Atomic string // "": in batched steps too; else why not
	Waits  bool   // broken by something that waits: it takes a deadline to see it
}

// Spec makes walks of one spec.
type Spec struct {
	Name  string
	Kinds []trace.Kind
	Rules []Rule
	New   func(Config) Walk
}
