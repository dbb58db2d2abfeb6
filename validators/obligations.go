package validators

import (
	"math"

	"tracecheck/trace"
)

// Temporal documents a temporal property. A finite trace is judged as if
// nothing happened after it.
type Temporal struct {
	Name    string // as in the module, such as "WF_vars(Scheduler)"
	Formula string // "" if the name is the formula
	Doc     string

	Predicate string // P in <>[]P
	Profile   string // the only profile that has it; "": all have it

	// Waits put the property at risk: for WF, open waits for its progress
	// actions; for <>[]P, that P does not hold.
	Waits []Wait
	// Step is the action property P in [][P]_vars, by the rule's name. The
	// first step that breaks it violates it, whatever follows.
	Step string
}

// Wait identifies what an object waits for: an index in Spec.Waits. 0 is
// nothing.
type Wait uint8

// moment is a place and time in a stream. It is small, since each obligation
// has one.
type moment struct {
	place int64 // the ledger's file << lineBits | the line: it grows with time
	nanos int64 // the stream's clock, in ns since 1970; noTime: not known yet
}

const (
	noTime   = math.MinInt64
	lineBits = 40
)

// Ref identifies what waits.
type Ref struct {
	Kind trace.Kind // KindNone: the stream itself
	ID   string
	Part string // part of the object, such as "slot 3"; "" is the whole
	Note string // what a report prints instead of Part. It may change, and does not identify
	Twin uint8  // distinguishes objects with the same name in reports
}

// Waiter is an object that waits. Only reports call Ref.
type Waiter interface{ Ref() Ref }

// Want is what an object waits for. It is small enough for the compiler to pass it in registers.
type Want struct {
	For Wait
	// Stage changes each time the action is taken while it stays enabled: then
	// a new wait begins. It may wrap around.
	Stage int32
	Of    Waiter // nil: the stream itself
	Gate  *Gate  // a further condition for the action to be enabled; nil: none
}

// Obligation is an open Want. Since its moment, the action is enabled and not
// taken, or the predicate does not hold.
type Obligation struct {
	For        Wait
	mark       uint8 // the last division that has saved it, or skipped it
	Stage      int32
	Of         Waiter
	Gate       *Gate
	since      moment
	prev, next *Obligation // in its list; nil: in no list
}

// Want returns what is waited for.
func (o *Obligation) Want() Want { return Want{o.For, o.Stage, o.Of, o.Gate} }

// begin has the obligation begin at the moment.
func (o *Obligation) begin(want Want, at moment) {
	o.For, o.Stage, o.Of, o.Gate, o.since = want.For, want.Stage, want.Of, want.Gate, at
}

// Gate is a condition that many obligations share, such as a node being up.
// They are open only while the gate is open.
type Gate struct {
	isOpen bool
	passed bool        // open for longer than the deadline
	behind int32       // number of its obligations
	place  int32       // index among the saved gates
	parked obligations // overdue except for the gate
	entry  Obligation
}

// obligations is a list in the order of their moments. It is a ring with a
// sentinel, nil until it is needed: many lists stay empty.
type obligations struct{ end *Obligation }

// first returns nil if the list is empty.
func (l *obligations) first() *Obligation {
	if l.end == nil || l.end.next == l.end {
		return nil
	}
	return l.end.next
}

// begin makes the list empty, with this sentinel.
func (l *obligations) begin(end *Obligation) { l.end, end.prev, end.next = end, end, end }

