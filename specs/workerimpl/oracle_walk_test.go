package workerimpl_test

import (
	"math/rand/v2"
	"slices"

	"tracecheck/specs/internal/oracle"
)

// caseOpts chooses what genTrace makes.
type caseOpts struct {
	steps       int
	ids, nodes  int
	workers     int
	batched     bool // runs of steps merged, only the net change shown
	unreachable bool // begin in a random well-typed state
	claims      bool
	environment bool // nodes come and go, snapshots overlay
	calm        bool // few tasks change at once: more conforms
	others      int  // how many of the first steps are another worker's
	bare        bool // no containers exist at first: the worker is named late
	mutations   int
}

func randomOpts(rng *rand.Rand) caseOpts {
	o := caseOpts{
		steps: 1 + rng.IntN(40), ids: 1 + rng.IntN(maxIDs), nodes: 1 + rng.IntN(maxNodes), workers: 1,
		batched: oracle.Chance(rng, 0.45), unreachable: oracle.Chance(rng, 0.55), claims: oracle.Chance(rng, 0.5),
		environment: oracle.Chance(rng, 0.25), calm: oracle.Chance(rng, 0.3),
	}
	if o.batched {
		o.ids = 1 + rng.IntN(3)
	}
	if o.nodes > 1 && oracle.Chance(rng, 0.25) {
		o.workers = 2
	}
	if o.nodes > 1 && oracle.Chance(rng, 0.4) {
		o.others = 1 + rng.IntN(15)
		if o.bare = oracle.Chance(rng, 0.5); o.bare {
			o.unreachable, o.others = true, 1+rng.IntN(4)
		}
	}
	if !o.bare && oracle.Chance(rng, 0.7) {
		o.mutations = 1 + rng.IntN(2)
	}
	return o
}

// walker takes steps of the module in a model of its own.
type walker struct {
	rng     *rand.Rand
	state   oState
	ids     int
	nodes   int
	workers []int8
	others  int
	calm    bool
	bare    bool
	model   universe
}

func newWalker(rng *rand.Rand, o caseOpts) *walker {
	w := &walker{rng: rng, ids: o.ids, nodes: o.nodes, calm: o.calm, others: o.others, bare: o.bare}
	w.workers = []int8{int8(rng.IntN(o.nodes))}
	if o.workers > 1 {
		w.workers = append(w.workers, (w.workers[0]+1)%int8(o.nodes))
	}
	for i := range o.ids {
		service := uint8(rng.IntN(len(oServices)))
		if oracle.Chance(rng, 0.6) {
			w.model.identities = append(w.model.identities, oIdentity{i, service, int8(1 + rng.IntN(2)), nobody})
		}
		if oracle.Chance(rng, 0.5) || len(w.model.identities) == 0 {
			w.model.identities = append(w.model.identities, oIdentity{i, service, globalMode, int8(rng.IntN(o.nodes))})
		}
	}
	for n := range o.nodes {
		w.state.nodes[n] = isUp
	}
	if !o.unreachable {
		return w
	}
	for n := range o.nodes {
		if oracle.Chance(rng, 0.3) {
			w.state.nodes[n] = isDown
		}
	}
	for i := range o.ids {
		if oracle.Chance(rng, 0.8) {
			w.state.tasks[i] = w.randomTask(i)
		}
		if t := &w.state.tasks[i]; o.bare && t.here && t.node >= 0 && t.slot != globalMode {
			t.node, t.state, t.desired = w.workers[0], oStarting, oRunning
		}
		if !o.bare && oracle.Chance(rng, 0.6) {
			w.state.conts[i] = oCont{true, oracle.Pick(rng, w.workers), uint8(rng.IntN(len(oConts)))}
		}
	}
	return w
}

