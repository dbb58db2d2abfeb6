package eval

import (
	"cmp"
	"slices"
	"strings"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Extension is a file of expressions over the names of the root module, such as a bind
// file. The expressions may also use what the standard and community modules define,
// unless the root module defines the same name.
type Extension struct {
	File string
	Text []byte

	// Known returns the names of the extension that have a constant value; nil: none.
	Known func(p *Program) (map[string]value.Value, error)
	// Overrides replaces constants and definitions of the modules, by name. Other names are
	// definitions for the expressions, and for the cfg.
	Overrides map[string]syntax.Expr
	// Params are the parameters of the overrides that are operators.
	Params map[string][]string
	// Version changes when an operator of state level gets another value; nil: unknown.
	// An override without a variable is evaluated once for each version.
	Version func() int
	// Operators are additional operators for the expressions.
	Operators []*Native

	// Texts has the text to show for a clause that is made of several pieces of the file.
	Texts map[syntax.Span]string

	scope *scope
}

// Formula is an expression of an extension. Its parameters get values with each
// evaluation.
type Formula struct {
	x      *body
	g      generator // of x; nil: not made yet
	Params []string
}

func (f *Formula) generator() generator {
	if f.g == nil {
		f.g = f.x.generate
	}
	return f.g
}

// extend prepares the extension, before the root module is built.
func (p *Program) extend(b *Extension) error {
	p.texts[b.File] = strings.Split(string(b.Text), "\n")
	s := p.root.scope.inner()
	s.mod = &module{syn: &syntax.Module{Name: b.File, File: b.File}, scope: s}
	b.scope = s
	for _, nat := range b.Operators {
		s.names[nat.Name] = nat
	}
	if b.Known != nil {
		known, err := b.Known(p)
		if err != nil {
			return err
		}
		for name, v := range known {
			s.names[name] = &Native{Name: name, F0: func(*Run) value.Value { return v }}
		}
	}
	for name, n := range b.Overrides {
		d := &definition{p: p, name: name, syn: n, expr: n, scope: s, now: b.Version}
		for _, of := range b.Params[name] {
			d.params = append(d.params, syntax.Param{Ident: syntax.Ident{Span: n.Place(), Name: of}})
		}
		if len(d.params) > 0 {
			d.now = nil // its value depends on them
		}
		p.override[name] = d
	}
	p.extension = b
	return nil
}

// standard adds the overrides of what the root module does not define, and what the standard
// modules define, where it does not: once it is built.
func (p *Program) standard(b *Extension) {
	for name, n := range b.Overrides {
		switch b.scope.lookup(name).(type) {
		case nil:
			b.scope.names[name] = p.override[name]
		case *variable:
			p.note(func() { b.scope.refuse(n, "%s is a variable of the module: a step gives it its value", name) })
		}
	}
	for name, n := range b.Overrides {
		if d, ok := p.override[name].(*definition); ok && len(d.params) == 0 && d.reaches(d, map[*definition]bool{}) {
			p.note(func() { b.scope.refuse(n, "%s is defined by itself", name) })
		}
	}
	for _, name := range extensionModules {
		for _, nat := range exported(name) {
			if b.scope.lookup(nat.Name) == nil {
				b.scope.names[nat.Name] = nat
			}
		}
	}
}

// scopeOf is where a name of the cfg has its meaning: in the root module, or in the extension
// if that alone defines it.
func (p *Program) scopeOf(name string) *scope {
	if b := p.extension; b != nil && p.root.scope.lookup(name) == nil && b.Overrides[name] != nil {
		return b.scope
	}
	return p.root.scope
}

// reaches reports whether the definition is made of another one.
func (d *definition) reaches(other *definition, seen map[*definition]bool) (is bool) {
	var look func(n syntax.Node)
	look = func(n syntax.Node) {
		if op, ok := n.(*syntax.Op); ok {
			if of, ok := d.scope.lookup(op.Name.Name).(*definition); ok && !seen[of] {
				seen[of] = true
				is = is || of == other || of.reaches(other, seen)
			}
		}
		syntax.Children(n, look)
	}
	if d.fcn != nil {
		look(d.fcn)
	} else {
		look(d.expr)
	}
	return is
}

var extensionModules = []string{"Integers", "Sequences", "FiniteSets", "Bags", "TLC", "SequencesExt", "FiniteSetsExt", "Functions", "BagsExt", "TLCExt", "IOUtils"}

// Formula compiles an expression of the text, or of another one whose name and content
// are given. The error is syntax.Errors.
func (s *Spec) Formula(file, text string, n syntax.Expr, params ...string) (f *Formula, err error) {
	at := s.extension.scope
	if file != s.extension.File {
		s.texts[file] = strings.Split(text, "\n")
		at = at.inner()
		at.mod = &module{syn: &syntax.Module{Name: file, File: file}, scope: at}
	}
	d := &definition{p: s.Program, name: "the expression", syn: n, expr: n, scope: at}
	for _, name := range params {
		d.params = append(d.params, syntax.Param{Ident: syntax.Ident{Span: n.Place(), Name: name}})
	}
	err = s.apart(func() {
		x := d.body()
		if x.level == temporal {
			at.refuse(n, "this is about more than one step: temporal formulas cannot be judged here")
		}
		f = &Formula{x: x, Params: params}
	})
	return f, err
}

// apart is collect for what comes after the modules: its errors are its own.
func (p *Program) apart(do func()) error {
	before := p.problems
	p.problems = nil
	err := p.collect(do)
	p.problems = before
	return err
}

// OfState reports whether the formula is of states or steps: it reads a variable.
func (f *Formula) OfState() bool { return f.x.level >= state }

// OfStep reports whether the formula is of steps: it has a prime.
func (f *Formula) OfStep() bool { return f.x.level >= action }

// Reads are the variables that the formula may read, by their places.
func (s *Spec) Reads(f *Formula) []int {
	vars, _ := s.readsOf(f.x)
	var list []int
	for v := range vars {
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}

func (f *Formula) frame(args []value.Value) *frame {
	g := f.x.frame(nil)
	g.set(args)
	return g
}

func (f *frame) set(args []value.Value) {
	for i, v := range args {
		f.vals[i] = v
	}
}

// Value evaluates the formula in a state, which may be nil for one that reads none.
func (r *Run) Value(f *Formula, in *State, args ...value.Value) (v value.Value, err error) {
	err = r.protect(func() {
		r.cur, r.next, r.initial = in, nil, false
		v = f.x.code(r, f.frame(args))
	})
	return v, err
}

// Condition is a formula with its arguments.
type Condition struct {
	Formula *Formula
	Args    []value.Value
}

// Makes yields each state that a step leads to of which all formulas are TRUE, in
// their order; with from nil, each initial state. If why is not nil, it records what
// stops the others, as an action of that name.
func (s *Spec) Makes(r *Run, from *State, list []Condition, action string, why *Why, yield func(*State) bool) error {
	return s.makes(r, from, nil, list, action, why, yield)
}

// MakesToward is Makes for steps that meet the goals, one for each variable; nil: any. It may
// yield others, too.
func (s *Spec) MakesToward(r *Run, from *State, goals []Goal, list []Condition, yield func(*State) bool) error {
	return s.makes(r, from, goals, list, "", nil, yield)
}

func (s *Spec) makes(r *Run, from *State, goals []Goal, list []Condition, action string, why *Why, yield func(*State) bool) error {
	if why != nil {
		name := cmp.Or(action, "Next")
		bodies := make([]*body, len(list))
		for i := range list {
			bodies[i] = list[i].Formula.x
		}
		of := s.outline(name, bodies...)
		of.root.Name = name
		if action != "" && len(of.actions) < 2 {
			of.actions, of.of, of.choices = nil, map[syntax.Node]*Action{}, nil
		}
		end := why.begin(r, of)
		defer end()
	}
	err := r.protect(func() {
		r.cur, r.next, r.initial, r.at = from, s.NewState(), false, nil
		making, what := r.next, "next"
		making.goals = goals
		if from == nil {
			r.cur, r.next, r.initial = r.next, nil, true
			what = "initial"
		}
		done := func() bool {
			if why != nil && why.beyond != nil {
				return why.beyond.whole(s.complete(making, what))
			}
			return yield(s.complete(making, what))
		}
		s.allOf(r, list, done)
	})
	if bad, ok := err.(*Error); ok && bad.Place == "" && len(list) > 0 { // literals have no place of their own
		x := list[len(list)-1].Formula.x
		bad.Place = x.scope.place(x.syn).String()
	}
	return err
}

// allOf continues with done for each way to make the formulas TRUE, in their order.
func (s *Spec) allOf(r *Run, list []Condition, done func() bool) {
	way := make([]rest, len(list)+1)
	frames := make([]frame, len(list))
	slots := 0
	for i := range list {
		slots += list[i].Formula.x.fn.slots
	}
	vals := make([]any, slots)
	for i := range list {
		n := list[i].Formula.x.fn.slots
		frames[i].vals, vals = vals[:n:n], vals[n:]
		frames[i].set(list[i].Args)
		way[i] = rest{g: list[i].Formula.generator(), f: &frames[i], up: &way[i+1]}
	}
	way[len(list)].done = done
	way[0].run(r)
}

// Overlaid is the state with the values that the formulas give its variables; nil where
// they give none.
func (s *Spec) Overlaid(r *Run, from *State, list []Condition) (to *State, err error) {
	err = s.Overlays(r, from, list, func(st *State) bool {
		to = st
		return false
	})
	return to, err
}

// Overlays yields each state with values that the formulas give its variables.
func (s *Spec) Overlays(r *Run, from *State, list []Condition, yield func(*State) bool) error {
	return r.protect(func() {
		r.cur, r.next, r.initial = from, s.NewState(), false
		making := r.next
		s.allOf(r, list, func() bool {
			to := &State{Vals: slices.Clone(from.Vals)}
			for i, v := range making.Vals {
				if v != nil {
					to.Vals[i] = v
				}
			}
			return yield(to)
		})
	})
}

// Taken is the outermost definition, of those named, on the way to the state that is
// being yielded; "": none.
func (r *Run) Taken(names map[string]int) string {
	for _, m := range r.way {
		if m.d != nil {
			if _, ok := names[m.d.name]; ok {
				return m.d.name
			}
		}
	}
	return ""
}

// Takes reports whether the definition of that name is on the way to the state that
// is being yielded.
func (r *Run) Takes(name string) bool {
	return slices.ContainsFunc(r.way, func(m made) bool { return m.d != nil && m.d.name == name })
}

// Defines is how many parameters the operator of that name has in the root module;
// ok is false where there is none.
func (s *Spec) Defines(name string) (params int, ok bool) {
	d, ok := s.aliased(s.root.scope.lookup(name)).(*definition)
	if !ok || d.fcn != nil {
		return 0, false
	}
	return len(d.params), true
}

// IsAction reports whether the root module has an action of that name.
func (s *Spec) IsAction(name string) bool {
	d, ok := s.aliased(s.root.scope.lookup(name)).(*definition)
	is := false
	if ok && d.fcn == nil {
		_ = s.apart(func() { is = d.body().level == action }) // what cannot be compiled is none
	}
	return is
}

// ActionNames are the names for which IsAction is true, in any order.
func (s *Spec) ActionNames() (list []string) {
	for name := range s.root.scope.names {
		if s.IsAction(name) {
			list = append(list, name)
		}
	}
	return list
}

// Params are the names of the operator's parameters.
func (s *Spec) Params(name string) (list []string) {
	if d, ok := s.aliased(s.root.scope.lookup(name)).(*definition); ok {
		for i := range d.params {
			list = append(list, d.params[i].Name)
		}
	}
	return list
}

// Initially is the initial predicate, and Nextly the next-state relation, as formulas.
func (s *Spec) Initially() []Condition { return conditions(s.init) }

// Nextly is the next-state relation.
func (s *Spec) Nextly() []Condition { return conditions(s.next) }

func conditions(list []*body) (out []Condition) {
	for _, x := range list {
		out = append(out, Condition{Formula: &Formula{x: x}})
	}
	return out
}
