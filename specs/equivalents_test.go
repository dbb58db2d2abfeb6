package specs_test

// What makes a change no fault, or none that a later line depends on.

// nextAbout is the next line that is about the object; 0: none is.
func nextAbout(lines []line, i int) int {
	for k := i + 1; k < len(lines); k++ {
		if lines[k].ID == lines[i].ID && lines[k].Kind == lines[i].Kind && (lines[k].Op != "update" || lines[k].gives("state", "desired_state", "replicas")) {
			return k
		}
	}
	return 0
}

// summedUp says that the task's next state may be the sum of this change and
// that one, or that a task which was never placed is as well forgotten as closed.
func summedUp(lines []line, i int, t object) bool {
	if rank[t.str("state")] < rank["assigned"] {
		return lines[i].Object["state"] == "shutdown"
	}
	for k := i + 1; k < len(lines); k++ {
		if lines[k].ID == lines[i].ID && lines[k].gives("state") {
			return lines[k].Object["state"] != "orphaned"
		}
	}
	return false
}

// plausible says that a healthy swarm may take the task to the state.
func plausible(t object, s string) bool {
	from := t.str("state")
	switch {
	case rank[from] < rank["assigned"]:
		return s == "rejected" && wanted(t)
	case !runnable(from):
		return false
	case runnable(s):
		return rank[s] > rank[from]
	case s == "rejected":
		return from != "running" || wanted(t)
	case s == "shutdown":
		return !wanted(t)
	case s == "orphaned":
		return false
	}
	return true
}

// fullyWanted says that as many slots of the service have a wanted task as it
// has replicas.
func fullyWanted(w *world, s object) bool {
	replicas, ok := s["replicas"].(float64)
	return ok && float64(wantedSlots(w, s)) == replicas
}

func wantedSlots(w *world, s object) int {
	slots := map[any]bool{}
	for k, o := range w.objects {
		if k[:5] == "task " && wanted(o) && o.str("service") == s.str("id") {
			slots[o["slot"]] = true
		}
	}
	return len(slots)
}

// toGo says that a healthy swarm is about to remove the wanted task: its service
// has more slots than replicas, or its job is run again.
func toGo(w *world, t, s object) bool {
	replicas, ok := s["replicas"].(float64)
	if s["mode"] == "replicated" {
		return ok && float64(wantedSlots(w, s)) > replicas
	}
	iteration, _ := t["job_iteration"].(float64)
	latest, _ := s["job_iteration"].(float64)
	return iteration < latest
}

// replacedWith says that the transaction creates a task in the slot.
func replacedWith(lines []line, i int, t object) bool {
	for k := i + 1; k < len(lines) && lines[i].Tx != nil && lines[k].Tx == lines[i].Tx; k++ {
		if lines[k].Op == "create" && lines[k].Object["service"] == t["service"] && lines[k].Object["slot"] == t["slot"] {
			return true
		}
	}
	return false
}
