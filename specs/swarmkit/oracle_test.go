package swarmkit_test

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The oracle is a second reading of SwarmKit.tla, for tests only: sets, maps
// and enumeration, with nothing taken from the checker that it judges.

// globalMode is the model's `global', both as a number of replicas and
// as a task's slot. It is outside Nat, and not -1, so that -1 stays ill-typed.
const globalMode = math.MinInt

// A node that is gone was shown once: it belongs to Node, and is neither up
// nor down.
const (
	nodeUp   = "up"
	nodeDown = "down"
	nodeGone = "gone"
)

// stateOrder is the order of the task states, lowest first.
var stateOrder = []string{
	"new", "pending", "assigned", "accepted", "preparing", "ready", "starting",
	"running", "complete", "shutdown", "failed", "rejected", "remove", "orphaned",
}

var desiredStates = []string{"ready", "running", "shutdown", "remove"}

// precedes is a ≺ b.
func precedes(a, b string) bool {
	return slices.Index(stateOrder, a) < slices.Index(stateOrder, b)
}

// precedesEq is a ⪯ b.
func precedesEq(a, b string) bool { return !precedes(b, a) }

func isTaskState(state string) bool {
	return state != "remove" && slices.Contains(stateOrder, state)
}

type oracleService struct {
	replicas int
	remove   bool
}

func (svc oracleService) typed() bool {
	return svc.replicas >= 0 || svc.replicas == globalMode
}

type oracleTask struct {
	service        string
	slot           int    // ≥ 1 or globalMode
	node           string // "" is `unassigned'
	state, desired string
}

// vslot is VSlot(t): an int (a slot) or a string (a node or `unassigned').
func (t oracleTask) vslot() any {
	if t.slot == globalMode {
		return t.node
	}
	return t.slot
}

func (t oracleTask) runnable() bool { return precedesEq(t.state, "running") }

// typed leaves out the node, whose type depends on which nodes there are.
func (t oracleTask) typed() bool {
	return (t.slot >= 1 || t.slot == globalMode) && isTaskState(t.state) &&
		slices.Contains(desiredStates, t.desired)
}

type oracleState struct {
	services map[string]oracleService
	tasks    map[string]oracleTask // by the trace's task id, unique by itself
	nodes    map[string]string
}

func newOracleState() oracleState {
	return oracleState{map[string]oracleService{}, map[string]oracleTask{}, map[string]string{}}
}

func (s oracleState) clone() oracleState {
	return oracleState{maps.Clone(s.services), maps.Clone(s.tasks), maps.Clone(s.nodes)}
}

func (s oracleState) equal(o oracleState) bool {
	return maps.Equal(s.services, o.services) && maps.Equal(s.tasks, o.tasks) && maps.Equal(s.nodes, o.nodes)
}

// key is equal for equal states only.
func (s oracleState) key() string {
	var b strings.Builder
	word := func(w string) {
		b.WriteString(strconv.Itoa(len(w)))
		b.WriteByte(':')
		b.WriteString(w)
	}
	for _, id := range sortedKeys(s.nodes) {
		word(id)
		word(s.nodes[id])
	}
	b.WriteByte('/')
	for _, id := range sortedKeys(s.services) {
		word(id)
		word(strconv.Itoa(s.services[id].replicas))
		word(strconv.FormatBool(s.services[id].remove))
	}
	b.WriteByte('/')
	for _, id := range sortedKeys(s.tasks) {
		t := s.tasks[id]
		for _, w := range []string{id, t.service, strconv.Itoa(t.slot), t.node, t.state, t.desired} {
			word(w)
		}
	}
	return b.String()
}

// sortedKeys makes every walk over a map repeatable.
func sortedKeys[V any](m map[string]V) []string {
	keys := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	return keys
}

func (s oracleState) isUp(node string) bool { return s.nodes[node] == nodeUp }

func (s oracleState) isNode(node string) bool {
	_, ok := s.nodes[node]
	return ok
}

// presentNodes are the nodes that an action may choose.
func (s oracleState) presentNodes() []string {
	return slices.DeleteFunc(sortedKeys(s.nodes), func(n string) bool { return s.nodes[n] == nodeGone })
}

// taskSet is a set of tasks, as their ids.
type taskSet []string

