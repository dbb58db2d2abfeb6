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

	"tracecheck/internal/files"
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

	texts     map[string][]string         // the lines of each file
	order     []string                    // the files, as they have been read
	assumed   map[value.Value]value.Value // the registers that the assumptions have set
	files     map[string]*syntax.Module
	path      []string // the folders where modules are looked up
	root      *module
	extended  map[*syntax.Module]bool // by the root module
	building  []*syntax.Module        // each by way of the one before it
	vars      map[string]*variable
	own       map[string]*variable // of modules that are instances, as ENABLED needs them
	constants map[string]bool
	override  map[string]symbol // what the cfg gives for a name: by "name", "instance!name" and "[module]name"
	assumes   []assume
	pieces    map[pieceKey]target
	leads     map[syntax.Expr]map[syntax.Node]bool
	scopes    []*scope      // of all modules
	problems  syntax.Errors // found so far
	checking  bool          // all definitions are compiled, also those that nothing uses
	cfgFile   string
	deadlock  bool // the cfg has it checked

	mostWork    int
	without     Shortcuts
	differences value.Differences
	filters     map[*syntax.SetFilter]*index
	interrupted func() bool
	filtered    bool       // a value.Filter has been made
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
		Space: cmp.Or(o.Space, value.NewSpace()), files: map[string]*syntax.Module{}, vars: map[string]*variable{}, own: map[string]*variable{}, constants: map[string]bool{},
		path: append([]string{filepath.Dir(file)}, o.Path...), override: map[string]symbol{},
		pieces: map[pieceKey]target{}, filters: map[*syntax.SetFilter]*index{}, leads: map[syntax.Expr]map[syntax.Node]bool{}, ReadFile: o.ReadFile, Env: o.Env, printer: o.Print, mostWork: o.MostWork, without: o.Without, differences: value.Differences{Plain: o.Without&Comparisons != 0}, interrupted: o.Interrupted,
		texts: map[string][]string{}, assumed: map[value.Value]value.Value{}, extended: map[*syntax.Module]bool{},
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
	s := &scope{names: map[string]symbol{}, hide: map[string]bool{}, passed: map[string]bool{}, given: map[string]bool{}, own: map[string]symbol{}, since: map[string]int{}, fn: fn}
	s.mod = &module{syn: m, scope: s}
	return s
}

func (p *Program) read(file string) (*syntax.Module, error) {
	text, err := files.Read(file, files.Document)
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

// ofFile is the module of that name that has a file, or is in that of the root module; nil:
// there is none.
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
	if natives()[name] != nil || p.order == nil {
		return nil, nil
	}
	root := p.order[0]
	m, err := syntax.ParseModule(root, []byte(strings.Join(p.texts[root], "\n")), name)
	if m != nil {
		p.files[m.Name] = m
	}
	return m, err
}

func nearestModule(name string) string {
	for _, known := range slices.Sorted(maps.Keys(natives())) {
		if distance(known, name) <= 2 {
			return "; did you mean " + known + "?"
		}
	}
	return ""
}
