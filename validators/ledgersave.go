package validators

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"tracecheck/trace/codec"
)

// A machine's state implies its obligations, but not when they began. So a
// restored machine sets its obligations as usual, and the ledger then restores
// the start and the order of each.

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
		d := &division{of: l, lists: l.lists(gates)}
		if !inParts {
			d.some(c, func() bool { return false })
		} else if c.Later(d.some) != nil {
			d.gone = map[*Obligation]*queued{}
			l.division = d
			l.writing++
		}
		return
	}
	all := l.takeAll(gates)
	l.read(c, &l.past, all, gates)
	l.read(c, &l.open, all, gates)
	l.read(c, &l.late, all, nil)
	for _, g := range gates {
		l.read(c, &g.parked, all, nil)
		l.check(c, g.entry.since)
	}
	for i := range l.met {
		l.check(c, l.met[i].last)
	}
	if len(l.files) > 0 || l.now.place != 0 {
		l.check(c, l.now)
	}
	maps.DeleteFunc(all, func(_ obligationKey, left []*Obligation) bool { return len(left) == 0 })
	for _, of := range slices.SortedFunc(maps.Keys(all), obligationKey.compare) {
		switch {
		case c.Err() != nil:
		case l.adapts:
			for _, o := range all[of] {
				o.since = l.now
				l.open.push(o)
			}
		default:
			c.Fail("the obligation of %s %s %s is missing", of.Kind, of.ID, of.Part)
		}
	}
}

// lists returns all lists of obligations, in the order in which they are saved.
func (l *Ledger) lists(gates []*Gate) []*obligations {
	lists := []*obligations{&l.past, &l.open, &l.late}
	for _, g := range gates {
		lists = append(lists, &g.parked)
	}
	return lists
}

// moments yields each known moment.
func (l *Ledger) moments(gates []*Gate, yield func(*moment)) {
	known := func(m *moment) {
		if *m != (moment{}) {
			yield(m)
		}
	}
	known(&l.now)
	for i := range l.met {
		known(&l.met[i].last)
	}
	for _, g := range gates {
		known(&g.entry.since)
	}
	for _, list := range l.lists(gates) {
		for o := list.first(); o != nil && o != list.end; o = o.next {
			if o.For != 0 {
				known(&o.since)
			}
		}
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
type obligationKey struct {
	Ref
	wait Wait
}

func (a obligationKey) compare(b obligationKey) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.ID, b.ID), strings.Compare(a.Part, b.Part),
		cmp.Compare(a.Twin, b.Twin), cmp.Compare(a.wait, b.wait))
}

func keyOf(o *Obligation) obligationKey {
	a := obligationKey{wait: o.For}
	if o.Of != nil {
		a.Ref = o.Of.Ref()
		a.Note = ""
	}
	return a
}

// takeAll removes all obligations from the lists, by their identity.
func (l *Ledger) takeAll(gates []*Gate) map[obligationKey][]*Obligation {
	all := map[obligationKey][]*Obligation{}
	for _, list := range l.lists(gates) {
		for o := list.first(); o != nil; o = list.first() {
			if o.unlink(); o.For != 0 {
				all[keyOf(o)] = append(all[keyOf(o)], o)
			}
		}
	}
	return all
}

func (l *Ledger) read(c *codec.Codec, list *obligations, all map[obligationKey][]*Obligation, gates []*Gate) {
	for {
		var a obligationKey
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

func (a *obligationKey) code(c *codec.Codec) {
	a.Kind.Code(c)
	codec.String(c, &a.ID)
	codec.String(c, &a.Part)
	codec.Uint(c, &a.Twin)
}
