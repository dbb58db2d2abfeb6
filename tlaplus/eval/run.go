package eval

import (
	"fmt"
	"maps"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// State has a value for each variable of the root module, by its place; nil
// where it has none yet.
type State struct {
	Vals    []value.Value
	version int    // of a state that is being made
	goals   []Goal // the same: of each variable; nil: there are none
}

func (s *State) set(n int, v value.Value) {
	s.Vals[n] = v
	s.version++
}

// NewState returns a state without values.
func (p *Program) NewState() *State { return newState(len(p.Variables)) }

// fewVariables are those of most modules, whose states have space for them.
const fewVariables = 8

func newState(variables int) *State {
	if variables > fewVariables {
		return &State{Vals: make([]value.Value, variables)}
	}
	s := &struct {
		State
		space [fewVariables]value.Value
	}{}
	s.Vals = s.space[:variables:variables]
	return &s.State
}

// Run is one thread of evaluation.
type Run struct {
	*Program
	cur, next *State
	initial   bool // cur is being made
	at        *place
	depth     int
	seed      uint64

	// Level is what TLCGet("level") answers: states from the initial one on.
	Level int
	*shared
	why      *Why     // nil: failures are not explained
	trail    *trail   // nil: it is not noted which disjuncts a path takes
	checking bool     // the next state is given: nothing is assigned
	enabling *context // where ENABLED is evaluated: next is one of the states that may follow
	inPrime  bool     // of that, what is primed
	settles  bool     // once all variables have values, the rest is evaluated only
	way      []made   // the definitions on the way to the state that is being made
	hints    Hints    // of the step that is checked
	track    *tracker // of what an element of a set depends on; nil: it is not noted
	memory   *outcome // of the current evaluation; nil: nothing is remembered
	ahead    uint     // counts what depends on more than the state before the step
}

// shared is what all threads of one evaluation have in common.
type shared struct {
	regs  map[value.Value]value.Value // by numbers, and by names that begin with s:
	wrote bool                        // regs is not what it was in the beginning
	// Answers are what TLCGet answers for a name.
	Answers map[string]func() value.Value
	// Path is the states on the way to one, and that one; nil: that is not known.
	Path func(to *State) []*State
	// Print takes what Print, PrintT and their like print; nil: nothing is done.
	Print func(string)
	// Exit is TLCSet("exit", TRUE).
	Exit bool
	// Work counts calls and states, and some elements that are gone through as one, as
	// a measure of the work done; beyond MostWork, if above 0, evaluation ends with an
	// error.
	Work, MostWork int
	// Interrupted is called now and then; if it returns true, evaluation ends with an
	// error. Nil: it is never interrupted.
	Interrupted func() bool
	// Between counts the states between the two actions of a \cdot, which TLC counts
	// among those it generates.
	Between  int
	elements uint // elements gone through
}

// NewRun returns a thread of evaluation.
func (p *Program) NewRun() *Run {
	return &Run{Program: p, shared: &shared{MostWork: p.mostWork, Interrupted: p.interrupted, regs: maps.Clone(p.assumed), Answers: map[string]func() value.Value{}, Print: p.printer}}
}

// Reset forgets what an evaluation leaves behind that others could ask for: registers, the
// level, the work done, and what random elements depend on.
func (r *Run) Reset() {
	if r.wrote {
		r.regs, r.wrote = maps.Clone(r.assumed), false
	}
	r.Work, r.Level, r.seed, r.Exit = 0, 0, 0, false
}

// Untouched reports whether nothing that has been evaluated since Reset makes a difference
// to what is evaluated next.
func (r *Run) Untouched() bool { return !r.wrote && !r.Exit && r.seed == 0 }

// place is a node of a module's text.
type place struct {
	file string
	node syntax.Node
}

func (p *place) String() string {
	at := p.node.Place().From
	return fmt.Sprintf("%s:%d:%d", p.file, at.Line, at.Col)
}

// Error is an evaluation error at its place in the text.
type Error struct {
	Place string // file:line:column; "": not known
	Msg   string
}

func (e *Error) Error() string {
	if e.Place == "" {
		return e.Msg
	}
	return e.Place + ": " + e.Msg
}

// mostDepth bounds calls within calls, by their weight.
const mostDepth = 20000

// protect runs f and returns its evaluation error.
func (r *Run) protect(f func()) (err error) {
	cur, next, initial, settles, checking, memory, track := r.cur, r.next, r.initial, r.settles, r.checking, r.memory, r.track
	defer func() {
		if x := recover(); x != nil {
			e, ok := x.(*value.Error)
			if !ok {
				panic(x)
			}
			out := &Error{Msg: e.Msg}
			if r.at != nil {
				out.Place = r.at.String()
			}
			err = out
		}
		r.cur, r.next, r.initial, r.settles, r.checking, r.memory, r.track, r.depth, r.way = cur, next, initial, settles, checking, memory, track, 0, nil
	}()
	f()
	return nil
}

// frame has what the parameters and bound names of one call are: a value.Value,
// a *thunk or an *operator each.
type frame struct {
	vals []any
	up   *frame // of the definition around it
}

// fewSlots, twoSlots and oneSlot are those of most frames, which have their space with them.
const (
	fewSlots = 4
	twoSlots = 2
	oneSlot  = 1
)

// noSlots is the frame of what binds nothing, and is not in another definition.
var noSlots = &frame{}

func newFrame(slots int, up *frame) *frame {
	switch {
	case slots == 0 && up == nil:
		return noSlots
	case slots > fewSlots:
		return &frame{vals: make([]any, slots), up: up}
	case slots <= oneSlot:
		f := &struct {
			frame
			space [oneSlot]any
		}{}
		f.vals, f.up = f.space[:slots:slots], up
		return &f.frame
	case slots <= twoSlots:
		f := &struct {
			frame
			space [twoSlots]any
		}{}
		f.vals, f.up = f.space[:slots:slots], up
		return &f.frame
	}
	f := &struct {
		frame
		space [fewSlots]any
	}{}
	f.vals, f.up = f.space[:slots:slots], up
	return &f.frame
}

func (f *frame) hop(n int) *frame {
	for ; n > 0; n-- {
		f = f.up
	}
	return f
}

// copyOf is the frame as it is now: for what outlives the evaluation.
func (f *frame) copyOf() *frame {
	if f == nil {
		return nil
	}
	return &frame{append([]any(nil), f.vals...), f.up}
}

// thunk is an argument or a definition of a LET: evaluated when it is needed.
type thunk struct {
	x   *expr
	f   *frame
	val value.Value
	in  moment // of val

	ahead bool // val depends on more than the state before the step
}

// moment is the states that something is evaluated in, as they are then.
type moment struct {
	cur, next   *State
	curV, nextV int
}

func (r *Run) moment() moment {
	m := moment{cur: r.cur, next: r.next}
	if m.cur != nil {
		m.curV = m.cur.version
	}
	if m.next != nil {
		m.nextV = m.next.version
	}
	return m
}

// known reports whether the thunk has the value that an evaluation would have now.
// While a step is made, that of an expression of the state before stays as it is.
func (t *thunk) known(r *Run) bool {
	if t.val == nil || t.in.cur != r.cur || r.cur != nil && t.in.curV != r.cur.version {
		return false
	}
	return !t.ahead || t.in == r.moment()
}

func (t *thunk) force(r *Run) value.Value {
	if !t.known(r) {
		before := r.ahead
		v := t.x.code(r, t.f)
		t.val, t.in, t.ahead = v, r.moment(), r.ahead != before
	} else if t.ahead {
		r.ahead++
	}
	return t.val
}

// operator is an operator as an argument.
type operator struct {
	def *definition // nil: native
	up  *frame      // where it is defined
	nat *Native
}

func (o *operator) frame(args []any) *frame {
	f := newFrame(o.def.body().fn.slots, o.up)
	copy(f.vals, args)
	return f
}

// call applies it to values, thunks and operators.
func (o *operator) call(r *Run, args ...any) value.Value {
	if o.nat != nil {
		return o.nat.call(r, args)
	}
	b := o.def.body()
	r.enter(o.def)
	v := b.code(r, o.frame(args))
	r.leave(o.def)
	return v
}

// The messages of the errors beyond MostWork, and where the run is interrupted.
const (
	OutOfWork   = "the bound on the work of the evaluation is reached"
	Interrupted = "the evaluation is interrupted"
)

// spend counts a piece of work.
func (r *Run) spend() {
	if r.Work++; r.MostWork > 0 && r.Work > r.MostWork {
		value.Fail(OutOfWork)
	}
	if r.Work%askedEach == 0 && r.Interrupted != nil && r.Interrupted() {
		value.Fail(Interrupted)
	}
}

const (
	askedEach    = 1 << 12 // pieces of work
	elementsEach = 2       // elements count as a piece of work
	exceptWork   = 2       // pieces of work of an EXCEPT, which copies what is on the way to the change
)

// through calls do with each element of the set at that place, until it returns false,
// and returns false then. It counts as work.
func (r *Run) through(set value.Value, at *place, do func(value.Value) bool) bool {
	return value.Each(set, func(e value.Value) bool {
		r.element(at)
		return do(e)
	})
}

// element counts the work for an element of a set.
func (r *Run) element(at *place) {
	if r.elements++; r.elements%elementsEach == 0 {
		was := r.at
		r.at = at
		r.spend()
		r.at = was
	}
}

// enter begins a call, and leave ends it.
func (r *Run) enter(d *definition) {
	if r.MostWork > 0 && r.Work >= r.MostWork {
		r.at = d.scope.place(d.syn)
	}
	r.spend()
	if r.depth += d.weight; r.depth > mostDepth {
		r.at = d.scope.place(d.syn)
		value.Fail("the evaluation of %s calls itself too deeply", d.name)
	}
}

func (r *Run) leave(d *definition) { r.depth -= d.weight }

// weight measures how much of the stack the evaluation of an expression needs.
func weight(n syntax.Expr) int { return 1 + nesting(n)/20 }

func nesting(n syntax.Node) int {
	most := 0
	syntax.Children(n, func(child syntax.Node) { most = max(most, nesting(child)) })
	return most + 1
}

// get is the value in a slot.
func (r *Run) get(slot any) value.Value {
	switch x := slot.(type) {
	case *thunk:
		return x.force(r)
	case *operator:
		value.Fail("the operator %s is used as a value", x.name())
	case nil:
		value.Fail("a name is used before it has a value")
	}
	return slot
}

func (o *operator) name() string {
	if o.nat != nil {
		return o.nat.Name
	}
	return o.def.name
}

// Fork is a thread with the same registers. It evaluates while this one is in the middle of
// something.
func (r *Run) Fork() *Run {
	other := *r
	other.depth, other.why, other.trail, other.way = 0, nil, nil, nil
	return &other
}
