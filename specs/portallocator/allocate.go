package portallocator

import (
	"math/bits"

	"tracecheck/validators/model"
)

// faults are what keeps logged ports from being those of a proposal, as sets of
// conjuncts of Allocate.
type faults uint8

const (
	wrongRecovered faults = 1 << iota // a port that recovers its number has another
	wrongPorts                        // a port that Allocate does not choose differs
	notDynamic                        // alloc is not in [portsNeeded -> DynamicPortNumber]
	usedByOthers                      // NA(i) \in addrsForOthers
	givenTwice                        // NA(i) = NA(j)
	faultCount     = iota
)

// proposal is what the logged ports make of Allocate: the proposal that they
// belong to, if there is one.
type proposal struct {
	allocation
	ports  []port // as logged
	faults faults
	where  [faultCount]int32 // of each fault, the first port that shows it
}

// match finds out whether ports are those of some element of Allocate(old, spec).
func (x *proposal) match(st *State, old *Endpoint, spec, list list) {
	x.begin(st, old, spec)
	x.ports, x.faults = st.open(list, &x.room[3]), 0
	s, ports := x.user, x.ports
	if len(ports) != len(s) {
		x.fault(wrongPorts, min(len(ports), len(s)))
	}
	for i := range min(len(ports), len(s)) {
		number := x.spec[i]
		switch p := &ports[i]; {
		case s[i].mode != ingress || number != dynamic:
			if *p == s[i].with(number) {
				break
			}
			if s[i].wantsNumber() && mostlyEqual(p, &s[i]) {
				x.fault(wrongRecovered, i)
			} else {
				x.fault(wrongPorts, i)
			}
		case !mostlyEqual(p, &s[i]):
			x.fault(wrongPorts, i)
		default:
			x.matchChosen(i, p)
		}
	}
	if x.faults == 0 { // and so these are the addresses that are taken
		for i, m := range x.marks.values {
			x.marks.values[i] |= m & isTaken * (isNew / isTaken)
		}
		return
	}
	for i := range ports {
		if p := &ports[i]; p.mode == ingress {
			*x.marks.of(p.addr()) |= isNew
		}
	}
}

// matchChosen checks the number that the allocator chose for port i.
func (x *proposal) matchChosen(i int, p *port) {
	if !x.s.isDynamic(p.published) {
		x.fault(notDynamic, i)
	}
	a := p.addr()
	if x.forOthers(a) {
		x.fault(usedByOthers, i)
	}
	m := x.marks.of(a)
	if *m&isTaken != 0 {
		x.fault(givenTwice, i)
	}
	*m |= isTaken
}

func (x *proposal) fault(f faults, i int) {
	if x.faults&f == 0 {
		x.faults |= f
		x.where[f.place()] = int32(i)
	}
}

// at is the first port that shows the fault.
func (x *proposal) at(f faults) int { return int(x.where[f.place()]) }

// place is that of one fault in proposal.where.
func (f faults) place() int { return bits.TrailingZeros8(uint8(f)) }

// after reports whether the address is in Apply(prop).
func (x *proposal) after(a address) bool {
	m := x.marks.get(a)
	return m&isNew != 0 || m&isOld == 0 && x.s.allocated(a)
}

// afterSize is Cardinality(Apply(prop)).
func (x *proposal) afterSize() int {
	n := x.s.size
	for i, a := range x.marks.keys {
		switch m, was := x.marks.values[i], x.s.allocated(a); {
		case m&isNew != 0 && !was:
			n++
		case m&(isNew|isOld) == isOld && was:
			n--
		}
	}
	return n
}

// changesNothing says that Apply(prop) is allocated.
func (x *proposal) changesNothing() bool {
	for _, a := range x.marks.keys {
		if x.after(a) != x.s.allocated(a) {
			return false
		}
	}
	return true
}

// applied reports whether the logged set is Apply(prop).
func (x *proposal) applied(l *logged) bool { return l.equals(x.afterSize(), x.after) }

// shortage is a protocol with too few numbers: needed of them, and free ones.
type shortage struct {
	protocol     uint16
	needed, free int
}

// empty reports whether Allocate is {}: it rejects a static assignment, or
// some protocol lacks numbers. As every port of a protocol may have every free
// number of it, counting them decides.
func (x *allocation) empty() bool {
	return x.inUse >= 0 || x.twice >= 0 || x.needed && x.short(isTaken, x.isNeeded) != nil
}

// isNeeded is i \in portsNeeded.
func (x *allocation) isNeeded(i int) bool { return x.user[i].mode == ingress && x.spec[i] == dynamic }

// count is how many ports of the protocol are so.
func (x *allocation) count(protocol uint16, is func(i int) bool) (n int) {
	for i := range x.user {
		n += model.BoolInt(x.user[i].protocol == protocol && is(i))
	}
	return n
}

// short is the first protocol with fewer numbers, without those marked, than ports
// that are so; nil where there is none.
func (x *allocation) short(taken marks, is func(i int) bool) *shortage {
	for p := range uint16(len(x.s.protocols)) {
		if need := x.count(p, is); need > 0 {
			if free := x.free(p, taken); need > free {
				return &shortage{p, need, free}
			}
		}
	}
	return nil
}

// free counts the protocol's dynamic numbers that no other endpoint uses and
// that are none of those marked.
func (x *allocation) free(p uint16, taken marks) int {
	s := x.s
	n := s.dynamics() - int(s.dynamicUsed[p])
	for i, a := range x.marks.keys {
		m := x.marks.values[i]
		if a.protocol() != p || !s.isDynamic(a.number()) {
			continue
		}
		allocated := x.s.allocated(a)
		if m&isOld != 0 && allocated {
			n++ // not for others
		}
		if m&taken != 0 && (m&isOld != 0 || !allocated) {
			n--
		}
	}
	return n
}
