package eval

import (
	"cmp"
	"slices"

	"tracecheck/tlaplus/value"
)

// event is an event of one node's log, with its vector clock.
type event struct {
	val   value.Value
	time  int64 // of its own node
	hosts []value.Value
	clock []int64 // of each host
	waits int     // events of other nodes that are not out yet, and that it knows of
	then  []*event
}

// causalOrder is an order of the log's events that agrees with their vector
// clocks (Lamport; Mattern): each node's events by their own time, and each event
// behind those of other nodes that its clock learns of. The nodes take turns. As
// in TLC, the time n of a node is its n-th event, and events that wait for each
// other are left out. The turns have the nodes' order; in TLC it is arbitrary.
func causalOrder(r *Run, args []any) value.Value {
	log := seq(r.Arg(args[0]))
	logs := map[value.Value][]*event{}
	var nodes []value.Value
	for _, val := range log {
		node, clock := r.Call(args[2], val), r.Call(args[1], val)
		e := &event{val: val, time: clockOf(clock, node), hosts: value.Enumerate(r.Call(args[3], clock)).Elems()}
		for _, host := range e.hosts {
			e.clock = append(e.clock, clockOf(clock, host))
		}
		if logs[node] == nil {
			nodes = append(nodes, node)
		}
		logs[node] = append(logs[node], e)
	}
	slices.SortFunc(nodes, value.Compare)
	for _, node := range nodes {
		for _, e := range logs[node] {
			if len(logs[node]) > 1 && !slices.ContainsFunc(e.hosts, func(h value.Value) bool { return value.Equal(h, node) }) {
				value.Fail("CausalOrder: a vector clock of %s has no time of its own", value.Show(node))
			}
		}
		slices.SortStableFunc(logs[node], func(a, b *event) int { return cmp.Compare(a.time, b.time) })
	}
	for _, node := range nodes {
		known := map[value.Value]int64{}
		for _, e := range logs[node] {
			known[node] = e.time
			for i, host := range e.hosts {
				if logs[host] == nil {
					value.Fail("CausalOrder: a vector clock has a time of %s, which has no event", value.Show(host))
				}
				time := e.clock[i]
				if time <= known[host] {
					continue
				}
				known[host] = time
				if time > int64(len(logs[host])) {
					value.Fail("CausalOrder: a vector clock has the time %d of %s, which has %d events", time, value.Show(host), len(logs[host]))
				}
				before := logs[host][time-1]
				before.then = append(before.then, e)
				e.waits++
			}
		}
	}
	var out []value.Value
	for moved := true; moved; {
		moved = false
		for _, node := range nodes {
			if left := logs[node]; len(left) > 0 && left[0].waits == 0 {
				for _, e := range left[0].then {
					e.waits--
				}
				out, moved = append(out, left[0].val), true
				logs[node] = left[1:]
			}
		}
	}
	return value.NewTuple(out...)
}
