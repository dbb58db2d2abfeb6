package validators

import (
	"math"

	"tracecheck/trace"
)

// Temporal documents a temporal property: what is judged of a finite trace is
// whether it would hold if nothing happened any more.
type Temporal struct {
	Name    string // as in the module, such as "WF_vars(Scheduler)"
	Formula string // "" where the name is the formula
	Doc     string

	Predicate string // P of <>[]P
	Profile   string // the one profile that has it; "": each

	// Waits are what it is at risk by: of WF, its progress actions, while an
	// object waits for one; of <>[]P, that P does not hold.
	Waits []Wait
	// Step is the action property P of [][P]_vars, by the rule's name: violated
	// by the first step that breaks it, for good.
	Step string
}

// Wait is what may be waited for: a place in Spec.Waits. 0 is nothing.
type Wait uint8

// moment is when something came about in a stream. There is one for each
// obligation, so it is small.
type moment struct {
	place int64 // the ledger's file << lineBits | the line: later ones are larger
	nanos int64 // of the stream's clock, in ns since 1970; noTime before it runs
}

const (
	noTime   = math.MinInt64
	lineBits = 40
)

// Ref names what waits.
type Ref struct {
	Kind trace.Kind // KindNone: the stream itself
	ID   string
	Part string // of the object, such as "slot 3"; "" is the whole
	Note string // what a report says in its place: no part of the name, as it may change
	Twin uint8  // tells apart what a report calls by the same name
}

// Waiter is an object that waits. It is asked for its name by reports only.
type Waiter interface{ Ref() Ref }

// Want is what an object waits for.
type Want struct {
	For  Wait
	mark uint8 // the Ledger's: of the last division that has written it, or is not about it
	// Stage rises each time the action is taken, though it is still wanted: then
	// the wait begins anew. It may wrap around.
	Stage int32
	Of    Waiter // nil: the stream itself
	Gate  *Gate  // what else it takes for the action to be enabled; nil: nothing
}

// Obligation is a want that is open: the action is enabled and not taken, or
// the predicate does not hold, since the moment.
type Obligation struct {
	Want
	since      moment
	prev, next *Obligation // in its list; nil: it is in none
}

// Gate is a condition that many obligations share, such as a node being up.
// They are open only while it is, and not for longer.
type Gate struct {
	isOpen bool
	passed bool // has been open for longer than the deadline
	entry  Obligation
	parked obligations // overdue but for the gate
	behind int32       // how many obligations have it
	place  int32       // among those that are written down
}

// obligations is a list in the order of their moments: a ring that an element
// of no meaning closes. It is nil until something comes: many lists stay empty.
type obligations struct{ end *Obligation }

// first is nil where the list is empty.
func (l *obligations) first() *Obligation {
	if l.end == nil || l.end.next == l.end {
		return nil
	}
	return l.end.next
}

func (l *obligations) push(o *Obligation) {
	if l.end == nil {
		l.end = &Obligation{}
		l.end.prev, l.end.next = l.end, l.end
	}
	o.prev, o.next = l.end.prev, l.end
	o.prev.next, l.end.prev = o, o
}

func (o *Obligation) unlink() {
	if o.next != nil {
		o.prev.next, o.next.prev = o.next, o.prev
		o.prev, o.next = nil, nil
	}
}

// Ledger is the open obligations of one stream under one spec, with the cost of
// a change independent of their number. A nil Ledger keeps nothing.
type Ledger struct {
	now   moment
	start int64    // when the clock began to run; noTime before
	file  string   // of now, as the events name it
	files []string // of the moments
	open  obligations
	late  obligations // reported as overdue
	past  obligations // of open, those that a deadline has passed for which it is not meant
	quiet silences
	free  *Obligation
	met   []satisfied // those of which obligations were closed, in no order: few of all
	count int32       // of obligations
	shut  int32       // of these, behind a gate that is not open

	kinds   uint8 // how many Waits there are
	adapts  bool  // what it reads was written under other constants: some wait no more, and others begin to
	writing uint8 // the number of the division, or of the last one: each writes each obligation

	division *division // the obligations that are being written; nil: none are
	gates    *gates    // those that the machine has written down or made again, up to persist; nil: none
}

// gates is a list of them.
type gates struct{ list []*Gate }

// satisfied is the obligations of a kind that are closed.
type satisfied struct {
	what uint64 // how many << waitBits | the Wait
	last moment // meaningful if there are any
}

const waitBits = 8

func (s *satisfied) wait() Wait { return Wait(s.what) }
func (s *satisfied) count() int { return int(s.what >> waitBits) }

// closed is what is closed of the kind.
func (l *Ledger) closed(w Wait) satisfied {
	for i := range l.met {
		if l.met[i].wait() == w {
			return l.met[i]
		}
	}
	return satisfied{what: uint64(w)}
}

// satisfy counts an obligation of the kind that is closed now.
func (l *Ledger) satisfy(w Wait) {
	for i := range l.met {
		if m := &l.met[i]; m.wait() == w {
			m.what, m.last = m.what+1<<waitBits, l.now
			return
		}
	}
	l.addMet(satisfied{1<<waitBits | uint64(w), l.now})
}

// addMet makes room for few: most streams close obligations of few kinds.
func (l *Ledger) addMet(m satisfied) {
	if n := len(l.met); n == cap(l.met) {
		l.met = append(make([]satisfied, 0, n+2), l.met...)
	}
	l.met = append(l.met, m)
}

