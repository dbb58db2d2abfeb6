package swarmkit_test

import (
	"maps"
	"math/rand/v2"
	"slices"

	"tracecheck/specs/internal/oracle"
)

// A walk is a run of the model, with now and then something that is not a step:
// a node that comes or goes, or a snapshot that overlays the state.

type walkStep struct {
	label    // empty for what is not a step of the model
	from, to oracleState
	snapshot []object // what a snapshot run names
}

var (
	walkNodes    = []string{"n1", "n2", "n3"}
	walkServices = []string{"web", "api"}
	walkReplicas = []int{0, 1, 2, 3, globalMode}
)

// walkWeights keeps walks from tearing down what they have just built; an
// action without an entry weighs 4.
var walkWeights = map[string]int{
	"RemoveService": 1, "WorkerDown": 2, "OrphanTasks": 2, "RejectTask": 2,
	"RestartTask": 2, "UpdateService": 3, "RequestRemoval": 3,
}

type walker struct {
	rng           *rand.Rand
	state         oracleState
	taskIDs       []string
	maxTerminated int
	nodesGo       bool // nodes may leave, too
}

// universe offers a few unused ids and a few tasks to exit: the rest is
// symmetric, and would only cost time.
func (w *walker) universe() universe {
	unused := slices.DeleteFunc(oracle.Shuffled(w.rng, w.taskIDs), func(id string) bool {
		_, used := w.state.tasks[id]
		return used
	})
	exits := map[string]bool{}
	for _, id := range oracle.Shuffled(w.rng, w.state.allTasks()) {
		if w.state.tasks[id].state == "running" && len(exits) < 3 {
			exits[id] = true
		}
	}
	return universe{
		services: walkServices, replicas: walkReplicas, slots: []int{1, 2, 3, 4},
		taskIDs: unused[:min(2, len(unused))], maxTerminated: w.maxTerminated,
		exits: func(id string) bool { return exits[id] },
	}
}

// step makes one step of the model; a stuttering one rarely. It reports
// whether there was any.
func (w *walker) step() (walkStep, bool) {
	byLabel := map[label][]oracleState{}
	stutter := oracle.Chance(w.rng, 0.06)
	var enabled []label
	for _, next := range w.universe().successors(w.state) {
		if next.next.equal(w.state) != stutter || w.touchesGone(next.next) {
			continue
		}
		if byLabel[next.label] == nil {
			weight, ok := walkWeights[next.action]
			if !ok {
				weight = 4
			}
			enabled = append(enabled, slices.Repeat([]label{next.label}, weight)...)
		}
		byLabel[next.label] = append(byLabel[next.label], next.next)
	}
	if len(enabled) == 0 {
		return walkStep{}, false
	}
	l := oracle.Pick(w.rng, enabled)
	return w.move(walkStep{label: l, to: oracle.Pick(w.rng, byLabel[l])}), true
}

func (w *walker) move(step walkStep) walkStep {
	step.from = w.state
	w.state = step.to
	return step
}

// touchesGone says whether a step makes or moves a task on a node that is
// gone: what Node means there is open.
func (w *walker) touchesGone(next oracleState) bool {
	for id, t := range next.tasks {
		if next.nodes[t.node] == nodeGone && w.state.tasks[id].state != t.state {
			return true
		}
	}
	return false
}

// environment lets a node come or go.
func (w *walker) environment() (walkStep, bool) {
	n := oracle.Pick(w.rng, append([]string{"n4"}, walkNodes...))
	if v := w.state.nodes[n]; v == "" || v == nodeGone {
		return w.move(walkStep{to: w.state.withNode(n, oracle.Pick(w.rng, []string{nodeUp, nodeDown}))}), true
	}
	if w.nodesGo {
		return w.move(walkStep{to: w.state.withNode(n, nodeGone)}), true
	}
	return walkStep{}, false
}