func (s oracleState) where(set taskSet, keep func(oracleTask) bool) taskSet {
	var kept taskSet
	for _, id := range set {
		if keep(s.tasks[id]) {
			kept = append(kept, id)
		}
	}
	return kept
}

func (s oracleState) allTasks() taskSet { return sortedKeys(s.tasks) }

func (s oracleState) tasksOf(sid string) taskSet {
	return s.where(s.allTasks(), func(t oracleTask) bool { return t.service == sid })
}

// tasksOfVSlot compares as the model does: `global' and a number are slots
// that no node equals.
func (s oracleState) tasksOfVSlot(sid string, vslot any) taskSet {
	return s.where(s.tasksOf(sid), func(t oracleTask) bool { return t.vslot() == vslot })
}

func (s oracleState) vslotsOf(sid string) []any {
	var vslots []any
	for _, id := range s.tasksOf(sid) {
		if v := s.tasks[id].vslot(); !slices.Contains(vslots, v) {
			vslots = append(vslots, v)
		}
	}
	return vslots
}

// updateTasks is UpdateTasks(f). The module asserts that old tasks exist and
// keep their id, service and vslot; where it would fail there is no step.
func (s oracleState) updateTasks(f map[string]oracleTask) (oracleState, bool) {
	next := s.clone()
	for id, t := range f {
		old, ok := s.tasks[id]
		if !ok || old.service != t.service || old.vslot() != t.vslot() {
			return oracleState{}, false
		}
		next.tasks[id] = t
	}
	return next, true
}

// typeOK is TypeOK. Node is every node that was shown.
func (s oracleState) typeOK() bool {
	for _, svc := range s.services {
		if !svc.typed() {
			return false
		}
	}
	for _, t := range s.tasks {
		if !t.typed() || t.node != "" && !s.isNode(t.node) {
			return false
		}
	}
	for _, v := range s.nodes {
		if v != nodeUp && v != nodeDown && v != nodeGone {
			return false
		}
	}
	return true
}

// inv is Inv. Its last conjunct, unique ids, holds by construction: tasks are
// a map by id.
func (s oracleState) inv() bool {
	for _, t := range s.tasks {
		if _, ok := s.services[t.service]; !ok {
			return false
		}
		if precedesEq("assigned", t.state) && !s.isNode(t.node) && t.state != "rejected" {
			return false
		}
		if t.state == "remove" {
			return false
		}
	}
	return true
}

// object names what a step may change: a service, a node, or a task as the
// model identifies it, by service, vslot and id.
type object struct {
	kind, id string
	service  string // of a task
	vslot    any    // of a task
}

func taskObject(id string, t oracleTask) object { return object{"task", id, t.service, t.vslot()} }

// value is what the object is in the state; nil if it does not exist.
func (s oracleState) value(o object) any {
	switch o.kind {
	case "service":
		if svc, ok := s.services[o.id]; ok {
			return svc
		}
	case "node":
		if v, ok := s.nodes[o.id]; ok {
			return v
		}
	case "task":
		if t, ok := s.tasks[o.id]; ok && taskObject(o.id, t) == o {
			return t
		}
	}
	return nil
}

func (s oracleState) objects() []object {
	var all []object
	for _, id := range sortedKeys(s.services) {
		all = append(all, object{kind: "service", id: id})
	}
	for _, id := range sortedKeys(s.nodes) {
		all = append(all, object{kind: "node", id: id})
	}
	for _, id := range sortedKeys(s.tasks) {
		all = append(all, taskObject(id, s.tasks[id]))
	}
	return all
}

// differing are the objects that are not the same in a and b.
func differing(a, b oracleState) map[object]bool {
	d := map[object]bool{}
	for _, pair := range [][2]oracleState{{a, b}, {b, a}} {
		one, other := pair[0], pair[1]
		for id, svc := range one.services {
			if v, ok := other.services[id]; !ok || v != svc {
				d[object{kind: "service", id: id}] = true
			}
		}
		for id, node := range one.nodes {
			if v, ok := other.nodes[id]; !ok || v != node {
				d[object{kind: "node", id: id}] = true
			}
		}
		for id, t := range one.tasks {
			if v, ok := other.tasks[id]; !ok || v != t {
				d[taskObject(id, t)] = true
			}
		}
	}
	return d
}
