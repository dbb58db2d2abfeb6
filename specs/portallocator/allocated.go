package portallocator

import (
	"slices"

	"tracecheck/trace/codec"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// What is allocated, and how steps change it.

// allocated is a \in allocated.
func (s *State) allocated(a address) bool { return s.uses[a].allocated }

// allocate puts the address into allocated, or takes it out, and reports whether
// that is a change.
func (s *State) allocate(a address, allocated bool) bool {
	was := s.uses[a]
	if was.allocated == allocated {
		return false
	}
	is := was
	is.allocated = allocated
	s.set(a, was, is)
	return true
}

// allocateAll puts the ports' ingress addresses into allocated; those of which a
// checkpoint says otherwise, it takes out.
func (s *State) allocateAll(l list) {
	for a := range l.ingress {
		s.allocate(a, !s.unlike[a])
	}
}

// arrive makes allocated what the row says, on the way through a step.
func (s *State) arrive(r *Allocator) {
	for ; s.done > r.at; s.done-- {
		a := s.journal[s.done-1]
		s.allocate(a, !s.allocated(a))
	}
	for ; s.done < r.at; s.done++ {
		a := s.journal[s.done]
		s.allocate(a, !s.allocated(a))
	}
	if r.prop == nil {
		return
	}
	s.journal = s.journal[:s.done]
	for i, a := range r.prop.marks.keys {
		if m := r.prop.marks.values[i]; m&(isOld|isNew) != 0 {
			s.note(a, m&isNew != 0)
		}
	}
	r.at, r.prop = s.done, nil
}

// note is allocate in a step.
func (s *State) note(a address, allocated bool) {
	if s.allocate(a, allocated) {
		s.journal = append(s.journal[:s.done], a)
		s.done++
	}
}

// settle makes allocated what the actions that explain the step make of it, or
// what the step logs, or what follows from the endpoints that change.
func (s *State) settle(bool) {
	s.shifted, s.isRun, s.runSet = s.shifted[:0], false, false
	for _, name := range s.moved {
		s.used.Add(name, 1)
	}
	c := s.allocator.The()
	if c.Logged != 0 {
		s.badSet = s.logged.bad
	}
	switch changed := s.endpoints.Changed(); {
	case *c.Now != Allocator{}:
		if s.counted = c.Now.prop != nil && len(changed) == 1 && s.isRegular(); s.counted {
			s.replace(c.Now.prop)
		} else {
			s.arrive(c.Now)
		}
		*c.Now = Allocator{}
	case len(changed) == 0 && !c.Differs(0):
	case c.Logged != 0:
		if c.Differs(0) {
			s.setAllocated()
		}
	default:
		s.infer(changed...)
	}
	switch {
	case c.Logged != 0:
		s.know()
	case s.attach && s.extra > 0 && slices.ContainsFunc(s.endpoints.Touched(), mayRelease):
		s.release()
	}
	c.New = Allocator{}
	s.done = 0
}

// isRegular: allocated is what the endpoints need, and each address is of one ingress port.
func (s *State) isRegular() bool { return !s.isUnlike() && s.shared == 0 }

// replace enters a proposal for one endpoint, in a regular state, which stays regular. So an
// address that the endpoint keeps needs no look.
func (s *State) replace(x *proposal) {
	for i, a := range x.marks.keys {
		is, had := x.marks.values[i]&isNew != 0, x.marks.values[i]&isOld != 0
		if is != had {
			was := s.uses[a]
			s.set(a, was, use{was.ingress + int32(model.BoolInt(is)-model.BoolInt(had)), was.host, is})
		}
	}
}

// mayRelease says that the endpoint had ports that no line has shown, and may not have them any
// more.
func mayRelease(c *change) bool {
	return (c.Older || c.Had && c.Old.Ports == unseen) && (!c.Shown || c.New.Ports != unseen)
}

// release takes from allocated what no endpoint that lines have shown has. Until a line logs
// allocated or an endpoint gets such an address, it is not known to be so.
func (s *State) release() {
	if len(s.endpoints.Changed()) == 0 {
		s.more.clear()
	}
	if s.released == nil {
		s.released = map[address]bool{}
	}
	for a, u := range s.uses {
		if u.allocated && u.ingress+s.more.get(a) == 0 {
			s.allocate(a, false)
			s.released[a] = true
		}
	}
}

// retake notes that an endpoint has the ports.
func (s *State) retake(l list) {
	if len(s.released) > 0 {
		for a := range l.ingress {
			delete(s.released, a)
		}
	}
}

// know takes from the logged set what has been released.
func (s *State) know() {
	for _, a := range s.logged.set {
		if s.released[a] {
			s.allocate(a, true)
		}
	}
	s.released = nil
}

// infer takes from allocated what no endpoint has any more, and puts into it what
// the changed ones have.
func (s *State) infer(changed ...*change) {
	s.more.clear()
	for _, c := range changed {
		for a := range c.Old.Ports.ingress {
			*s.more.of(a)--
		}
		for a := range c.New.Ports.ingress {
			*s.more.of(a)++
		}
	}
	for _, c := range changed {
		for a := range c.Old.Ports.ingress {
			if s.uses[a].ingress+s.more.get(a) == 0 {
				s.allocate(a, false)
			}
		}
	}
	for _, c := range changed {
		s.allocateAll(c.New.Ports)
	}
}

// setAllocated makes allocated what is logged, and notes the addresses that come
// or go. It is not on the path of a conforming step.
func (s *State) setAllocated() {
	from := len(s.shifted)
	for a, u := range s.uses {
		if u.allocated && !s.logged.has(a) {
			s.shifted = append(s.shifted, a)
		}
	}
	for _, a := range s.logged.set {
		if !s.allocated(a) {
			s.shifted = append(s.shifted, a)
		}
	}
	slices.Sort(s.shifted[from:])
	for _, a := range s.shifted[from:] {
		s.allocate(a, !s.allocated(a))
	}
}

// seen is of a snapshot of an endpoint. Unless the run says what is allocated, its
// addresses are inferred to be so, and those that it had before to be so no more.
func (s *State) seen(c *change) {
	s.beginRun()
	if s.moby && c.New.align(s, &Endpoint{}) {
		s.used.Add(portsReordered, 1)
	}
	if !s.runSet {
		s.infer(c)
	}
	for rest := c.Old.Ports.rest(); rest != ""; {
		p := rest.next()
		s.shifted = append(s.shifted, p.addr())
		s.allocator.Infer() // it is to be judged, too
	}
}

func (s *State) seenAllocated() {
	s.beginRun()
	s.setAllocated()
	s.know()
	s.runSet, s.badSet = true, s.logged.bad
	s.allocator.The().New = Allocator{}
}

// beginRun forgets what is not of the run of snapshots.
func (s *State) beginRun() {
	if !s.isRun {
		s.shifted, s.isRun = s.shifted[:0], true
	}
	s.shifted = validators.Distinct(s.shifted, len(s.uses), func(a address) address { return a })
}

// has says that the address is in the set.
func (l *logged) has(a address) bool {
	_, found := slices.BinarySearch(l.set, a)
	return found
}

// is says that it is allocated as the state has it.
func (l *logged) is() bool { return !l.s.badSet && l.equals(l.s.size, l.s.allocated) }

// equals says that it is the set of that size, but for what may have been released.
func (l *logged) equals(size int, has func(address) bool) bool {
	if l.bad || len(l.set) < size {
		return false
	}
	for _, a := range l.set {
		if has(a) {
			size--
		} else if !l.s.released[a] {
			return false
		}
	}
	return size == 0
}

// same says that the two are the same set. Only one of them is logged.
func (r *Allocator) same(o *Allocator) bool {
	if r.logged != nil {
		r, o = o, r
	}
	switch l := o.logged; {
	case *r == *o:
		return true
	case l == nil:
		return (r.prop == nil || r.prop.changesNothing()) && (o.prop == nil || o.prop.changesNothing())
	case r.prop != nil:
		return r.prop.applied(l)
	default:
		return l.is()
	}
}

// codeAllocated is for what is allocated but not needed, or needed but not
// allocated. The endpoints, which are read after it, say the rest.
func (s *State) codeAllocated(c *codec.Codec, _ *Allocator) {
	var odd []address
	if s.missing+s.extra > 0 {
		for a, u := range s.uses {
			if u.allocated != (u.ingress > 0) {
				odd = append(odd, a)
			}
		}
	}
	slices.Sort(odd)
	codec.Slice(c, &odd, func(a *address) { s.codeAddress(c, a) })
	if !c.Reading() || c.Err() != nil {
		return
	}
	s.unlike = map[address]bool{}
	for _, a := range odd {
		s.unlike[a] = true
		s.allocate(a, true) // but where an endpoint that is read has it
	}
}

// made completes an endpoint that is read.
func (s *State) made(e *Endpoint) {
	s.look(e)
	s.allocateAll(e.Ports)
}

// look notes what the lists of an endpoint are.
func (s *State) look(e *Endpoint) {
	e.plain = s.isPlain(e)
	e.steady = s.isSteady(e)
}
