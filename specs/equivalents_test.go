package specs_test

// What makes a change no fault, or none that a later line depends on.

// lastsOn says that a later line is about the object.
func lastsOn(lines []line, i int) bool {
	for k := i + 1; k < len(lines); k++ {
		if lines[k].ID == lines[i].ID && lines[k].Kind == lines[i].Kind && (lines[k].Op != "update" || lines[k].told("state", "desired_state", "replicas")) {
			return true
		}
	}
	return false
}

// summedUp says that the task's next state may be the sum of this change and
// that one, or that a task which was never placed is as well forgotten as closed.
func summedUp(lines []line, i int, t object) bool {
	if rank[t.str("state")] < rank["assigned"] {
		return lines[i].Object["state"] == "shutdown"
	}
	for k := i + 1; k < len(lines); k++ {
		if lines[k].ID == lines[i].ID && lines[k].told("state") {
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
	if !ok {
		return false
	}
	slots := map[any]bool{}
	for k, o := range w.objects {
		if k[:5] == "task " && wanted(o) && o.str("service") == s.str("id") {
			slots[o["slot"]] = true
		}
	}
	return float64(len(slots)) == replicas
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
