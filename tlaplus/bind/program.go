package bind

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/tracespec"
	"tracecheck/tlaplus/value"
)

// The names that expressions of a bind file have, beside the module's.
const (
	lineName   = "e"
	headerName = "header"
	nullName   = "null"
)

// program is the module and the bind file, ready to be evaluated: for one stream, or
// for one reader of lines.
type program struct {
	spec *eval.Spec
	run  *eval.Run
	json reader

	header value.Value // nil: there is none, or not yet

	when, event, stream, args *clause
	clock, node               *clause // of order
	init                      []eval.Condition
	observe                   []clause // x = v of the state after
	first                     []int    // those of observe that give a variable its value
	rest                      []int    // the others
	before                    []clause
	actions                   map[string]*plan
	through                   map[string]*plan // by an action: the part of the next-state relation that leads to it
	silent                    []eval.Condition
	any                       *plan
	names                     map[string]int // of the module's actions: their places

	defaults   [][]*eval.Formula // of the fields of objects, by their kinds
	open       []variable        // what may have several values after snapshots
	whole      []bool            // of each variable: its value is one object
	throughout []*eval.Formula   // what is TRUE in each state within a batched step
	lines      []bool            // of each variable: it belongs to no object, and only lines may give it a value
	unchanged  []eval.Condition  // of each variable: that it does not change
	left       []bool            // of each variable: no step changes it, for certain; nil: not known yet
	refusals   []refusal
	versions   int            // counts the changes of the values of the world's names
	lastValues [6]value.Value // the latest of them
	world      *world         // nil: there are no objects, or not yet

	now     meaning                // of the current line
	texts   map[syntax.Span]string // to show, of clauses that are made of several pieces
	initial []value.Value          // of an initial state of the current stream, for the preset
	ahead   *ahead                 // nil: none yet
}

// clause is a formula about a line, with the parts of the line that it reads.
type clause struct {
	name    string // as it is written: what is observed
	f       *eval.Formula
	paths   [][]step
	guarded bool // it tests itself whether a part exists
}

// step of a path from the line: a field, or an element of a sequence.
type step struct {
	field string
	index int // from 1; 0: it is a field
}

// variable is a variable with the set of its values.
type variable struct {
	place  int
	clause clause
}

// plan is what an event means.
type plan struct {
	name       string // of the action
	conditions []eval.Condition
	through    string        // the definition that the step must take; "": any
	argument   argumentKind  // what conditions get as their argument
	args       map[int]*plan // by the number of arguments that the line has
}

// argumentKind is what the formulas of a plan get as their argument.
type argumentKind int8

const (
	nothing argumentKind = iota
	theLine
	theArgs
)

// leaves reports whether no step changes the variable, for certain.
func (p *program) leaves(variable int) bool {
	if p.left == nil {
		p.left = make([]bool, len(p.spec.Variables))
		for i := range p.left {
			p.left[i] = p.spec.Leaves(p.run, i)
		}
	}
	return p.left[variable]
}

// load reads the module, with the header where that is known. Unassumed leaves out
// what needs it.
func (b *Bind) load(header string, unassumed bool) (*program, error) {
	return b.loadBeside(nil, header, unassumed)
}

// loadBeside is load for a program that understands the values of another one; nil: there is
// none.
func (b *Bind) loadBeside(other *program, header string, unassumed bool) (*program, error) {
	p := &program{names: map[string]int{}, actions: map[string]*plan{}, through: map[string]*plan{}}
	f := b.file
	extension := &eval.Extension{File: f.name, Text: f.text, Overrides: map[string]syntax.Expr{}, Params: map[string][]string{}, Texts: map[syntax.Span]string{}}
	p.texts = extension.Texts
	extension.Known = func(in *eval.Program) (map[string]value.Value, error) {
		p.json = reader{space: in.Space, null: in.Space.Model(nullName)}
		if f.null != nil {
			v := constant(in.Space, f.null)
			if v == nil {
				return nil, f.marked(syntax.Errors{{File: f.name, Span: f.null.syn.Place(), Msg: "null is a string, or the name of a model value"}})
			}
			p.json.null = v
		}
		known := map[string]value.Value{nullName: p.json.null}
		if other != nil && other.header != nil {
			known[headerName], p.header = other.header, other.header
		} else if header != "" {
			v, bad := p.json.text(header, b.shapes.field(headerName))
			if bad != "" {
				return nil, fmt.Errorf("the header: %s", bad)
			}
			known[headerName], p.header = v, v
		}
		return known, nil
	}
	extension.Operators = append(extension.Operators, p.updated())
	if f.objects != nil {
		extension.Version = p.version
		unassumed = true // the assumptions may be about what the stream shows
		extension.Operators = append(extension.Operators, p.worldOperator(objectsName, func(w *world) value.Value { return w.objects }),
			p.worldOperator(wasName, func(w *world) value.Value { return w.was }),
			p.worldOperator(shownName, func(w *world) value.Value { return w.shown }), p.worldOperator(keptName, func(w *world) value.Value { return w.kept }),
			p.worldOperator(lineName, func(w *world) value.Value { return w.line }),
			p.worldOperator(batchedName, func(w *world) value.Value { return value.Truth(w.batched) }),
			p.worldOperator(refusedName, func(w *world) value.Value { return w.refused }))
	}
	if header == "" && (f.headerLine || f.header != "" || f.objects != nil) {
		extension.Operators = append(extension.Operators, &eval.Native{Name: headerName, F0: func(*eval.Run) value.Value {
			value.Fail("the header is not known yet: it is a stream's first line")
			return nil
		}})
	}
	for _, c := range f.constants {
		name, params := operator(c.name)
		extension.Overrides[name], extension.Params[name] = c.x.syn, params
	}
	var space *value.Space
	if other != nil {
		space = other.spec.Space
	}
	o := eval.Options{Path: b.path(), Space: space, Extension: extension, Unassumed: unassumed, MostWork: b.mostWork(), ReadFile: tracespec.Reader(b.file.module), Env: b.opts.Env, Without: b.opts.Without}
	spec, err := eval.LoadSpec(f.module, b.cfg, o)
	if err != nil {
		return nil, b.refused(err)
	}
	p.spec, p.run = spec, spec.NewRun()
	for i, a := range spec.Actions() {
		p.names[a.Name] = i
	}
	if err := errors.Join(p.nullIs(f), p.compile(b)); err != nil {
		return nil, err
	}
	p.json.space.Settle()
	return p, nil
}

