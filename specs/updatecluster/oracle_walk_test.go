package updatecluster_test

import (
	"fmt"
	"maps"
	"math/rand/v2"

	"tracecheck/specs/internal/oracle"
)

// caseOpts chooses what genCase makes.
type caseOpts struct {
	steps       int
	requests    int
	batched     bool // runs of steps merged, only the net change shown
	unreachable bool // begin in a random well-typed state
	snapshots   bool // begin with snapshots; else in Init
	overlays    bool // snapshots in between
	claims      bool
	hideQueue   bool // no line logs queued
	hideLast    bool // no line logs last_submitted
	hideConf    bool // no line logs conf_ok
	someQueue   bool // some lines leave queued out
	lateQueue   int  // and all lines of so many steps
	nullQueue   bool // some lines give null for false
	someLast    bool // some lines leave last_submitted out
	mutation    string
	cap         int // states a batched search may visit
}

func randomOpts(rng *rand.Rand) caseOpts {
	o := caseOpts{
		steps:       1 + rng.IntN(30),
		requests:    1 + rng.IntN(5),
		batched:     oracle.Chance(rng, 0.45),
		unreachable: oracle.Chance(rng, 0.5),
		claims:      oracle.Chance(rng, 0.5),
		overlays:    oracle.Chance(rng, 0.2),
		hideQueue:   oracle.Chance(rng, 0.3),
		hideLast:    oracle.Chance(rng, 0.3),
		hideConf:    oracle.Chance(rng, 0.3),
		someQueue:   oracle.Chance(rng, 0.2),
		nullQueue:   oracle.Chance(rng, 0.2),
		someLast:    oracle.Chance(rng, 0.3),
		cap:         4000,
	}
	if oracle.Chance(rng, 0.2) {
		o.lateQueue = rng.IntN(o.steps)
	}
	o.snapshots = o.unreachable || oracle.Chance(rng, 0.5)
	if o.batched {
		o.requests = 1 + rng.IntN(4)
	}
	if oracle.Chance(rng, 0.7) {
		o.mutation = mutators.Pick(rng)
	}
	return o
}

// walker makes a trace of a walk.
type walker struct {
	rng    *rand.Rand
	o      caseOpts
	state  oracleState
	shown  map[string]bool
	seen   bool // the cluster was shown
	events []oracle.Event
	tx     int
}

// genCase makes a trace and the oracle's verdict on it.
func genCase(rng *rand.Rand, o caseOpts) ([]string, verdict) {
	return mutators.Case(rng, &o.mutation, func() []string { return genTrace(rng, o) },
		func(lines []string) verdict { return judge(lines, o.cap) })
}

// genTrace is one draw; nil where the mutation finds no place.
func genTrace(rng *rand.Rand, o caseOpts) []string {
	w := walker{rng: rng, o: o, shown: map[string]bool{}}
	var ids []string
	for i := range o.requests {
		ids = append(ids, fmt.Sprintf("r%d", i+1))
	}
	w.state = oracleInit(oracle.Chance(rng, 0.7), ids...)
	if o.unreachable {
		w.state = w.random(w.state)
	}
	steps := "atomic"
	if o.batched {
		steps = "batched"
	}
	w.events = append(w.events, oracle.Event{Kind: "meta", Object: map[string]any{"format": 1, "spec": []string{"updatecluster"}, "steps": steps}})
	if o.snapshots {
		w.snapshot(ids)
	}
	for range o.steps {
		if o.overlays && oracle.Chance(rng, 0.06) {
			if oracle.Chance(rng, 0.5) {
				w.state = w.random(w.state)
				w.snapshot(ids)
			} else {
				w.snapshot([]string{oracle.Pick(rng, ids)})
			}
			continue
		}
		n := 1
		if o.batched && oracle.Chance(rng, 0.7) {
			n += rng.IntN(7)
		}
		w.walk(n)
	}
	return mutators.Apply(o.mutation, rng, w.events)
}

// random is any well-typed state with the same requests, hardly ever with two
// of them partial. Where the queue is not logged, it holds valid requests only.
func (w *walker) random(s oracleState) oracleState {
	rng := w.rng
	s = s.clone()
	ids, partial := s.ids(), false
	for _, id := range ids {
		r := oracleRequest{oracle.Pick(rng, statuses), null, oracle.Chance(rng, 0.3)}
		if r.status == "partial" && partial && oracle.Chance(rng, 0.8) {
			r.status = "processing"
		}
		partial = partial || r.status == "partial"
		if oracle.Chance(rng, 0.85) {
			r.rank = 1 + rng.IntN(4)
		}
		if w.o.hideQueue || w.o.someQueue || w.o.lateQueue > 0 {
			r.queued = r.queued && r.status == "valid"
		}
		s.requests[id] = r
	}
	s.request, s.complete = "-", oracle.Chance(rng, 0.6)
	if oracle.Chance(rng, 0.7) {
		s.request = oracle.Pick(rng, ids)
	}
	largest := 0
	for _, r := range s.requests {
		largest = max(largest, r.rank)
	}
	switch {
	case w.o.hideLast || w.o.someLast:
		s.last = max(largest, s.last)
	default:
		s.last = rng.IntN(5)
	}
	return s
}

