package updatecluster

import (
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

// edges are all there are.
var edges = func() (list []edge) {
	for p := place(0); p < 2*place(statusCount); p++ {
		s := text.Fresh()
		requests.Assume(s, p.request())
		text.Successors(s, func(a *action, w *witness) {
			if to := placeOf(w.r.Next()); to != p { // else it stutters
				list = append(list, edge{p, to, a, s.cluster.The().Next().Conf, w.ok})
			}
		})
	}
	return list
}()

// reachable[confOK][p] is what p leads to, p itself included; withoutStart is
// that without a StartApply.
var (
	reachable    = [2][2 * statusCount]places{closure(no, true), closure(yes, true)}
	withoutStart = [2][2 * statusCount]places{closure(no, false), closure(yes, false)}
)

func closure(conf ternary, start bool) (reach [2 * statusCount]places) {
	for p := range place(len(reach)) {
		reach[p] = p.set()
	}
	for changed := true; changed; {
		changed = false
		for _, e := range edges {
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
var transitions = func() (list []validators.Transition) {
	start := Request{Status: Waiting, Queue: out}
	ever := closure(no, true)[placeOf(&start)] | closure(yes, true)[placeOf(&start)]
	for _, e := range edges {
		if from, to := Status(e.from>>1), Status(e.to>>1); from != to && ever&e.from.set() != 0 {
			list = append(list, validators.Transition{By: e.by.Name, From: from.String(), To: to.String()})
		}
	}
	return list
}()