func (w *walker) randomTask(i int) oTask {
	t := oTask{here: true, service: uint8(w.rng.IntN(len(oServices))), slot: int8(w.rng.IntN(3)), node: int8(w.rng.IntN(w.nodes))}
	t.state, t.desired = uint8(w.rng.IntN(len(oStates))), st(oracle.Pick(w.rng, oDesired))
	if oracle.Chance(w.rng, 0.5) {
		t.state = oracle.Pick(w.rng, []uint8{oAssigned, oStarting, oRunning, oRunning})
	}
	if t.state == oRemove {
		t.state = oRunning
	}
	if t.slot != globalMode && oracle.Chance(w.rng, 0.15) {
		t.node = nobody
	}
	for _, id := range w.model.identities {
		if id.id == i && oracle.Chance(w.rng, 0.7) {
			t.service, t.slot = id.service, id.slot
			if id.slot == globalMode {
				t.node = id.node
			}
		}
	}
	return t
}

// walkStep is one step of a walk. One that is not a step of the module is the
// environment's, or a run of snapshots.
type walkStep struct {
	from, to oState
	action   string
	shown    []object // of a run of snapshots
}

// step takes one of the module's steps, most often one that changes something.
func (w *walker) step() (walkStep, bool) {
	worker := oracle.Pick(w.rng, w.workers)
	if w.others--; w.others >= 0 {
		worker = int8(w.rng.IntN(w.nodes))
	}
	steps := successors(w.state.seenBy(worker), worker, w.model)
	byAction := map[string][]oState{}
	moves := oracle.Chance(w.rng, 0.93)
	for _, s := range steps {
		next := s.next
		taken := false
		for i, c := range w.state.conts {
			taken = taken || w.others >= 0 && !c.here && next.conts[i].here
			if c.here && c.node != worker {
				taken = taken || next.conts[i].here || next.tasks[i].here && !w.state.tasks[i].here
				next.conts[i] = c
			}
		}
		changed := 0
		for i := range next.tasks {
			if next.tasks[i] != w.state.tasks[i] {
				changed++
			}
		}
		if taken || moves && next == w.state || w.calm && changed > 1 {
			continue
		}
		byAction[s.action] = append(byAction[s.action], next)
	}
	if len(byAction) == 0 {
		return walkStep{}, false
	}
	actions := sortedKeys(byAction)
	action := oracle.Pick(w.rng, actions)
	if oracle.Chance(w.rng, 0.3) && len(byAction["ProgressTask"]) > 0 {
		action = "ProgressTask"
	}
	to := oracle.Pick(w.rng, byAction[action])
	if foreign := w.foreign(byAction["UpdateTask"]); len(foreign) > 0 && oracle.Chance(w.rng, 0.7) {
		action, to = "UpdateTask", oracle.Pick(w.rng, foreign)
	}
	step := walkStep{w.state, to, action, nil}
	w.state = step.to
	return step, true
}

// foreign are the states in which another worker has taken a step for a task of
// the one that is named later: that one could not have explained it.
func (w *walker) foreign(states []oState) []oState {
	if !w.bare || w.others < 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(states), func(to oState) bool {
		for i, t := range w.state.tasks {
			if t.here && t.node == w.workers[0] && t.state >= oAssigned && t.state != to.tasks[i].state {
				return false
			}
		}
		return true
	})
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// disturb is the environment's doing, or a run of snapshots.
func (w *walker) disturb() walkStep {
	step := walkStep{from: w.state, to: w.state}
	switch w.rng.IntN(3) {
	case 0:
		n := w.rng.IntN(w.nodes)
		if v := w.state.nodes[n]; v == isUp || v == isDown {
			step.to.nodes[n] = isGone
		} else {
			step.to.nodes[n] = uint8(isUp + w.rng.IntN(2))
		}
	case 1:
		i := w.rng.IntN(w.ids)
		step.to.tasks[i] = w.randomTask(i)
		step.shown = []object{{"task", i}}
	default:
		i := w.rng.IntN(w.ids)
		step.to.conts[i] = oCont{true, oracle.Pick(w.rng, w.workers), uint8(w.rng.IntN(len(oConts)))}
		step.shown = []object{{"container", i}}
	}
	w.state = step.to
	return step
}
