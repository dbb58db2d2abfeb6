package portallocator

import (
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// State is the variables endpoints and allocated, with their indexes.
type State struct {
	*constants
	endpoints model.Rows[Endpoint]
	allocator model.Rows[Allocator]

	uses        map[address]use  // of those with a use
	size        int              // Cardinality(allocated)
	dynamicUsed []int32          // of these, those with a dynamic number, by protocol
	missing     int              // addresses of ingress ports that are not allocated
	extra       int              // allocated addresses of no ingress port
	invalid     int              // allocated, and outside Address
	shared      int              // addresses of several ingress ports
	steady      int              // endpoints that are steady
	released    map[address]bool // under --attach: whether these are still allocated is not known
	badSet      bool             // allocated was last given a value outside its type

	logged  logged           // by the step
	journal []address        // that the actions of the step put into allocated or take out, in order
	done    int              // how many of them are so in uses
	shifted []address        // that the step, or the run of snapshots, changed of allocated beyond what explains it
	isRun   bool             // shifted is of a run of snapshots,
	runSet  bool             // of which a line says what is allocated
	unlike  map[address]bool // that a checkpoint, which is read, has as allocated or not unlike the endpoints
	counted bool             // settle has counted the ingress ports of the step

	at int // of the rules: the port that shows what is broken

	attach, moby bool
	used         *validators.Uses
	moved        []string  // allowances that the step's ports need
	refusals     []refusal // of the step
	*scratch
}

// scratch is room that the machines of one goroutine share.
type scratch struct {
	line  *trace.Event          // that is read; nil: values are read as their text
	lines [2]opened             // the last that a line gave, of spec and of ports
	room  []byte                // of lists that the step's lines give
	more  table[address, int32] // of State.infer: how many ingress ports an address gets
	prop  proposal              // of the current action
	lone  proposal              // of an endpoint to its own spec, and of refused ones
}

// use is what the state knows of an address.
type use struct {
	ingress   int32 // ingress ports of endpoints that have the address
	host      int32 // host ports
	allocated bool  // \in allocated
}

// Endpoint is an Endpoint.
type Endpoint struct {
	Spec, Ports list
	plain       bool // State.isPlain
	steady      bool // UpdateEndpoint to its own spec may leave it as it is
}

// Allocator is allocated: what State.uses has of it after so many entries of the
// journal, and with prop applied; or what the step logs.
type Allocator struct {
	at     int
	prop   *proposal
	logged *logged
}

// logged is allocated' where the step logs it.
type logged struct {
	s   *State
	bad bool      // it has values outside Address
	set []address // sorted, each once
}

type (
	change = model.Change[Endpoint]
	row    = model.Row[Endpoint]
)

// The columns of an endpoint, by their places.
const (
	specs = iota
	configs
)

// keptRoom bounds the room that stays after a large step.
const keptRoom = 1 << 16

var endpoints = &model.Kind[State, Endpoint]{
	Kind: kindEndpoint, Rows: func(s *State) *model.Rows[Endpoint] { return &s.endpoints },
	Sighted: &Endpoint{Spec: unseen, Ports: unseen},
	Columns: []model.Column[State, Endpoint]{
		ports(specs, fieldSpec, "EndpointSpec", func(e *Endpoint) *list { return &e.Spec }),
		ports(configs, fieldPorts, "Seq(PortConfig)", func(e *Endpoint) *list { return &e.Ports }),
	},
	Line:  func(s *State, ev *trace.Event) { s.line = ev },
	Tally: (*State).count,
	Put: func(s *State, c *change) {
		switch {
		case !c.Shown:
		case c.New.Spec == c.Old.Spec && c.New.Ports == c.Old.Ports:
			c.New = *c.Old // whose lists are not borrowed
		default:
			s.look(&c.New)
			c.New.own(c.Old)
			s.retake(c.New.Ports)
		}
	},
	Seen: (*State).seen,
	What: what,
}

// allocator is allocated. A line of it may be the first of any op.
var allocator = &model.Kind[State, Allocator]{
	Kind: kindAllocator, Name: "the allocator", Rows: func(s *State) *model.Rows[Allocator] { return &s.allocator },
	Columns: []model.Column[State, Allocator]{{
		Field: fieldAllocated, Type: "a subset of Address", Needed: true, Holds: true, Inferred: true,
		Read: func(s *State, r *Allocator, v trace.Value) model.Reading {
			set, ok := s.parseAllocated(v, s.logged.set[:0])
			s.logged = logged{s: s, set: set, bad: !ok}
			if r.logged = &s.logged; !ok {
				return model.Outside
			}
			return model.Good
		},
		Wrong: (*State).wrongAllocated,
		Same:  (*Allocator).same,
		Copy:  func(to, from *Allocator) { *to = *from },
		Show:  func(s *State, r *Allocator) (any, bool) { return s.allocatedJSON(r), true },
		Code:  (*State).codeAllocated,
	}},
	NoDelete: "delete of the allocator, which is a variable and always exists", AnyFirst: true,
	Tally: func(s *State, r *Allocator, d int) {
		if d > 0 {
			s.arrive(r)
		}
	},
	Seen:   func(s *State, _ *model.Change[Allocator]) { s.seenAllocated() },
	Listed: func(s *State, shown bool) bool { return len(s.released) == 0 && (shown || s.isUnlike()) },
	Brief:  func(s *State) bool { return s.size <= mostShown && len(s.logged.set) <= mostShown },
	What: func(s *State, c *model.Change[Allocator]) string {
		return "allocated changes, and no endpoint does (" + s.differs(s.allocated, s.inUse) + ")"
	},
}

// The text's variables.
var (
	varEndpoints = []group{endpoints.Of(fieldSpec, fieldPorts), endpoints.Existence()}
	varAllocated = []group{allocator.Of(fieldAllocated)}
)

// begin forgets the last step.
func (s *State) begin() {
	if cap(s.room) > keptRoom {
		s.room, s.lines = nil, [2]opened{}
	}
	if cap(s.journal) > keptRoom {
		s.journal = nil
	}
	for i := range s.lines {
		s.lines[i].forget()
	}
	s.line, s.room, s.refusals, s.moved = nil, s.room[:0], s.refusals[:0], s.moved[:0]
	s.logged.set, s.journal, s.done, s.unlike, s.counted = s.logged.set[:0], s.journal[:0], 0, nil, false
}

// own makes the endpoint's lists its own. One that stays is shared: else it is
// borrowed from a line, and copied.
func (e *Endpoint) own(old *Endpoint) {
	switch {
	case e.Spec == old.Spec && e.Ports == old.Ports:
		e.Spec, e.Ports = old.Spec, old.Ports
	case e.Spec == old.Spec:
		e.Spec, e.Ports = old.Spec, e.Ports.clone()
	case e.Ports == old.Ports:
		e.Spec, e.Ports = e.Spec.clone(), old.Ports
	case e.Spec == e.Ports:
		e.Spec = e.Spec.clone()
		e.Ports = e.Spec
	case e.Spec == missing, e.Ports == missing: // the sum of the two would be no copy
		e.Spec, e.Ports = e.Spec.clone(), e.Ports.clone()
	default:
		both, n := e.Spec+e.Ports, len(e.Spec)
		e.Spec, e.Ports = both[:n], both[n:]
	}
}

func (l list) clone() list { return list(strings.Clone(string(l))) }

// count enters an endpoint's ports into the indexes or takes them out. What is
// allocated stays as it is.
func (s *State) count(e *Endpoint, d int) {
	if e.steady {
		s.steady += d
	}
	for rest := e.Ports.rest(); rest != ""; {
		p := rest.next()
		if p.mode == noMode || p.mode == ingress && s.counted {
			continue
		}
		was := s.uses[p.addr()]
		is := was
		switch p.mode {
		case ingress:
			is.ingress += int32(d)
		case host:
			is.host += int32(d)
		}
		s.set(p.addr(), was, is)
	}
}

// set changes what is known of the address.
func (s *State) set(a address, was, is use) {
	if is == (use{}) {
		delete(s.uses, a)
	} else {
		s.uses[a] = is
	}
	s.missing += model.BoolInt(is.ingress > 0 && !is.allocated) - model.BoolInt(was.ingress > 0 && !was.allocated)
	s.shared += model.BoolInt(is.ingress > 1) - model.BoolInt(was.ingress > 1)
	s.extra += model.BoolInt(is.ingress == 0 && is.allocated) - model.BoolInt(was.ingress == 0 && was.allocated)
	if is.allocated == was.allocated {
		return
	}
	d := 2*model.BoolInt(is.allocated) - 1
	s.size += d
	switch {
	case !s.valid(a):
		s.invalid += d
	case s.isDynamic(a.number()):
		s.dynamicUsed[a.protocol()] += int32(d)
	}
}