// version changes when a name of the world gets another value.
func (p *program) version() int {
	if w := p.world; w != nil {
		is := [...]value.Value{w.objects, w.was, w.shown, w.line, w.kept, w.refused}
		if is != p.lastValues {
			p.lastValues = is
			p.versions++
		}
	}
	return p.versions
}

// worldOperator is an operator for a part of the world, whose value changes.
func (p *program) worldOperator(name string, part func(*world) value.Value) *eval.Native {
	return &eval.Native{Name: name, Level: eval.OfState, Versioned: true, F0: func(*eval.Run) value.Value {
		if p.world == nil {
			value.Fail("%s is not known yet: no line has been read", name)
		}
		return part(p.world)
	}}
}

// constant is a literal of the bind file; nil: the expression is none.
func constant(space *value.Space, x *expr) value.Value {
	switch n := x.syn.(type) {
	case *syntax.String:
		return space.String(n.Value)
	case *syntax.Op:
		if len(n.Args) == 0 && len(n.Prefix) == 0 {
			return space.Model(n.Name.Name)
		}
	}
	return nil
}

// nullIs refuses a null that the module or the cfg defines as another value.
func (p *program) nullIs(f *file) error {
	if f.null == nil {
		return nil
	}
	x, err := p.spec.Formula(f.name, "", f.null.syn)
	if err != nil || x.OfState() {
		return nil // the name of a model value alone
	}
	v, err := p.run.Value(x, nil)
	if err != nil || value.Identical(v, p.json.null) {
		return nil
	}
	return f.marked(syntax.Errors{{File: f.name, Span: f.null.syn.Place(), Msg: fmt.Sprintf("%s is defined, as %s: write that value, if it is a string or a model value", f.null.text, value.Show(v))}})
}

// refused is an error of the texts: those in the bind file with the lines that they
// are in.
func (b *Bind) refused(err error) error {
	var list syntax.Errors
	if errors.As(err, &list) {
		return b.file.marked(list)
	}
	return err
}

// compile compiles what the bind file says. The error has all that is wrong.
func (p *program) compile(b *Bind) error {
	f := b.file
	var bad syntax.Errors
	c := &compiler{p: p, b: b, bad: &bad}
	p.when, p.event, p.stream, p.args = c.ofLine(f.when), c.ofLine(f.event), c.ofLine(f.stream), c.ofLine(f.args)
	p.clock, p.node = c.ofLine(f.clock), c.ofLine(f.node)
	for _, o := range f.observe {
		p.observe = append(p.observe, c.equation(o, true))
		if p.isVariable(o.of.syn) {
			p.first = append(p.first, len(p.observe)-1)
		} else {
			p.rest = append(p.rest, len(p.observe)-1)
		}
	}
	if b.file.preset == lbinria {
		c.preset()
	}
	for _, o := range f.before {
		cl := c.equation(o, false)
		c.ofState(cl.f, o.is)
		p.before = append(p.before, cl)
	}
	p.any = &plan{name: "", conditions: p.spec.Nextly()}
	for _, event := range slices.Sorted(maps.Keys(f.actions)) { // their strings appear in this order
		p.actions[event] = c.action(f.actions[event])
	}
	for _, x := range f.silent {
		p.silent = append(p.silent, c.silent(x)...)
	}
	c.objects()
	p.init = p.spec.Initially()
	if f.init != nil {
		x, err := p.spec.Formula(f.name, "", f.init.syn) // no line comes before the first state
		c.note(err)
		c.ofState(x, f.init)
		p.init = []eval.Condition{{Formula: x}}
	}
	if len(bad) > 0 {
		return f.marked(bad.Sorted())
	}
	if !f.initLine && len(p.init) == 0 {
		return fmt.Errorf("%s: there is no initial predicate: name it with init, or in the cfg", f.name)
	}
	return nil
}
