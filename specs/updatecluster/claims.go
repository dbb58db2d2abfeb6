package updatecluster

import (
	"fmt"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// claimed reports whether the event names an action that the step must be
// explained by. The module has no actors. A refusal is no action.
func claimed(ev *trace.Event) bool {
	return ev.Action != "" && ev.Op != trace.OpReject && isOwn(ev.Kind)
}

func anyClaim(step *trace.Step) bool {
	for i := range step.Events {
		if claimed(&step.Events[i]) {
			return true
		}
	}
	return false
}

func isOwn(k trace.Kind) bool { return k == trace.KindRequest || k == trace.KindCluster }

// unknownNames reports the first claim of an action that the module does not
// have.
func (m *machine) unknownNames(step *trace.Step) []validators.Finding {
	for i := range step.Events {
		ev := &step.Events[i]
		if ev.Action != "" && isOwn(ev.Kind) && !isAction(ev.Action) {
			return []validators.Finding{m.claimFinding(ev, fmt.Sprintf(
				"UpdateCluster has no action %q; `tracecheck specs updatecluster` lists them", ev.Action))}
		}
	}
	return nil
}

// claims reports the first claim that the step's action does not meet.
func (m *machine) claims(step *trace.Step) []validators.Finding {
	return m.unmet(step, func(name string) bool {
		return name == m.by.Name || m.pushed && name == pushToQueue.Name
	}, func() string { return "the step is " + strings.Join(m.Explanation(), ", ") })
}

// showPush explains a step that changes nothing else by PushToQueue, where a
// line shows the one request to be in the queue that may not have been.
func (m *machine) showPush(step *trace.Step) {
	pushed := 0
	for i := range m.touched {
		if c := &m.touched[i]; c.mayBePushed() && c.is == in {
			pushed++
		}
	}
	claimsMore := m.unmet(step, func(name string) bool { return name == pushToQueue.Name }, func() string { return "" })
	if pushed == 1 && len(claimsMore) == 0 {
		m.by = pushToQueue
	}
}

// stutterClaims reports the first claim of an action that cannot leave the
// state as it is. Rollback does so only without a valid configuration.
func (m *machine) stutterClaims(step *trace.Step) []validators.Finding {
	return m.unmet(step, func(name string) bool {
		for _, a := range next {
			if a.Name == name && a.Stutter != nil && a.Stutter(&m.pair) {
				if a == rollback {
					m.reach.conf = no
				}
				return true
			}
		}
		return false
	}, func() string { return "nothing changes, and that action cannot leave this state as it is" })
}

func (m *machine) unmet(step *trace.Step, meets func(name string) bool, what func() string) []validators.Finding {
	for i := range step.Events {
		ev := &step.Events[i]
		if claimed(ev) && isAction(ev.Action) && !meets(ev.Action) {
			return []validators.Finding{m.claimFinding(ev, fmt.Sprintf("%s claims the action %s, but %s", named(ev), ev.Action, what()))}
		}
	}
	return nil
}

func (m *machine) claimFinding(ev *trace.Event, text string) validators.Finding {
	return validators.Finding{Kind: validators.OfClaim, Rule: "action", Pos: ev.Pos, Message: text, Changes: m.changes()}
}
