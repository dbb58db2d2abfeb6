package specs_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

var changedPorts = []mutator{
	{"a port given twice", func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		l := &lines[i]
		ports, _ := l.Object["ports"].([]any)
		other, _ := w.some(r, "endpoint", func(o object) bool { p, _ := o["ports"].([]any); return len(p) > 0 })
		if l.Kind != "endpoint" || l.Op != "create" && l.Op != "update" || len(ports) == 0 || other == "" || other == l.ID {
			return mutant{}, false
		}
		theirs := w.objects[key("endpoint", other)]["ports"].([]any)[0].(map[string]any)
		mine := maps.Clone(ports[0].(map[string]any))
		if theirs["mode"] != "ingress" || mine["mode"] != "ingress" || theirs["protocol"] != mine["protocol"] {
			return mutant{}, false
		}
		mine["published_port"] = theirs["published_port"]
		return mutant{kind: "a port given twice", lines: replaced(lines, i, l.with(map[string]any{"ports": append([]any{mine}, ports[1:]...)})), at: i, id: l.ID,
			what: fmt.Sprint(mine, " of ", other)}, true
	}},
	{"a port renumbered", func(lines []line, i int, w *world, r *rand.Rand) (mutant, bool) {
		l := &lines[i]
		ports, _ := l.Object["ports"].([]any)
		if l.Kind != "endpoint" || l.Op != "create" || len(ports) == 0 {
			return mutant{}, false
		}
		n := r.IntN(len(ports))
		wrong := maps.Clone(ports[n].(map[string]any))
		wrong["published_port"] = 20000 // no dynamic one, and asked for by nobody
		all := slices.Clone(ports)
		all[n] = wrong
		return mutant{kind: "a port renumbered", lines: replaced(lines, i, l.with(map[string]any{"ports": all})), at: i, id: l.ID, what: fmt.Sprint(wrong)}, true
	}},
}
