package eval

import (
	"cmp"
	"errors"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Program is a root module with all that it extends and instantiates.
type Program struct {
	Space     *value.Space
	Variables []string // the root module's, by place
	Root      string

	// ReadFile reads a file that the text names; Env is what IOEnv has.
	ReadFile func(name string) ([]byte, error)
	Env      map[string]string
	printer  func(string)

	texts     map[string][]string   // the lines of each file
	order     []string              // the files, as they have been read
	assumed   map[int32]value.Value // the registers that the assumptions have set
	files     map[string]*syntax.Module
	path      []string // the folders where modules are looked up
	root      *module
	extended  map[*syntax.Module]bool // by the root module
	direct    map[*Native]bool        // natives of a module that some module extends by name
	vars      map[string]*variable
	constants map[string]bool
	override  map[string]symbol // what the cfg gives for a name: by "name" and "module!name"
	assumes   []assume
	pieces    map[pieceKey]target
	leads     map[syntax.Expr]map[syntax.Node]bool
	scopes    []*scope      // of all modules
	problems  syntax.Errors // found so far
	checking  bool          // all definitions are compiled, also those that nothing uses
	cfgFile   string

	mostWork    int
	without     Shortcuts
	differences value.Differences
	filters     map[*syntax.SetFilter]*index
	interrupted func() bool
	extension   *Extension // nil: there is none
}

type assume struct {
	name string
	expr syntax.Expr
	s    *scope
	unit int
}

// Options are about what surrounds a module.
type Options struct {
	Path     []string                          // further folders where modules are looked up
	Env      map[string]string                 // what IOEnv has
	ReadFile func(name string) ([]byte, error) // of files that the text names; nil: as they are named
	Print    func(text string)                 // of Print and PrintT; nil: nothing
	MostWork int                               // of each Run, the one of the assumptions included; 0: no bound

	Interrupted func() bool // of each Run
	// Unassumed leaves out the assumptions and SYMMETRY: the text is only shown.
	Unassumed bool
	// Without leaves out short cuts of the evaluation: those that a caller does not allow,
	// and for tests.
	Without Shortcuts
	// Space has the strings and model values of another Program of the same text, whose values
	// this one then understands; nil: it has its own.
	Space *value.Space
	// Extension is a file with expressions over the names of the root module; nil: there is
	// none.
	Extension *Extension
}

// Load reads the module's file and all that it needs: modules are looked up beside
// it. cfg gives the constants, nil: none. The error names what is wrong with the
// texts.
func Load(file string, cfg *config.Config, o Options) (p *Program, err error) {
	p = &Program{
		Space: cmp.Or(o.Space, value.NewSpace()), files: map[string]*syntax.Module{}, vars: map[string]*variable{}, constants: map[string]bool{},
		path: append([]string{filepath.Dir(file)}, o.Path...), override: map[string]symbol{},
		pieces: map[pieceKey]target{}, filters: map[*syntax.SetFilter]*index{}, leads: map[syntax.Expr]map[syntax.Node]bool{}, ReadFile: o.ReadFile, Env: o.Env, printer: o.Print, mostWork: o.MostWork, without: o.Without, differences: value.Differences{Plain: o.Without&Comparisons != 0}, interrupted: o.Interrupted,
		texts: map[string][]string{}, assumed: map[int32]value.Value{}, extended: map[*syntax.Module]bool{}, direct: map[*Native]bool{},
	}
	if p.ReadFile == nil {
		p.ReadFile = os.ReadFile
	}
	if cfg != nil {
		p.configure(cfg)
	}
	syn, err := p.read(file)
	if err != nil {
		return nil, err
	}
	p.Root = syn.Name
	s := newScope(nil, syn)
	p.root = s.mod
	if o.Extension != nil {
		if err := p.extend(o.Extension); err != nil {
			return nil, err
		}
	}
	if err := p.collect(func() {
		(&context{p: p, done: map[*syntax.Module]*scope{}}).build(s, syn)
		if o.Space == nil {
			p.orderStrings()
		}
		if p.extension != nil {
			p.standard(p.extension)
		}
		p.check()
	}); err != nil {
		return nil, err
	}
	return p, nil
}

// Sources are the modules' files with their texts, in the order in which they were read.
func (p *Program) Sources() iter.Seq2[string, string] {
	return func(yield func(file, text string) bool) {
		for _, file := range p.order {
			if !yield(file, strings.Join(p.texts[file], "\n")) {
				return
			}
		}
	}
}

// newScope is the scope of a module, in a function with parameters or nil.
func newScope(fn *function, m *syntax.Module) *scope {
	s := &scope{names: map[string]symbol{}, hide: map[string]bool{}, since: map[string]int{}, fn: fn}
	s.mod = &module{syn: m, scope: s}
	return s
}

func (p *Program) read(file string) (*syntax.Module, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m, err := syntax.Parse(filepath.Base(file), text)
	if err != nil {
		return nil, err
	}
	p.files[m.Name] = m
	p.texts[m.File] = strings.Split(string(text), "\n")
	p.order = append(p.order, m.File)
	return m, nil
}

// find returns the module of that name: a nested one, a file, or a native one,
// which is nil.
func (p *Program) find(s *scope, name string, n syntax.Node) *syntax.Module {
	for at := s; at != nil; at = at.up {
		if m, ok := at.names["MODULE "+name].(*syntax.Module); ok {
			return m
		}
	}
	m, err := p.ofFile(name)
	var list syntax.Errors
	switch {
	case errors.As(err, &list):
		panic(list)
	case err != nil:
		s.refuse(n, "the module %s cannot be read: %v", name, err)
	case m != nil || natives()[name] != nil:
		return m
	}
	s.refuse(n, "the module %s is neither in %s nor a standard one%s", name, strings.Join(p.path, ", "), nearestModule(name))
	return nil
}

// ofFile is the module of that name that has a file; nil: there is none.
func (p *Program) ofFile(name string) (*syntax.Module, error) {
	if m := p.files[name]; m != nil {
		return m, nil
	}
	for _, dir := range p.path {
		file := filepath.Join(dir, name+".tla")
		if _, err := os.Stat(file); err != nil {
			continue
		}
		if natives()[name] != nil && dir != p.path[0] {
			break
		}
		return p.read(file)
	}
	return nil, nil
}

func nearestModule(name string) string {
	for _, known := range slices.Sorted(maps.Keys(natives())) {
		if distance(known, name) <= 2 {
			return "; did you mean " + known + "?"
		}
	}
	return ""
}

// context is one instantiation of modules: what their constants and variables
// are.
type context struct {
	p        *Program
	instance bool
	shared   bool              // of an instance: its definitions are those of the root module
	with     map[string]symbol // of an instance: what each constant and variable represents
	implicit *scope            // where a name that "with" has not is looked up
	at       syntax.Node       // the INSTANCE
	done     map[*syntax.Module]*scope
}

// build fills the module's scope, unit by unit.
func (c *context) build(s *scope, m *syntax.Module) {
	c.done[m] = s
	if !c.instance {
		c.p.extended[m] = true
	}
	for _, ext := range m.Extends {
		c.extend(s, ext)
	}
	c.p.scopes = append(c.p.scopes, s)
	for i, u := range m.Units {
		s.mod.unit = i + 1
		if _, instance := u.(*syntax.Instance); instance {
			c.unit(s, u) // without it names are missing that others use
		} else {
			c.p.note(func() { c.unit(s, u) })
		}
	}
}

func (c *context) define(s *scope, n syntax.Node, name string, sym symbol) {
	if old, ok := s.names[name]; ok && old != sym {
		if _, declared := old.(*undefined); (!declared || c.p.constants[name]) && !c.p.passedOn(old) {
			s.refuse(n, "%s is defined twice", name)
		}
	}
	if builtins[name] != nil {
		s.refuse(n, "%s is an operator of the language, and cannot be defined", name)
	}
	s.add(name, sym)
}

// add gives a name of the module its meaning, from the current unit on.
func (s *scope) add(name string, sym symbol) {
	if _, declared := s.since[name]; !declared {
		s.since[name] = s.mod.unit
	}
	s.names[name] = sym
}

// overridden is what the cfg gives the name, nil if nothing.
func (c *context) overridden(s *scope, name string) symbol {
	if sym := c.p.override[s.mod.syn.Name+"!"+name]; sym != nil {
		return sym
	}
	if c.instance && !c.shared && !c.p.extended[s.mod.syn] {
		return nil
	}
	return c.p.override[name]
}

func (c *context) unit(s *scope, u syntax.Unit) {
	switch u := u.(type) {
	case *syntax.Constants:
		for _, prm := range u.Params {
			c.constant(s, prm)
		}
	case *syntax.Variables:
		for i := range u.Names {
			c.variable(s, &u.Names[i])
		}
	case *syntax.Recursive:
		for _, prm := range u.Params {
			s.add(prm.Name, &undefined{prm.Name, prm.Span, prm.Arity})
		}
	case *syntax.OpDef:
		c.operator(s, u)
	case *syntax.FcnDef:
		name := u.Name.Name
		var sym symbol = &definition{p: c.p, name: name, syn: u, scope: s, fcn: u, unit: s.mod.unit}
		if by := c.overridden(s, name); by != nil {
			sym = by
		}
		c.define(s, u, name, sym)
		c.hidden(s, u.Local, name)
	case *syntax.Instance:
		c.p.instance(s, u, c.shared || c.p.ofRoot(s))
	case *syntax.Module:
		s.names["MODULE "+u.Name] = u
	case *syntax.Assume:
		if !c.instance {
			a := assume{expr: u.Expr, s: s, unit: s.mod.unit}
			if u.Name != nil {
				a.name = u.Name.Name
			}
			c.p.assumes = append(c.p.assumes, a)
		}
		if u.Name != nil {
			c.define(s, u, u.Name.Name, &definition{p: c.p, name: u.Name.Name, syn: u, expr: u.Expr, scope: s, unit: s.mod.unit})
		}
	case *syntax.Theorem:
		if u.Name != nil && u.Expr != nil {
			c.define(s, u, u.Name.Name, &definition{p: c.p, name: u.Name.Name, syn: u, expr: u.Expr, scope: s, unit: s.mod.unit})
		}
	}
}

func (c *context) hidden(s *scope, is bool, name string) {
	if is {
		s.hide[name] = true
	}
}

// asDeclared refuses an operator with other parameters than RECURSIVE declares.
func (s *scope) asDeclared(u *syntax.OpDef) {
	d, is := s.names[u.Name.Name].(*undefined)
	if !is {
		return
	}
	operators := slices.ContainsFunc(u.Params, func(prm syntax.Param) bool { return prm.Arity > 0 })
	if operators || len(u.Params) != d.arity {
		s.refuse(u, "%s has other parameters than its RECURSIVE declaration, which has %d, none of them an operator", d.name, d.arity)
	}
}

// recursive reports whether RECURSIVE declares the definition, which has no parameters.
func (s *scope) recursive(u *syntax.OpDef) bool {
	_, declared := s.names[u.Name.Name].(*undefined)
	return declared && len(u.Params) == 0
}

func (c *context) operator(s *scope, u *syntax.OpDef) {
	s.asDeclared(u)
	name := u.Name.Name
	d := &definition{p: c.p, name: name, syn: u, params: u.Params, expr: u.Body, scope: s, unit: s.mod.unit}
	if fcn, ok := unparen(u.Body).(*syntax.Fcn); ok && s.recursive(u) { // as f[x \in S] == e: evaluated where it is applied
		d.fcn = &syntax.FcnDef{Span: fcn.Span, Local: u.Local, Name: u.Name, Bounds: fcn.Bounds, Body: fcn.Body}
	}
	var sym symbol = d
	if by := c.overridden(s, name); by != nil {
		sym = by
	}
	c.define(s, u, name, sym)
	c.hidden(s, u.Local, name)
}

func (c *context) constant(s *scope, prm syntax.Param) {
	name := prm.Name
	if c.instance {
		s.add(name, c.substitute(s, name, prm.Arity))
		return
	}
	c.p.constants[name] = true
	if by := c.overridden(s, name); by != nil {
		c.define(s, &prm.Ident, name, by)
		return
	}
	c.define(s, &prm.Ident, name, &undefined{name, prm.Span, prm.Arity})
}

func (c *context) variable(s *scope, id *syntax.Ident) {
	if c.instance {
		s.add(id.Name, c.substitute(s, id.Name, 0))
		return
	}
	v := c.p.vars[id.Name]
	if v == nil {
		v = &variable{id.Name, len(c.p.Variables)}
		c.p.vars[id.Name] = v
		c.p.Variables = append(c.p.Variables, id.Name)
	}
	c.define(s, id, id.Name, v)
}

// substitute is what a constant or variable of an instance's module represents:
// what WITH says, else what has its name where the INSTANCE is.
func (c *context) substitute(s *scope, name string, arity int) symbol {
	if sym := c.with[name]; sym != nil {
		return sym
	}
	sym := c.implicit.lookup(name)
	if sym == nil {
		c.implicit.refuse(c.at, "the instance of %s needs a substitution for %s", s.mod.syn.Name, name)
	}
	return sym
}

// extend takes over what a module defines, but what is LOCAL.
func (c *context) extend(s *scope, ext syntax.Ident) {
	m := c.p.find(s, ext.Name, &ext)
	if m == nil {
		if ext.Name == "RealTime" {
			s.refuse(&ext, "the module RealTime is not supported: there are no real numbers, and its variable now has no value")
		}
		c.natively(s, ext.Name)
		return
	}
	from := c.done[m]
	if from == nil {
		from = newScope(s.fn, m)
		c.build(from, m)
	}
	c.take(s, &ext, from)
}

func (c *context) take(s *scope, n syntax.Node, from *scope) {
	for name, sym := range from.names {
		if from.hide[name] {
			continue
		}
		c.p.merge(s, n, name, sym, from.mod.syn.Name)
	}
}

// merge takes over a symbol of another module. Of two definitions the first stays,
// as in SANY.
func (p *Program) merge(s *scope, n syntax.Node, name string, sym symbol, module string) {
	old, ok := s.names[name]
	switch {
	case !ok:
		s.add(name, sym)
	case sameSymbol(old, sym):
	case p.passedOn(old):
		s.add(name, sym)
	case parameters(old) < 0 || parameters(sym) < 0:
		s.refuse(n, "%s is defined twice: also in %s", name, module)
	}
}

// parameters is how many parameters an operator has; -1 where it is none.
func parameters(sym symbol) int {
	switch sym := sym.(type) {
	case *definition:
		return len(sym.params)
	case *Native:
		return sym.Arity
	}
	return -1
}

// sameSymbol reports whether two symbols are of one definition.
func sameSymbol(a, b symbol) bool {
	if a == b {
		return true
	}
	x, ok := a.(*definition)
	y, also := b.(*definition)
	if ok && also {
		return x.syn == y.syn
	}
	if v, ok := a.(*variable); ok {
		w, ok := b.(*variable)
		return ok && v.n == w.n
	}
	n, ok := a.(*Native)
	m, also := b.(*Native)
	return ok && also && n.Name == m.Name
}

// instantiating are the community modules that had LOCAL INSTANCE where they have EXTENDS in
// newer releases: modules written for the older ones may define what they pass on.
var instantiating = map[string]bool{"SequencesExt": true, "FiniteSetsExt": true, "Functions": true, "Graphs": true, "Relation": true}

// passedOn reports whether a symbol is there only because a community module passes it on.
func (p *Program) passedOn(sym symbol) bool {
	nat, ok := sym.(*Native)
	return ok && !p.direct[nat]
}

// natively takes over what a native module defines.
func (c *context) natively(s *scope, module string) {
	for _, nat := range exported(module) {
		if !instantiating[module] || !c.instance && slices.Contains(natives()[module].ops, nat) {
			c.p.direct[nat] = true
		}
		if old, ok := s.names[nat.Name]; ok && parameters(old) >= 0 {
			continue
		}
		s.names[nat.Name] = nat
		if by := c.p.override[nat.Name]; by != nil {
			s.names[nat.Name] = by
		}
		if by := c.p.override[s.mod.syn.Name+"!"+nat.Name]; by != nil {
			s.names[nat.Name] = by
		}
	}
}
