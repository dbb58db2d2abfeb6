package swarm

import "tracecheck/validators"

// Null is the state's name; null, of a task that does not exist, is NoState.
func Null(s State) string {
	if s == NoState {
		return "null"
	}
	return s.String()
}

// Documented lists what Transitions permits to the components, in their order.
func Documented(components ...string) []validators.Transition {
	var list []validators.Transition
	for _, by := range components {
		for _, t := range Transitions[by] {
			list = append(list, validators.Transition{By: by, From: Null(t[0]), To: Null(t[1])})
		}
	}
	return list
}
