package converge

import (
	"fmt"
	"strings"
)

// failedUpdate returns how the service's update has failed, if it has. The engine names the
// task that caused it.
func failedUpdate(s *service, tasks map[string]*task) (Cause, string) {
	cause, what := CauseRollback, ""
	switch s.updateState {
	case "rollback_started":
		what = "service %s is being rolled back"
	case "rollback_completed":
		what = "service %s was rolled back"
	case "rollback_paused":
		what = "the rollback of service %s is paused"
	case "paused":
		cause, what = CausePaused, "the update of service %s is paused"
	default:
		return "", ""
	}
	why := fmt.Sprintf(what, s.name)
	if s.updateMessage != "" {
		why += ": " + s.updateMessage
	}
	for _, word := range strings.Fields(s.updateMessage) {
		if t := tasks[word]; t != nil {
			why += "; " + described(t)
		}
	}
	return cause, why
}

// update checks the progress of an update. A failure from before the wait may belong to the
// previous spec, so the wait allows time for a new one.
func (p *painter) update() {
	cause, why := failedUpdate(p.service, p.store.tasks)
	open := Waiting{Since: moment(p.service.updateSince), Message: p.service.updateMessage}
	switch {
	case cause != "":
		open.Why = "its update has failed: " + p.service.updateState
		p.mayEnd(p.start, p.stable, cause, why)
	case p.service.updateState == "updating":
		open.Why, open.Action = "its update is in progress", "RestartTask"
	default:
		return
	}
	p.picture.waiting = append(p.picture.waiting, open)
}