// NewLedger returns an empty ledger for so many kinds of Wait, none included.
func NewLedger(waits int) *Ledger {
	l := newLedger(waits)
	return &l
}

func newLedger(waits int) Ledger {
	return Ledger{now: moment{nanos: noTime}, start: noTime, quiet: silences{seen: noTime}, kinds: uint8(waits)}
}

// reset forgets what is open, as when the state is lost.
func (l *Ledger) reset() {
	l.open, l.late, l.past = obligations{}, obligations{}, obligations{}
	l.count, l.shut = 0, 0
}

// at moves the ledger to a moment of the stream.
func (l *Ledger) at(pos trace.Pos, nanos int64) {
	// A file that is begun anew under its name is another one.
	if len(l.files) == 0 || l.file != pos.File || int64(pos.Line) < l.now.place&(1<<lineBits-1) {
		l.files = append(l.files, pos.File)
	}
	l.file = pos.File // one string for all events of a file, which compares at once
	l.now = moment{int64(len(l.files)-1)<<lineBits | int64(pos.Line)&(1<<lineBits-1), nanos}
	if l.start == noTime {
		l.start = nanos
	}
}

// Set makes want what the holder of o waits for and returns its obligation,
// nil for none. A wait that goes on keeps its stamp.
func (l *Ledger) Set(o *Obligation, want Want) *Obligation {
	switch {
	case l == nil:
		return nil
	case o == nil && want.For == 0:
		return nil
	case o == nil:
		if o = l.free; o != nil {
			l.free = o.next
			*o = Obligation{}
		} else {
			o = &Obligation{}
		}
	case o.For == want.For && o.Gate == want.Gate && want.Stage-o.Stage <= 0:
		o.Stage, o.Of = want.Stage, want.Of // whose record may be another by now
		return o
	default:
		l.unlink(o)
		l.satisfy(o.For)
		l.tally(o, -1)
		if want.For == 0 {
			*o = Obligation{next: l.free}
			l.free = o
			return nil
		}
	}
	o.Want, o.since = want, l.now
	l.tally(o, +1)
	l.push(&l.open, o)
	return o
}

// tally counts an obligation that comes or goes.
func (l *Ledger) tally(o *Obligation, n int32) {
	l.count += n
	if g := o.Gate; g != nil {
		if g.behind += n; !g.isOpen {
			l.shut += n
		}
	}
}

// SetGate opens or closes the gate.
func (l *Ledger) SetGate(g *Gate, open bool) {
	if l == nil || g.isOpen == open {
		return
	}
	g.isOpen, g.passed = open, false
	if open {
		l.shut -= g.behind
	} else {
		l.shut += g.behind
	}
	l.unlink(&g.entry)
	if open {
		g.entry.Gate, g.entry.since = g, l.now
		l.push(&l.open, &g.entry)
	}
}

// opened is the moment since which the obligation has been open.
func (o *Obligation) opened() moment {
	if o.Gate != nil && o.Gate.entry.since.place > o.since.place {
		return o.Gate.entry.since
	}
	return o.since
}

// stamp is the moment as a report shows it; of one before all events, nothing.
func (l *Ledger) stamp(m moment) Stamp {
	if m == (moment{}) || len(l.files) == 0 {
		return Stamp{nanos: noTime}
	}
	return Stamp{trace.Pos{File: l.files[m.place>>lineBits], Line: int(m.place & (1<<lineBits - 1))}, m.nanos}
}

// overdue takes the obligations that have been open for longer than limit (ns)
// out of those that may become so, and yields them.
func (l *Ledger) overdue(now, limit int64, yield func(*Obligation)) {
	if l.start == noTime {
		return
	}
	if l.past.first() != nil {
		l.recallPast()
	}
	report := func(o *Obligation) {
		l.unlink(o)
		l.push(&l.late, o)
		yield(o)
	}
	for o := l.open.first(); o != nil && now-max(o.since.nanos, l.start) > limit; o = l.open.first() {
		g := o.Gate
		switch {
		case g == nil || g.passed && o != &g.entry:
			report(o)
		case o == &g.entry:
			l.unlink(o)
			g.passed = true
			for g.parked.first() != nil {
				report(g.parked.first())
			}
		default:
			l.unlink(o)
			l.push(&g.parked, o)
		}
	}
}

// each yields the open obligations, in no order.
func (l *Ledger) each(yield func(*Obligation)) {
	for _, list := range []*obligations{&l.open, &l.late, &l.past} {
		list.each(yield)
	}
}

func (list *obligations) each(yield func(*Obligation)) {
	for o := list.first(); o != nil && o != list.end; o = o.next {
		switch {
		case o.For == 0: // a gate's
			o.Gate.parked.each(yield)
		case o.Gate == nil || o.Gate.isOpen:
			yield(o)
		}
	}
}

// Look reads the obligation; what it returns has no meaning.
func (o *Obligation) Look() int {
	if o == nil {
		return 0
	}
	return int(o.For)
}

// LookAround reads its neighbours, too.
func (o *Obligation) LookAround() int {
	if o == nil || o.prev == nil || o.next == nil {
		return 0
	}
	return int(o.prev.For) + int(o.next.For)
}
