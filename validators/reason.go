package validators

import "fmt"

// Reasoner is a Machine that can explain an open obligation. of is nil for the
// stream itself. Only reports call it, so it may be slow.
type Reasoner interface {
	Machine
	// Prompt reports whether the system normally acts within seconds, whatever
	// its users request.
	Prompt(w Wait, of Waiter) bool
	// Reason explains why the obligation is open: what exists and what was
	// requested, the last step about it, and what came between. It returns ""
	// if the steps show nothing.
	Reason(w Wait, of Waiter) string
}

// reason explains why the obligation is still open, "" if unknown.
func (j *judge) reason(o *Obligation) string {
	if m, can := j.machine.(Reasoner); can {
		return m.Reason(o.For, o.Of)
	}
	return ""
}

// isPrompt reports whether the system normally meets the obligation at once.
func (j *judge) isPrompt(o *Obligation) bool {
	m, can := j.machine.(Reasoner)
	return can && o.Of != nil && m.Prompt(o.For, o.Of)
}

// promptShown bounds the obligations in the message of a violated predicate.
const promptShown = 3

// prompt lists the oldest prompt obligations: they are why a predicate of the
// whole state does not hold.
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

// text names the object and the action that it waits for.
func (w *Waiting) text() string { return fmt.Sprintf("%s waits for %s", w.Object(), w.Action) }