// snapshot states some objects again, changed or not.
func (w *walker) snapshot() walkStep {
	to := w.state.clone()
	random := randomState(w.rng, w.taskIDs)
	var named []object
	name := func(o object) {
		if oracle.Chance(w.rng, 0.4) && w.state.nodes[o.id] != nodeGone {
			named = append(named, o)
		}
	}
	if oracle.Chance(w.rng, 0.5) {
		for _, o := range random.objects() {
			name(o)
		}
		to.overlay(random, named)
	}
	if !to.inv() || !to.typeOK() || len(named) == 0 {
		to, named = w.state, nil
		for _, o := range w.state.objects() {
			name(o)
		}
	}
	return w.move(walkStep{to: to, snapshot: named})
}

// overlay sets the named objects to what they are in the other state.
func (s oracleState) overlay(other oracleState, named []object) {
	for _, o := range named {
		switch o.kind {
		case "service":
			s.services[o.id] = other.services[o.id]
		case "node":
			s.nodes[o.id] = other.nodes[o.id]
		case "task":
			s.tasks[o.id] = other.tasks[o.id]
		}
	}
}

// randomState is well-typed and satisfies Inv, and is most often unreachable:
// slots of the wrong mode, finished tasks beside running ones, tasks of a
// global slot with no node.
func randomState(rng *rand.Rand, taskIDs []string) oracleState {
	s := newOracleState()
	for _, n := range walkNodes {
		s.nodes[n] = oracle.Pick(rng, []string{nodeUp, nodeUp, nodeDown})
	}
	for _, sid := range walkServices {
		if oracle.Chance(rng, 0.8) {
			s.services[sid] = oracleService{oracle.Pick(rng, walkReplicas), oracle.Chance(rng, 0.25)}
		}
	}
	if len(s.services) == 0 {
		return s
	}
	states := slices.DeleteFunc(slices.Clone(stateOrder), func(v string) bool { return v == "remove" })
	for _, id := range oracle.Shuffled(rng, taskIDs)[:rng.IntN(len(taskIDs))] {
		t := oracleTask{
			service: oracle.Pick(rng, sortedKeys(s.services)),
			slot:    1 + rng.IntN(3),
			state:   oracle.Pick(rng, states),
			desired: oracle.Pick(rng, desiredStates),
		}
		if oracle.Chance(rng, 0.3) {
			t.state = oracle.Pick(rng, []string{"running", "ready", "complete"})
		}
		global := s.services[t.service].replicas == globalMode
		if global != oracle.Chance(rng, 0.15) {
			t.slot = globalMode
		}
		placed := precedesEq("assigned", t.state) && t.state != "rejected"
		if placed || oracle.Chance(rng, 0.3) || t.slot == globalMode && oracle.Chance(rng, 0.8) {
			t.node = oracle.Pick(rng, walkNodes)
		}
		s.tasks[id] = t
	}
	return s
}

// honest says whether the states, seen only at both ends, still show every
// object that changed on the way; then the walk itself explains the batch.
func honest(states []oracleState) bool {
	from, to := states[0], states[len(states)-1]
	net := differing(from, to)
	for i := 1; i < len(states); i++ {
		if !subset(differing(states[i-1], states[i]), net) {
			return false
		}
	}
	return true
}

// reused says whether an id names another task at the end than at the start.
func reused(from, to oracleState) bool {
	for id, t := range to.tasks {
		if old, ok := from.tasks[id]; ok && taskObject(id, old) != taskObject(id, t) {
			return true
		}
	}
	return false
}

// recreated says whether the object exists at both ends and not all the way.
func recreated(o object, states []oracleState) bool {
	if states[0].value(o) == nil || states[len(states)-1].value(o) == nil {
		return false
	}
	return slices.ContainsFunc(states, func(s oracleState) bool { return s.value(o) == nil })
}

// netObjects are the objects that a batch shows, in a random order.
func netObjects(rng *rand.Rand, states []oracleState) []object {
	net := differing(states[0], states[len(states)-1])
	inOrder := slices.SortedFunc(maps.Keys(net), compareObjects)
	return oracle.Shuffled(rng, inOrder)
}