// walk takes up to n steps as one of the trace, changing only objects whose
// change shows at the end.
func (w *walker) walk(n int) {
	path := []oracleState{w.state}
	var taken []successor
	for range n {
		at := path[len(path)-1]
		all := at.successors()
		if len(all) == 0 {
			break
		}
		next := oracle.Pick(w.rng, all)
		path, taken = append(path, next.to), append(taken, next)
	}
	for len(taken) > 1 && !honest(path) {
		path, taken = path[:len(path)-1], taken[:len(taken)-1]
	}
	if len(taken) == 0 {
		return
	}
	w.write(path, taken)
	w.state = path[len(path)-1]
}

// honest says that each object that changes on the path differs at its ends.
func honest(path []oracleState) bool {
	from, to := path[0], path[len(path)-1]
	for _, s := range path {
		for id, r := range s.requests {
			o, w := from.requests[id], to.requests[id]
			if o.status == w.status && o.rank == w.rank && (r.status != o.status || r.rank != o.rank) {
				return false
			}
		}
		if from.request == to.request && from.complete == to.complete && (s.request != from.request || s.complete != from.complete) {
			return false
		}
	}
	return true
}

// share is how often a line does what those that give a whole object do.
func share(whole bool) float64 {
	if whole {
		return 1
	}
	return 0.2
}

func (w *walker) requestFields(s oracleState, id string, whole bool) map[string]any {
	r := s.requests[id]
	f := map[string]any{"status": r.status, "rank": nil, "queued": r.queued}
	if r.rank != null {
		f["rank"] = float64(r.rank)
	}
	if w.o.hideQueue || w.tx < w.o.lateQueue || w.o.someQueue && oracle.Chance(w.rng, 0.5*share(whole)) {
		delete(f, "queued")
	} else if w.o.nullQueue && !r.queued && oracle.Chance(w.rng, 0.5) {
		f["queued"] = nil
	}
	return f
}

func (w *walker) clusterFields(s oracleState) map[string]any {
	f := map[string]any{"request": nil, "complete": s.complete, "last_submitted": float64(s.last), "conf_ok": s.conf}
	if s.request != "-" {
		f["request"] = s.request
	}
	if w.o.hideLast || w.o.someLast && oracle.Chance(w.rng, 0.5) {
		delete(f, "last_submitted")
	}
	if w.o.hideConf {
		delete(f, "conf_ok")
	}
	return f
}

func (w *walker) snapshot(ids []string) {
	var run []oracle.Event
	for _, id := range ids {
		run = append(run, oracle.Event{Kind: "request", Op: "snapshot", ID: id, Object: w.requestFields(w.state, id, true)})
		w.shown[id] = true
	}
	if len(ids) > 1 || len(w.state.requests) == 1 || oracle.Chance(w.rng, 0.3) {
		run = append(run, oracle.Event{Kind: "cluster", Op: "snapshot", Object: w.clusterFields(w.state)})
		w.seen = true
	}
	w.rng.Shuffle(len(run), func(i, j int) { run[i], run[j] = run[j], run[i] })
	w.events = append(w.events, run...)
}

// write shows the net change of a path.
func (w *walker) write(path []oracleState, taken []successor) {
	from, to := path[0], path[len(path)-1]
	var lines []oracle.Event
	for _, id := range from.ids() {
		if from.requests[id] == to.requests[id] && !oracle.Chance(w.rng, 0.03) {
			continue
		}
		e := oracle.Event{Kind: "request", Op: "update", ID: id, Object: w.requestFields(to, id, false)}
		if !w.shown[id] && oracle.Chance(w.rng, 0.5) {
			e.Op, e.Object = "create", w.requestFields(to, id, true)
		} else if !oracle.Chance(w.rng, 0.1) {
			old := w.requestFields(from, id, false)
			maps.DeleteFunc(e.Object, func(k string, v any) bool { return old[k] == v })
		}
		w.shown[id] = true
		lines = append(lines, e)
	}
	cluster := w.clusterFields(to)
	if w.seen || !oracle.Chance(w.rng, 0.2) {
		old := w.clusterFields(from)
		maps.DeleteFunc(cluster, func(k string, v any) bool { return (old[k] == v || k == "conf_ok") && !oracle.Chance(w.rng, 0.1) })
	}
	if len(cluster) > 0 {
		op := "update"
		if _, whole := cluster["complete"]; whole && !w.seen && oracle.Chance(w.rng, 0.3) {
			op, cluster = "create", w.clusterFields(to)
		}
		w.seen = true
		lines = append(lines, oracle.Event{Kind: "cluster", Op: op, Object: cluster})
	}
	if len(lines) == 0 {
		return
	}
	w.rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	if w.o.claims && oracle.Chance(w.rng, 0.5) {
		w.claim(lines, path, taken)
	}
	w.tx++
	for i := range lines {
		if len(lines) > 1 || oracle.Chance(w.rng, 0.3) {
			lines[i].Tx = w.tx
		}
	}
	w.events = append(w.events, lines...)
}

// claim names the actions of some lines, truly.
func (w *walker) claim(lines []oracle.Event, path []oracleState, taken []successor) {
	for i := range lines {
		e := &lines[i]
		for k, n := range taken {
			changed := path[k].requests[e.ID] != path[k+1].requests[e.ID]
			if e.Kind == "cluster" {
				a, b := path[k], path[k+1]
				changed = a.request != b.request || a.complete != b.complete || a.last != b.last
			}
			still := len(taken) == 1 && path[0].key() == path[1].key()
			if (changed || still || !w.o.batched) && oracle.Chance(w.rng, 0.5) {
				e.Action = n.action
				if oracle.Chance(w.rng, 0.1) {
					e.Actor = "anyone" // the module has no actors
				}
			}
		}
	}
}
