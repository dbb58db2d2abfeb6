package validators

import "fmt"

// Reasoner is a Machine that can say of an open wait what it comes from. of is
// nil for the stream itself. Only reports ask, so it may look at many objects.
type Reasoner interface {
	Machine
	// Prompt reports whether the system would have done it within seconds by now,
	// whatever its users ask for.
	Prompt(w Wait, of Waiter) bool
	// Reason says what the steps so far show of an open wait: what there is and
	// what is asked for, the last step about it, and what came in between. It
	// returns "" where they show nothing.
	Reason(w Wait, of Waiter) string
}

// reason says why the obligation is still open, "" where nothing is known.
func (j *judge) reason(o *Obligation) string {
	if m, can := j.machine.(Reasoner); can {
		return m.Reason(o.For, o.Of)
	}
	return ""
}

// isPrompt reports whether the system would have met the obligation at once.
func (j *judge) isPrompt(o *Obligation) bool {
	m, can := j.machine.(Reasoner)
	return can && o.Of != nil && m.Prompt(o.For, o.Of)
}

// promptShown is how many waits a predicate's violation names.
const promptShown = 3

// prompt names the oldest waits for what the system does at once: they are why
// a predicate of the whole state does not hold.
func (j *judge) prompt() string {
	var u unsettled
	j.ledger.each(func(o *Obligation) {
		if j.isPrompt(o) {
			u.add(o)
		}
	})
	text := ""
	for _, o := range u.longest[:min(u.open, promptShown)] {
		w := j.waiting(o)
		text = join(text, join(fmt.Sprintf("%s since %s", w.text(), j.ledger.stamp(o.opened()).Pos), w.Reason))
	}
	if more := u.open - promptShown; more > 0 {
		text = join(text, fmt.Sprintf("and %d more such waits", more))
	}
	return text
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// text names what waits and for what.
func (w *Waiting) text() string { return fmt.Sprintf("%s waits for %s", w.Object(), w.Action) }
