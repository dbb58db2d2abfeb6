package eval

import (
	"slices"

	"tracecheck/tlaplus/value"
)

// event is an event of one node's log, with its vector clock.
type event struct {
	val   value.Value
	time  int64                 // of its own node
	clock map[value.Value]int64 // of the others
}

// causalOrder is an order of the log's events that agrees with their vector
// clocks (Lamport; Mattern): each node's events by their own time, and each event
// behind those of other nodes that its clock knows of. The nodes take turns.
func causalOrder(r *Run, args []any) value.Value {
	log := seq(r.Arg(args[0]))
	logs := map[value.Value][]event{}
	var nodes []value.Value
	for _, val := range log {
		clock, node := r.Call(args[1], val), r.Call(args[2], val)
		e := event{val: val, time: clockOf(clock, node), clock: map[value.Value]int64{}}
		for _, other := range value.Enumerate(r.Call(args[3], clock)).Elems {
			if !value.Equal(other, node) {
				e.clock[other] = clockOf(clock, other)
			}
		}
		if logs[node] == nil {
			nodes = append(nodes, node)
		}
		logs[node] = append(logs[node], e)
	}
	slices.SortFunc(nodes, value.Compare)
	for _, node := range nodes {
		slices.SortStableFunc(logs[node], func(a, b event) int { return int(a.time - b.time) })
	}
	// An event is ready once the other nodes have no events left that it knows of.
	ready := func(e event) bool {
		for other, time := range e.clock {
			if left := logs[other]; len(left) > 0 && left[0].time <= time {
				return false
			}
		}
		return true
	}
	var out []value.Value
	for len(out) < len(log) {
		moved := false
		for _, node := range nodes {
			if left := logs[node]; len(left) > 0 && ready(left[0]) {
				out, moved = append(out, left[0].val), true
				logs[node] = left[1:]
			}
		}
		if !moved {
			value.Fail("CausalOrder: the vector clocks contradict each other")
		}
	}
	return value.NewTuple(out...)
}