func (l *obligations) push(o *Obligation) {
	if l.end == nil {
		l.begin(&Obligation{})
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

// Ledger holds the open obligations of one stream under one spec. A change
// costs the same for any number of them. A nil Ledger ignores all calls.
type Ledger struct {
	now   moment
	file  string   // the current file's name in the events
	files []string // files of the moments
	start int64    // first time of the clock; noTime before
	open  obligations
	free  *Obligation
	met   []satisfied // kinds with satisfied obligations, in no order
	count int32       // number of obligations
	shut  int32       // of these, behind closed gates

	kinds   uint8 // number of Waits
	adapts  bool  // the restored state has other constants: some waits end, others begin
	writing uint8 // number of the current or last division, which saves each obligation once

	end      Obligation  // of open, which few streams leave empty
	division *division   // obligations that are being saved; nil: none
	gates    *gates      // gates saved or restored before Persist; nil: none
	late     obligations // already reported as overdue
	past     obligations // open ones past a deadline that does not apply to them
	quiet    silences
}

// gates is a list of gates.
type gates struct{ list []*Gate }

// satisfied counts the ended obligations of a kind.
type satisfied struct {
	what uint64 // count << waitBits | the Wait
	last moment // valid if count > 0
}

const waitBits = 8

func (s *satisfied) wait() Wait { return Wait(s.what) }
func (s *satisfied) count() int { return int(s.what >> waitBits) }

// closed returns the ended obligations of the kind.
func (l *Ledger) closed(w Wait) satisfied {
	for i := range l.met {
		if l.met[i].wait() == w {
			return l.met[i]
		}
	}
	return satisfied{what: uint64(w)}
}

// satisfy counts an obligation of the kind that ends now.
func (l *Ledger) satisfy(w Wait) {
	for i := range l.met {
		if m := &l.met[i]; m.wait() == w {
			m.what, m.last = m.what+1<<waitBits, l.now
			return
		}
	}
	l.addMet(satisfied{1<<waitBits | uint64(w), l.now})
}

// addMet allocates little: most streams end obligations of few kinds.
func (l *Ledger) addMet(m satisfied) {
	if n := len(l.met); n == cap(l.met) {
		l.met = append(make([]satisfied, 0, n+2), l.met...)
	}
	l.met = append(l.met, m)
}

// NewLedger returns an empty ledger. waits is the number of kinds, with 0.
func NewLedger(waits int) *Ledger {
	l := newLedger(waits)
	return &l
}

func newLedger(waits int) Ledger {
	return Ledger{now: moment{nanos: noTime}, start: noTime, quiet: silences{seen: noTime}, kinds: uint8(waits)}
}

// reset drops the open obligations, when the state is lost.
func (l *Ledger) reset() {
	l.open, l.late, l.past = obligations{}, obligations{}, obligations{}
	l.open.begin(&Obligation{}) // those that are dropped still refer to the one before
	l.count, l.shut = 0, 0
}

// at sets the ledger's current moment.
func (l *Ledger) at(pos trace.Pos, nanos int64) {
	// A file that was recreated under its name is another file.
	if len(l.files) == 0 || l.file != pos.File || int64(pos.Line) < l.now.place&(1<<lineBits-1) {
		l.files = append(l.files, pos.File)
	}
	l.file = pos.File // one string for all events of a file compares fast
	l.now = moment{int64(len(l.files)-1)<<lineBits | int64(pos.Line)&(1<<lineBits-1), nanos}
	if l.start == noTime {
		l.start = nanos
	}
}

// Set sets what the holder of o waits for, and returns the obligation, or nil.
// An unchanged wait keeps its moment.
func (l *Ledger) Set(o *Obligation, want Want) *Obligation {
	switch {
	case l == nil:
		return nil
	case o == nil && want.For == 0:
		return nil
	case o == nil:
		if l.free == nil {
			l.addFree()
		}
		o = l.free
		l.free, o.next = o.next, nil
	case o.For == want.For && o.Gate == want.Gate && want.Stage-o.Stage <= 0:
		o.Stage, o.Of = want.Stage, want.Of // the record may have been recreated
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
	o.begin(want, l.now)
	l.tally(o, +1)
	l.push(&l.open, o)
	return o
}

// addFree makes a few obligations at once: those of a stream are then near each other.
func (l *Ledger) addFree() {
	few := new([4]Obligation)
	for i := range few {
		few[i].next, l.free = l.free, &few[i]
	}
}

// tally adds n obligations like o to the counts.
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

// opened returns when the obligation began to be open.
func (o *Obligation) opened() moment {
	if o.Gate != nil && o.Gate.entry.since.place > o.since.place {
		return o.Gate.entry.since
	}
	return o.since
}

// stamp converts a moment for reports. Before all events it is empty.
func (l *Ledger) stamp(m moment) Stamp {
	if m == (moment{}) || len(l.files) == 0 {
		return Stamp{nanos: noTime}
	}
	return Stamp{trace.Pos{File: l.files[m.place>>lineBits], Line: int(m.place & (1<<lineBits - 1))}, m.nanos}
}

// overdue yields obligations that are open for longer than limit (ns). It
// yields each once.
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
		case o.For == 0: // the end of a gate's list
			o.Gate.parked.each(yield)
		case o.Gate == nil || o.Gate.isOpen:
			yield(o)
		}
	}
}

// Look prefetches what Set reads of the gate. The result has no meaning.
func (g *Gate) Look() int { return int(g.behind) }

// Look prefetches the obligation. The result has no meaning.
func (o *Obligation) Look() int {
	if o == nil {
		return 0
	}
	return int(o.For)
}

// LookAround prefetches its neighbours, too.
func (o *Obligation) LookAround() int {
	if o == nil || o.prev == nil || o.next == nil {
		return 0
	}
	return int(o.prev.For) + int(o.next.For)
}

// look prefetches what Set reads.
func (l *Ledger) look() int { return int(l.now.nanos) + int(l.count) + len(l.met) }

// lookAround prefetches what it refers to, too.
func (l *Ledger) lookAround() int {
	n := l.end.prev.Look() + l.free.Look()
	for i := 0; i < len(l.met); i += cacheLine / 24 {
		n += l.met[i].count()
	}
	return n
}
