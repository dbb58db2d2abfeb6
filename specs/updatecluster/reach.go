package updatecluster

import (
	"sync"

	"tracecheck/validators"
	"tracecheck/validators/model"
)

// What the actions make of one request, whatever the others do: found by taking
// them in states that permit all of them.

// place is a request's status and membership of queue, as a number.
type place uint8

// places is a set of them.
type places uint32

func placeOf(r *Request) place {
	if r.Queue == in {
		return place(r.Status)<<1 | 1
	}
	return place(r.Status) << 1
}

func (p place) set() places { return 1 << p }

// request is a request at the place.
func (p place) request() Request {
	r := Request{Status: Status(p >> 1), Rank: model.OptionalInt{Set: true}, Queue: out}
	if p&1 == 1 {
		r.Queue = in
	}
	return r
}

// edge is an action on a request.
type edge struct {
	from, to place
	by       *action
	conf     ternary // confOK, where it depends on that
	ok       bool    // the witness
}

// pathGraph is what the actions make of one request: all edges, and where they lead.
type pathGraph struct {
	edges []edge
	// reachable[confOK][p] is what p leads to, p itself included; withoutStart is
	// that without a StartApply.
	reachable, withoutStart [2][2 * statusCount]places
}

// paths is made when it is first used: a start of the program need not wait for it.
var paths = sync.OnceValue(func() *pathGraph {
	g := &pathGraph{}
	for p := place(0); p < 2*place(statusCount); p++ {
		s := text.Fresh()
		requests.Assume(s, p.request())
		text.Successors(s, func(a *action, w *witness) {
			if to := placeOf(w.r.Next()); to != p { // else it stutters
				g.edges = append(g.edges, edge{p, to, a, s.cluster.The().Next().Conf, w.ok})
			}
		})
	}
	for i, conf := range []ternary{no, yes} {
		g.reachable[i], g.withoutStart[i] = g.closure(conf, true), g.closure(conf, false)
	}
	return g
})

func (g *pathGraph) closure(conf ternary, start bool) (reach [2 * statusCount]places) {
	for p := range place(len(reach)) {
		reach[p] = p.set()
	}
	for changed := true; changed; {
		changed = false
		for _, e := range g.edges {
			if e.conf != unknown && e.conf != conf || e.by == startApply && !start {
				continue
			}
			if more := reach[e.from] | reach[e.to]; more != reach[e.from] {
				reach[e.from], changed = more, true
			}
		}
	}
	return reach
}

// transitions are the changes of status that the actions make of requests that
// began as waiting. ProcessQueue, which does not look at the status, is meant for
// valid requests.
func transitions() (list []validators.Transition) {
	g, start := paths(), placeOf(&Request{Status: Waiting, Queue: out})
	ever := g.reachable[0][start] | g.reachable[1][start]
	for _, e := range g.edges {
		if from, to := Status(e.from>>1), Status(e.to>>1); from != to && ever&e.from.set() != 0 {
			list = append(list, validators.Transition{By: e.by.Name, From: from.String(), To: to.String()})
		}
	}
	return list
}
