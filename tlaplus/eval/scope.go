package eval

import (
	"fmt"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// level is what an expression depends on.
type level int8

const (
	constant level = iota
	state
	action
	temporal
)

func (l level) String() string { return [...]string{"constant", "state", "action", "temporal"}[l] }

// symbol is what a name means in a scope: one of *definition, *Native, *local,
// *variable, *undefined, *named, *syntax.Module.
type symbol any

// variable is a variable of the root module, by its place.
type variable struct {
	name string
	n    int
}

// undefined is a constant that nothing gives a value.
type undefined struct {
	name  string
	at    syntax.Span
	arity int
}

// local is a parameter or bound name: a slot of the frame of its function.
type local struct {
	name  string
	fn    *function
	slot  int
	arity int
	level level // the highest that its value may have
	lazy  bool  // the slot may have a thunk
}

// named is Name(params) == INSTANCE ….
type named struct {
	fn    *function // of its parameters; nil: it has none
	arity int
	scope *scope
	at    *function // in which it is defined
	syn   *syntax.Instance
	in    *scope // in which it is defined
}

// function is a definition with parameters, which has frames of its own.
type function struct {
	up    *function
	slots int
	of    map[syntax.Node]int // the first slot of what a node binds
}

// bind returns the first of n slots for what the node binds, always the same.
func (fn *function) bind(node syntax.Node, n int) int {
	first, ok := fn.of[node]
	if !ok {
		if fn.of == nil {
			fn.of = map[syntax.Node]int{}
		}
		first = fn.slots
		fn.slots += n
		fn.of[node] = first
	}
	return first
}

// hops is how far up the frame of the function "to" is.
func (fn *function) hops(to *function) int {
	n := 0
	for ; fn != to; fn = fn.up {
		n++
	}
	return n
}

// within reports whether frames of the function lie under those of another one.
func (fn *function) within(other *function) bool {
	for ; fn != nil; fn = fn.up {
		if fn == other {
			return true
		}
	}
	return false
}

// scope has names, and those of the scopes around it.
type scope struct {
	up     *scope
	names  map[string]symbol
	hide   map[string]bool
	passed map[string]bool   // of a module: what is there only because a community module passes it on
	given  map[string]bool   // of an instance: the constants and variables of its module
	of     *context          // of the module
	owns   map[string]bool   // of an instance: the variables of its module
	own    map[string]symbol // of an instance I: what I!F means, where the module's F is what the cfg gives
	since  map[string]int    // of a module: the unit that defines or declares a name; 0: before all
	fn     *function         // whose frame what is bound here lives in; nil: at a module's level
	mod    *module           // whose text it is of
	unit   int               // of the module in which the text is; 0: after all

	repeats bool // names of the text may be bound around it already
}

// module is a module in one context: as the root, or as an instance.
type module struct {
	syn   *syntax.Module
	scope *scope
	unit  int // while it is built: the current unit
}

func (s *scope) inner() *scope {
	return &scope{up: s, names: map[string]symbol{}, fn: s.fn, mod: s.mod, unit: s.unit, of: s.of, repeats: s.repeats}
}

// repeating is an inner scope for a part of a definition, whose names are bound around it.
func (s *scope) repeating() *scope {
	in := s.inner()
	in.repeats = true
	return in
}

func (s *scope) lookup(name string) symbol {
	for ; s != nil; s = s.up {
		if sym, ok := s.names[name]; ok {
			return sym
		}
	}
	return nil
}

// definition is an operator that a text defines, in one scope.
type definition struct {
	p      *Program
	name   string
	syn    syntax.Node
	params []syntax.Param
	expr   syntax.Expr    // its body
	scope  *scope         // in which it is defined
	fcn    *syntax.FcnDef // f[x \in S] == e
	circle bool           // RECURSIVE declares it, and it has no parameters
	unit   int            // of its module; 0: of none
	x      *body
	val    value.Value // of a constant, once it is known
	weight int         // of a call, once it is compiled

	now              func() int // of what a text beside the modules gives a name
	since            int        // of now, when val was made
	nowKnown, varies bool       // it reads variables

	pure      *pure // what is remembered of it
	pureKnown bool

	kept      []int // variables that it leaves as they are, once that is known
	keptKnown bool
	usages    map[int]usage // of its parameters, once that is known
}

// body is a compiled definition.
type body struct {
	*expr
	fn *function // its frame: parameters first
}

// meant is the expression that a name without arguments means; nil: there is none.
func (d *definition) meant() syntax.Expr {
	if len(d.params) > 0 || d.fcn != nil || d.circle {
		return nil
	}
	return d.expr
}

// body compiles the definition where that has not been done.
func (d *definition) body() *body {
	if d.x == nil {
		d.weight = d.weigh()
		d.p.compileBody(d)
	}
	return d.x
}

// refuse ends the compilation of what is at hand.
func (s *scope) refuse(n syntax.Node, format string, args ...any) {
	panic(&syntax.Error{File: s.mod.syn.File, Span: n.Place(), Msg: fmt.Sprintf(format, args...)})
}

func (s *scope) place(n syntax.Node) *place { return &place{s.mod.syn.File, n} }

func (d *definition) weigh() int {
	if d.fcn != nil {
		return weight(d.fcn.Body)
	}
	return weight(d.expr)
}
