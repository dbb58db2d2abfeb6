package specs_test

import (
	"math/rand/v2"
	"slices"
)

// stepsPutIn are steps of their own, of which no component would have asked.
var stepsPutIn = []mutator{
	put("task resurrected", func(w *world, r *rand.Rand) (string, []line) {
		id, t := w.some(r, "task", func(o object) bool { return !runnable(o.str("state")) })
		if id == "" || t.str("node") == "" {
			return "", nil
		}
		return id, []line{update("task", id, map[string]any{"state": "running"})}
	}),
	put("running task vanishes", func(w *world, r *rand.Rand) (string, []line) {
		id, _ := w.some(r, "task", func(o object) bool {
			return wanted(o) && o.str("state") == "running" && w.service(o) != nil
		})
		return id, []line{{Kind: "task", Op: "delete", ID: id}}
	}),
	put("one replica too many", func(w *world, r *rand.Rand) (string, []line) {
		id, s := w.some(r, "service", func(o object) bool { return o["mode"] == "replicated" && fullyWanted(w, o) })
		if id == "" {
			return "", nil
		}
		_ = s
		return "fault", []line{{Kind: "task", Op: "create", ID: "fault", Object: map[string]any{
			"service": id, "slot": 4711, "node": "", "state": "new", "desired_state": "running"}}}
	}),
	put("two wanted tasks in a slot", func(w *world, r *rand.Rand) (string, []line) {
		id, t := w.some(r, "task", func(o object) bool {
			s := w.service(o)
			return wanted(o) && runnable(o.str("state")) && s != nil && s["mode"] == "replicated" && s["update_order"] != "start_first" && s["rollback_order"] != "start_first"
		})
		if id == "" {
			return "", nil
		}
		desired := []string{"ready", "running"}[r.IntN(2)]
		return "fault", []line{{Kind: "task", Op: "create", ID: "fault", Object: map[string]any{
			"service": t["service"], "slot": t["slot"], "node": "", "state": "new", "desired_state": desired}}}
	}),
	put("task of an unknown service", func(w *world, r *rand.Rand) (string, []line) {
		return "fault", []line{{Kind: "task", Op: "create", ID: "fault", Object: map[string]any{
			"service": "nosuch", "slot": 1, "node": "", "state": "new", "desired_state": "running"}}}
	}),
	put("removal unasked", func(w *world, r *rand.Rand) (string, []line) {
		id, _ := w.some(r, "task", func(o object) bool {
			s := w.service(o)
			return wanted(o) && s != nil && !toGo(w, o, s)
		})
		return id, []line{update("task", id, map[string]any{"desired_state": "remove"})}
	}),
	put("shutdown unasked", func(w *world, r *rand.Rand) (string, []line) {
		id, _ := w.some(r, "task", func(o object) bool {
			s := w.service(o)
			return wanted(o) && runnable(o.str("state")) && s != nil && s["mode"] == "replicated" && !slices.ContainsFunc(w.slotOf(o.str("id")), wanted)
		})
		return id, []line{update("task", id, map[string]any{"desired_state": "shutdown"})}
	}),
	put("desired state goes back", func(w *world, r *rand.Rand) (string, []line) {
		id, _ := w.some(r, "task", func(o object) bool { return !wanted(o) })
		return id, []line{update("task", id, map[string]any{"desired_state": "running"})}
	}),
	put("orphaned on a live node", func(w *world, r *rand.Rand) (string, []line) {
		id, _ := w.some(r, "task", func(o object) bool {
			n := w.objects[key("node", o.str("node"))]
			return runnable(o.str("state")) && n != nil && n["state"] == "up"
		})
		return id, []line{update("task", id, map[string]any{"state": "orphaned"})}
	}),
	put("progress on a node that is down", func(w *world, r *rand.Rand) (string, []line) {
		id, _ := w.some(r, "task", func(o object) bool {
			n := w.objects[key("node", o.str("node"))]
			return o.str("state") == "running" && n != nil && n["state"] == "down"
		})
		return id, []line{update("task", id, map[string]any{"state": "complete"})}
	}),
	put("rejected, no cause", func(w *world, r *rand.Rand) (string, []line) {
		id, _ := w.some(r, "task", func(o object) bool { return wanted(o) && o.str("state") == "running" })
		return id, []line{update("task", id, map[string]any{"state": "rejected"})}
	}),
	put("a service changes its mode", func(w *world, r *rand.Rand) (string, []line) {
		id, s := w.some(r, "service", func(o object) bool { return true })
		if id == "" {
			return "", nil
		}
		mode := "global"
		if s["mode"] == "global" {
			mode = "global-job"
		}
		return id, []line{update("service", id, map[string]any{"mode": mode})}
	}),
	put("history cut too short", func(w *world, r *rand.Rand) (string, []line) {
		id, _ := w.some(r, "task", func(o object) bool {
			s := w.service(o)
			return !runnable(o.str("state")) && o.str("state") != "orphaned" && o.str("desired_state") == "shutdown" && s != nil
		})
		if id == "" {
			return "", nil
		}
		for _, u := range w.slotOf(id) {
			if wanted(u) && len(w.slotOf(id)) < 2 {
				return id, []line{{Kind: "task", Op: "delete", ID: id}}
			}
		}
		return "", nil
	}),
}
