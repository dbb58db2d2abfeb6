package kcpstorage_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"tracecheck/specs/internal/oracle"
)

// caseOpts chooses what genCase makes.
type caseOpts struct {
	steps       int
	spaces      int
	pvcs        int // of each
	clusters    int
	constant    bool // the trace names CLUSTERS
	batched     bool // runs of steps merged, only the net change shown
	snapshots   bool // begin with snapshots; else in Init
	unreachable bool // begin in a random well-typed state
	overlays    bool // snapshots in between
	claims      bool
	mutation    string
	cap         int // states a batched search may visit
}

func randomOpts(rng *rand.Rand) caseOpts {
	o := caseOpts{
		steps:       1 + rng.IntN(20),
		spaces:      1 + b2i(oracle.Chance(rng, 0.3)),
		pvcs:        oracle.Pick(rng, []int{0, 1, 1, 1, 1, 2}),
		clusters:    1 + rng.IntN(4),
		constant:    oracle.Chance(rng, 0.6),
		batched:     oracle.Chance(rng, 0.5),
		unreachable: oracle.Chance(rng, 0.5),
		claims:      oracle.Chance(rng, 0.5),
		overlays:    oracle.Chance(rng, 0.2),
		cap:         5000,
	}
	o.snapshots = o.unreachable || oracle.Chance(rng, 0.5)
	if oracle.Chance(rng, 0.7) {
		o.mutation = mutators.Pick(rng)
	}
	return o
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// walker makes a trace of a walk.
type walker struct {
	rng      *rand.Rand
	o        caseOpts
	clusters []string
	spaces   map[string]oracleSpace
	shown    map[string]bool
	events   []oracle.Event
	tx       int
}

// genCase makes a trace and the oracle's verdict on it.
func genCase(rng *rand.Rand, o caseOpts) ([]string, verdict) {
	return mutators.Case(rng, &o.mutation, func() []string { return genTrace(rng, o) },
		func(lines []string) verdict { return judge(lines, o.cap) })
}

// genTrace is one draw; nil where the mutation finds no place.
func genTrace(rng *rand.Rand, o caseOpts) []string {
	w := walker{rng: rng, o: o, spaces: map[string]oracleSpace{}, shown: map[string]bool{}}
	for i := range o.clusters {
		w.clusters = append(w.clusters, fmt.Sprintf("c%d", i+1))
	}
	for i := range o.spaces {
		s := newOracleSpace()
		for k := range o.pvcs {
			s.pvcs[fmt.Sprintf("pvc%d%d", i, k)] = states{}
		}
		if o.unreachable {
			s = w.random(s)
		}
		w.spaces[fmt.Sprintf("ns%d", i)] = s
	}
	meta := map[string]any{"format": 1, "spec": []string{"kcpstorage"}, "steps": "atomic"}
	if o.batched {
		meta["steps"] = "batched"
	}
	if o.constant {
		meta["constants"] = map[string]any{"clusters": w.clusters}
	}
	w.events = append(w.events, oracle.Event{Kind: "meta", Object: meta})
	if o.snapshots {
		w.snapshot()
	}
	for range o.steps {
		if o.overlays && oracle.Chance(rng, 0.06) {
			name := oracle.Pick(rng, slices.Sorted(maps.Keys(w.spaces)))
			if oracle.Chance(rng, 0.7) {
				w.spaces[name] = w.random(w.spaces[name])
			}
			w.snapshot()
			continue
		}
		w.walk()
	}
	return mutators.Apply(o.mutation, rng, w.events)
}

// random is any well-typed state of the namespace; most keep the invariants.
func (w *walker) random(s oracleSpace) oracleSpace {
	rng := w.rng
	draw := func() states {
		m := states{}
		for _, c := range w.clusters {
			if oracle.Chance(rng, 0.12) {
				m[c] = "Empty"
			}
		}
		if oracle.Chance(rng, 0.6) {
			m[oracle.Pick(rng, w.clusters)] = "Sync"
		}
		if oracle.Chance(rng, 0.03) {
			m[oracle.Pick(rng, w.clusters)] = "Sync"
		}
		return m
	}
	s = s.clone()
	s.ns, s.syncers = draw(), draw()
	for id := range s.pvcs {
		s.pvcs[id] = draw()
	}
	return s
}

// walk takes some steps as one of the trace.
func (w *walker) walk() {
	before := map[string]oracleSpace{}
	taken := map[string][]successor{}
	n := 1
	if w.o.batched {
		n += w.rng.IntN(10)
	}
	for _, name := range slices.Sorted(maps.Keys(w.spaces)) {
		if len(w.spaces) > 1 && oracle.Chance(w.rng, 0.6) {
			continue
		}
		path := []oracleSpace{w.spaces[name]}
		for range n {
			next := oracle.Pick(w.rng, path[len(path)-1].successors(w.clusters))
			path, taken[name] = append(path, next.to), append(taken[name], next)
		}
		for len(path) > 2 && !honest(path) {
			path, taken[name] = path[:len(path)-1], taken[name][:len(taken[name])-1]
		}
		before[name] = path[0]
		w.spaces[name] = path[len(path)-1]
		if !w.o.batched {
			break
		}
	}
	w.write(before, taken)
}

// honest says that each object that changes on the path differs at its ends.
func honest(path []oracleSpace) bool {
	may := differing(path[0], path[len(path)-1])
	for i := range path[1:] {
		for o := range differing(path[i], path[i+1]) {
			if !may[o] {
				return false
			}
		}
	}
	return true
}

// mapFields writes a mapping; a nil is left out, null or written.
func (w *walker) mapFields(m states, all bool) map[string]any {
	f := map[string]any{}
	for _, c := range w.clusters {
		switch s := m.of(c); {
		case s != "nil":
			f[c] = s
		case !all && oracle.Chance(w.rng, 0.3):
		case oracle.Chance(w.rng, 0.3):
			f[c] = nil
		default:
			f[c] = s
		}
	}
	return f
}

// patch writes what differs, and at times more.
func (w *walker) patch(from, to states) map[string]any {
	f := w.mapFields(to, true)
	maps.DeleteFunc(f, func(c string, _ any) bool { return from.of(c) == to.of(c) && !oracle.Chance(w.rng, 0.1) })
	return f
}

func (w *walker) snapshot() {
	var run []oracle.Event
	for name, s := range w.spaces {
		run = append(run, oracle.Event{Kind: "namespace", Op: "snapshot", ID: name, Object: map[string]any{"clusters": w.mapFields(s.ns, false)}})
		for id, m := range s.pvcs {
			run = append(run, oracle.Event{Kind: "pvc", Op: "snapshot", ID: id, Object: map[string]any{"namespace": name, "clusters": w.mapFields(m, false)}})
		}
		for _, c := range w.clusters {
			run = append(run, oracle.Event{Kind: "syncer", Op: "snapshot", ID: c, Object: map[string]any{"namespace": name, "pvc_state": s.syncers.of(c)}})
		}
	}
	slices.SortFunc(run, func(a, b oracle.Event) int { // by content: maps have no order
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		return slices.Compare(x, y)
	})
	for _, e := range run {
		w.shown[e.Kind+e.ID+fmt.Sprint(e.Object["namespace"])] = true
	}
	w.rng.Shuffle(len(run), func(i, j int) { run[i], run[j] = run[j], run[i] })
	w.events = append(w.events, run...)
}

// write shows the net change of a path in each namespace.
func (w *walker) write(before map[string]oracleSpace, taken map[string][]successor) {
	var lines []oracle.Event
	for _, name := range slices.Sorted(maps.Keys(before)) {
		from, to := before[name], w.spaces[name]
		changed := differing(from, to)
		add := func(kind, id string, object map[string]any, whole func() map[string]any) {
			o := kind + " " + id
			if kind == "namespace" {
				o = kind
			}
			if !changed[o] && !oracle.Chance(w.rng, 0.04) {
				return
			}
			e := oracle.Event{Kind: kind, Op: "update", ID: id, Object: object}
			key := kind + id + name
			if kind == "namespace" {
				key = kind + id + "<nil>"
			}
			if !w.shown[key] && oracle.Chance(w.rng, 0.4) {
				e.Op, e.Object = "create", whole()
			} else if kind == "pvc" && (w.shown[key] || w.o.spaces == 1) && oracle.Chance(w.rng, 0.7) {
				delete(e.Object, "namespace")
			}
			w.shown[key] = true
			if w.o.claims && oracle.Chance(w.rng, 0.5) {
				for _, n := range taken[name] {
					if n.object == o && (changed[o] || len(changed) == 0) {
						e.Action = n.action
					}
				}
			}
			lines = append(lines, e)
		}
		add("namespace", name, map[string]any{"clusters": w.patch(from.ns, to.ns)},
			func() map[string]any { return map[string]any{"clusters": w.mapFields(to.ns, false)} })
		for _, id := range to.ids() {
			add("pvc", id, map[string]any{"namespace": name, "clusters": w.patch(from.pvcs[id], to.pvcs[id])},
				func() map[string]any {
					return map[string]any{"namespace": name, "clusters": w.mapFields(to.pvcs[id], false)}
				})
		}
		for _, c := range w.clusters {
			fields := func() map[string]any { return map[string]any{"namespace": name, "pvc_state": to.syncers.of(c)} }
			add("syncer", c, fields(), fields)
		}
	}
	if len(lines) == 0 {
		return
	}
	w.rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	w.tx++
	for i := range lines {
		if len(lines) > 1 || oracle.Chance(w.rng, 0.3) {
			lines[i].Tx = w.tx
		}
		if oracle.Chance(w.rng, 0.02) {
			lines[i].Actor = "anyone" // the module has no actors
		}
	}
	w.events = append(w.events, lines...)
}
