package portallocator

// marks say what an address is to the current allocation.
type marks uint8

const (
	isOld    marks = 1 << iota // \in deallocate
	isForced                   // \in forcedAddr
	isTaken                    // the address of an ingress port whose number is settled
	isNew                      // \in allocate, by the current ports
	isAsked                    // a port before the current one asks for it
)

// candidates are what RecoverExistingPorts knows of similar ports, of which
// endpoint.spec has one with a dynamic number.
type candidates struct {
	old      int32 // MinElement(olds); -1: olds = {}
	answered bool  // an earlier similar port needed a dynamic assignment too
}

// allocation is one use of Allocate(endpoint, specFromUser). It is used again
// and again, so as not to allocate.
type allocation struct {
	s     *State
	old   *Endpoint
	had   []port // endpoint.ports
	user  []port // specFromUser
	room  [4][]port
	spec  []int32 // of each port of the user's, published_port after RecoverExistingPorts
	marks table[address, marks]
	alike table[similar, candidates]

	how    recovery
	typed  bool  // specFromUser \in EndpointSpec
	needed bool  // portsNeeded # {}
	inUse  int32 // a port that shows alreadyInUse; -1: none does
	twice  int32 // a port that shows haveForcedDuplicates; -1: none does
}

// recovery is what RecoverExistingPorts goes by.
type recovery uint8

const (
	byText      recovery = iota
	fromNothing          // it is the identity
	fromSimilar          // from any similar port, also if endpoint.spec had its number
)

// begin does steps 1 and 2 of Allocate: it recovers ports, and finds what
// makes it reject static assignments.
func (x *allocation) begin(s *State, old *Endpoint, user list) {
	x.s, x.old = s, old
	x.had, x.user = s.open(old.Ports, &x.room[0]), s.open(user, &x.room[1])
	x.marks.clear()
	x.alike.clear()
	x.recoverExistingPorts()
	x.inUse, x.twice = -1, -1
	for i, number := range x.spec {
		if x.user[i].mode != ingress || number == dynamic {
			continue
		}
		a := at(x.user[i].protocol, number)
		m := x.marks.of(a)
		if x.inUse < 0 && *m&isOld == 0 && s.allocated(a) {
			x.inUse = int32(i)
		}
		if x.twice < 0 && *m&isTaken != 0 {
			x.twice = int32(i)
		}
		*m |= isTaken
	}
}

// address is that of the port of the user's, with the number that it recovers.
func (x *allocation) address(i int) address { return at(x.user[i].protocol, x.spec[i]) }

// forOthers is a \in addrsForOthers.
func (x *allocation) forOthers(a address) bool {
	return x.marks.get(a)&isOld == 0 && x.s.allocated(a)
}

// recoverExistingPorts is RecoverExistingPorts(endpoint, spec), and marks
// deallocate and forcedAddr. Similar ports have the same olds, so one entry
// answers for all of them. The text doubts of two conjuncts that SwarmKit has
// them (XXX); it is judged by the text.
func (x *allocation) recoverExistingPorts() {
	oldPorts := x.had
	for i := range oldPorts {
		if p := &oldPorts[i]; p.mode == ingress {
			*x.marks.of(p.addr()) |= isOld
		}
	}
	x.needed, x.typed = false, true
	x.spec = x.spec[:0]
	for i := range x.user {
		p := &x.user[i]
		x.typed = x.typed && p.inSpec()
		if p.forced() {
			*x.marks.of(p.addr()) |= isForced
		}
		x.needed = x.needed || p.wantsNumber()
		x.spec = append(x.spec, p.published)
	}
	if !x.needed || x.how == fromNothing {
		return
	}
	x.needed = false
	specs := x.user
	if x.how == byText {
		specs = x.s.open(x.old.Spec, &x.room[2])
	}
	for i := range specs {
		if p := &specs[i]; p.wantsNumber() { // endpoint.spec[k] = s, for some s
			*x.alike.of(p.similar()) = candidates{old: -1}
		}
	}
	if len(x.alike.keys) > 0 {
		for j := range oldPorts {
			p := &oldPorts[j]
			if p.mode != ingress || x.marks.get(p.addr())&isForced != 0 { // XXX: Addr(oldPorts[j]) \in forcedAddr
				continue
			}
			if i := x.alike.find(p.similar()); i >= 0 && x.alike.values[i].old < 0 {
				x.alike.values[i].old = int32(j)
			}
		}
	}
	for i := range x.user {
		if p := &x.user[i]; p.wantsNumber() {
			x.spec[i] = x.recover(p)
		}
	}
}

// recover is Recover(i), for i from the first on.
func (x *allocation) recover(s *port) int32 {
	i := x.alike.find(s.similar())
	if i < 0 || x.alike.values[i].old < 0 || x.alike.values[i].answered { // olds = {} \/ duplicate (XXX)
		x.needed = true
		return dynamic
	}
	c := &x.alike.values[i]
	c.answered = true
	number := x.had[c.old].published
	x.needed = x.needed || number == dynamic
	return number
}
