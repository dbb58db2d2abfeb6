package validators

import (
	"math"
	"slices"

	"tracecheck/trace/codec"
)

// A machine's state implies its obligations, but not when they began. So a
// restored machine sets its obligations as usual, and the ledger then restores
// the start and the order of each.

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

// Held encodes or decodes the wait of a holder if the state does not imply it,
// as in a run of snapshots. It returns the obligation, or nil. wants are the
// possible waits of the holder in the current state, each of another kind.
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
		if want = o.Want; want.Gate != nil {
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

func (m *moment) code(c *codec.Codec) {
	codec.Int(c, &m.place)
	codec.Int(c, &m.nanos)
}

// Persist encodes or decodes when each obligation began, after the machine's state.
// While a large state is saved in parts, obligations may change.
func (l *Ledger) Persist(c *codec.Codec, inParts bool) {
	gates := l.saved()
	l.gates = nil
	if !c.Reading() {
		l.forgetFiles(gates)
	}
	l.now.code(c)
	codec.Int(c, &l.start)
	l.quiet.code(c)
	if codec.Slice(c, &l.files, c.Name); len(l.files) > 0 {
		l.file = l.files[len(l.files)-1]
	}
	kinds := int(l.kinds)
	if n := c.Len(kinds); n != kinds {
		c.Fail("%d waits, not %d", n, kinds)
		return
	}
	if c.Reading() {
		l.met = nil
	}
	for w := range kinds {
		met := l.closed(Wait(w))
		count := met.count()
		if codec.Int(c, &count); count < 0 || count > math.MaxInt64>>waitBits {
			c.Fail("%d obligations were closed", count)
		}
		if met.last.code(c); c.Reading() && (count != 0 || met.last != moment{}) {
			met.what = uint64(count)<<waitBits | uint64(w)
			l.addMet(met)
		}
	}
	for _, g := range gates {
		g.entry.since.code(c)
	}
	if !c.Reading() {
		d := &division{of: l, lists: []*obligations{&l.past, &l.open, &l.late}}
		for _, g := range gates {
			d.lists = append(d.lists, &g.parked)
		}
		if !inParts {
			d.some(c, func() bool { return false })
		} else if c.Later(d.some) != nil {
			d.gone = map[*Obligation]*queued{}
			l.division = d
			l.writing++
		}
		return
	}
	asked := l.takeAll(gates)
	l.read(c, &l.past, asked, gates)
	l.read(c, &l.open, asked, gates)
	l.read(c, &l.late, asked, nil)
	for _, g := range gates {
		l.read(c, &g.parked, asked, nil)
		l.check(c, g.entry.since)
	}
	for i := range l.met {
		l.check(c, l.met[i].last)
	}
	if len(l.files) > 0 || l.now.place != 0 {
		l.check(c, l.now)
	}
	for of, left := range asked {
		switch {
		case len(left) == 0 || c.Err() != nil:
		case l.adapts:
			for _, o := range left {
				o.since = l.now
				l.open.push(o)
			}
		default:
			c.Fail("the obligation of %s %s %s is missing", of.Kind, of.ID, of.Part)
		}
	}
}

// moments yields each known moment.
func (l *Ledger) moments(gates []*Gate, yield func(*moment)) {
	known := func(m *moment) {
		if *m != (moment{}) {
			yield(m)
		}
	}
	list := func(list *obligations) {
		for o := list.first(); o != nil && o != list.end; o = o.next {
			if o.For != 0 {
				known(&o.since)
			}
		}
	}
	known(&l.now)
	for i := range l.met {
		known(&l.met[i].last)
	}
	list(&l.open)
	list(&l.late)
	list(&l.past)
	for _, g := range gates {
		known(&g.entry.since)
		list(&g.parked)
	}
}

// forgetFiles renumbers the files, without those that no moment is in.
func (l *Ledger) forgetFiles(gates []*Gate) {
	if len(l.files) < 2+int(l.count)/manyLive { // otherwise checking all moments costs too much
		return
	}
	used := make([]bool, len(l.files))
	l.moments(gates, func(m *moment) { used[m.place>>lineBits] = true })
	gone, kept := make([]int64, len(used)), 0 // number of removed files before each
	for i, is := range used {
		if is {
			l.files[kept] = l.files[i]
			kept++
		}
		gone[i] = int64(i + 1 - kept)
	}
	if kept == len(used) {
		return
	}
	l.files = l.files[:kept]
	l.moments(gates, func(m *moment) { m.place -= gone[m.place>>lineBits] << lineBits })
}

// check fails if the moment is in no file of the ledger.
func (l *Ledger) check(c *codec.Codec, m moment) {
	if m != (moment{}) && (m.place < 0 || m.place>>lineBits >= int64(len(l.files))) {
		c.Fail("moment %d is in no file", m.place)
	}
}

// asked identifies an obligation.
type asked struct {
	Ref
	wait Wait
}

func askedBy(o *Obligation) asked {
	a := asked{wait: o.For}
	if o.Of != nil {
		a.Ref = o.Of.Ref()
		a.Note = ""
	}
	return a
}

// takeAll removes all obligations from the lists, by their identity.
func (l *Ledger) takeAll(gates []*Gate) map[asked][]*Obligation {
	all := map[asked][]*Obligation{}
	take := func(list *obligations) {
		for o := list.first(); o != nil; o = list.first() {
			if o.unlink(); o.For != 0 {
				all[askedBy(o)] = append(all[askedBy(o)], o)
			}
		}
	}
	take(&l.open)
	take(&l.late)
	take(&l.past)
	for _, g := range gates {
		take(&g.parked)
	}
	return all
}

func (l *Ledger) read(c *codec.Codec, list *obligations, all map[asked][]*Obligation, gates []*Gate) {
	for {
		var a asked
		if codec.Uint(c, &a.wait); a.wait == endOfList || c.Err() != nil {
			return
		}
		if a.wait == 0 {
			place := 0
			if codec.Int(c, &place); c.Err() != nil || place < 0 || place >= len(gates) {
				c.Fail("unknown or misplaced gate %d", place)
				return
			}
			entry := &gates[place].entry
			entry.unlink()
			list.push(entry)
			continue
		}
		a.code(c)
		same := all[a]
		if l.adapts && c.Err() == nil && len(same) == 0 {
			var gone moment
			gone.code(c)
			continue
		}
		if c.Err() != nil || len(same) == 0 {
			c.Fail("%s %s %s does not wait, but an obligation was saved", a.Kind, a.ID, a.Part)
			return
		}
		o := same[0]
		all[a] = same[1:]
		o.since.code(c)
		l.check(c, o.since)
		list.push(o)
	}
}

func (a *asked) code(c *codec.Codec) {
	a.Kind.Code(c)
	codec.String(c, &a.ID)
	codec.String(c, &a.Part)
	codec.Uint(c, &a.Twin)
}
