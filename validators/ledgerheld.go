package validators

import (
	"slices"

	"tracecheck/trace/codec"
)

// A holder saves its gates. It saves its obligations, too, if its state does not imply them.

// Gate encodes or decodes a gate. Its holder calls it once for each of its
// gates, in the same order both ways. A nil Ledger has no gates.
func (l *Ledger) Gate(c *codec.Codec, g *Gate) {
	if l == nil {
		return
	}
	if l.gates == nil {
		l.gates = &gates{}
	}
	g.place = int32(len(l.gates.list))
	l.gates.list = append(l.gates.list, g)
	was := g.isOpen
	codec.Bool(c, &g.isOpen)
	switch { // what is behind it may be set already
	case g.isOpen && !was:
		l.shut -= g.behind
	case was && !g.isOpen:
		l.shut += g.behind
	}
	codec.Bool(c, &g.passed)
	if c.Reading() {
		g.entry.Gate = g
	}
}

// Held encodes or decodes a holder's wait if the state does not imply it, as in a run of
// snapshots. It returns the obligation, or nil. wants are the possible waits of the holder in
// the current state, each of another kind.
func (l *Ledger) Held(c *codec.Codec, o *Obligation, wants ...Want) *Obligation {
	if l == nil {
		return nil
	}
	n, behind := 0, int32(0) // 1 + an index in wants; how far its stage has advanced
	if !c.Reading() && o != nil {
		n = 1 + slices.IndexFunc(wants, func(w Want) bool { return w.For == o.For })
	}
	if codec.Int(c, &n); n < 0 || n > len(wants) {
		c.Fail("unknown wait %d", n)
	}
	if n == 0 || c.Err() != nil {
		return o
	}
	want := wants[n-1]
	if !c.Reading() {
		behind = want.Stage - o.Stage
	}
	if codec.Int(c, &behind); !c.Reading() {
		return o
	}
	want.Stage -= behind
	return l.Set(o, want)
}

// Code encodes or decodes what an obligation of the holder is for, whether or not the
// state implies it. It returns the obligation, or nil. Gate or LostGates has seen the
// gate that it is behind.
func (l *Ledger) Code(c *codec.Codec, o *Obligation, of Waiter) *Obligation {
	if l == nil {
		return nil
	}
	var want Want
	behind := 0 // 1 + the place of its gate
	if o != nil {
		if want = o.Want(); want.Gate != nil {
			behind = 1 + int(want.Gate.place)
		}
	}
	if codec.Uint(c, &want.For); want.For == 0 {
		return o
	}
	codec.Int(c, &want.Stage)
	if codec.Int(c, &behind); !c.Reading() {
		return o
	}
	if behind < 0 || behind > len(l.saved()) || int(want.For) >= int(l.kinds) {
		c.Fail("nothing waits for %d behind gate %d", want.For, behind)
	}
	if c.Err() != nil {
		return nil
	}
	if want.Of = of; behind > 0 {
		want.Gate = l.saved()[behind-1]
	}
	return l.Set(o, want)
}

// LostGates is Gate for gates that no holder has any more, though one of the
// obligations is behind them. They do not open again.
func (l *Ledger) LostGates(c *codec.Codec, held func(yield func(*Obligation))) {
	if l == nil {
		return
	}
	known := slices.Clip(l.saved())
	n := len(known)
	if !c.Reading() {
		held(func(o *Obligation) {
			if o == nil || o.Gate == nil {
				return
			}
			if at := int(o.Gate.place); at >= len(known) || known[at] != o.Gate {
				o.Gate.place = int32(len(known))
				known = append(known, o.Gate)
			}
		})
	}
	for i := range c.Len(len(known) - n) {
		if c.Reading() {
			known = append(known, &Gate{})
		}
		l.Gate(c, known[n+i])
	}
}

// saved are the gates that Gate has seen since the last Persist.
func (l *Ledger) saved() []*Gate {
	if l.gates == nil {
		return nil
	}
	return l.gates.list
}
