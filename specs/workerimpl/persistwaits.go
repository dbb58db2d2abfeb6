package workerimpl

import (
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// What objects wait for is written as it was followed last, and asked for so
// again. It mostly follows from the state; but in a run of snapshots the state is
// ahead of it, and some may wait behind a gate of a node that they have left.

// wait writes what waits, or asks for it again. own is the gate that it is behind
// by the state as it is.
func (p *persister) wait(o *validators.Obligation, of validators.Waiter, own *validators.Gate) *validators.Obligation {
	var w want
	if o != nil {
		w = o.Want
	}
	if codec.Uint(p.c, &w.For); w.For == 0 {
		return o
	}
	codec.Int(p.c, &w.Stage)
	p.behind(&w.Gate, own)
	if int(w.For) >= len(waits) {
		p.c.Fail("there is no wait %d", uint8(w.For))
	}
	if !p.c.Reading() || p.c.Err() != nil {
		return o
	}
	w.Of = of
	return p.ledger.Set(o, w)
}

// gate makes the ledger know the gate.
func (p *persister) gate(g *validators.Gate) {
	p.gates = append(p.gates, g)
	p.ledger.Gate(p.c, g)
}

// What an obligation is behind: no gate, its own, or another one by its place.
const (
	noGate = iota
	ownGate
	otherGate
)

// behind is for the gate that something waits behind.
func (p *persister) behind(g **validators.Gate, own *validators.Gate) {
	n := noGate
	switch {
	case *g == nil:
	case *g == own:
		n = ownGate
	default:
		place, _ := p.place(*g)
		n = otherGate + place
	}
	codec.Int(p.c, &n)
	switch place := n - otherGate; {
	case n < 0 || n == ownGate && own == nil || place >= len(p.gates):
		p.c.Fail("gate %d is not known", n)
	case n == ownGate:
		*g = own
	case n >= otherGate:
		*g = p.gates[place]
	}
}

// lostGates makes the ledger know the gates of nodes that are no more, behind
// which something still waits that snapshots have moved: no one may open them.
func (p *persister) lostGates(moved []*unit) {
	var lost []*validators.Gate
	for _, u := range moved {
		w := &u.waits
		for _, o := range [...]*validators.Obligation{w.progress, w.report, w.stop} {
			if o == nil || o.Gate == nil {
				continue
			}
			if _, known := p.place(o.Gate); !known {
				p.places[o.Gate] = len(p.gates) + len(lost)
				lost = append(lost, o.Gate)
			}
		}
	}
	codec.Slice(p.c, &lost, func(g **validators.Gate) {
		if *g == nil {
			*g = &validators.Gate{}
		}
		p.gate(*g)
	})
}

// place is the gate's place among those that the ledger knows, or will.
func (p *persister) place(g *validators.Gate) (place int, known bool) {
	if p.places == nil {
		p.places = map[*validators.Gate]int{}
	}
	for i := len(p.places); i < len(p.gates); i++ {
		p.places[p.gates[i]] = i
	}
	if place, known = p.places[g]; !known {
		place = len(p.gates) // which is refused
	}
	return place, known
}
