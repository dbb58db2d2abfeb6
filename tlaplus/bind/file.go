package bind

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"tracecheck/internal/yamldoc"
	"tracecheck/tlaplus/syntax"
)

// fileKeys are those of a bind file.
var (
	fileKeys = []string{"module", "config", "module_path", "header", "constants", "init", "stream", "when", "event", "args", "actions", "observe", "before",
		"silent", "sets", "functions", "null", "preset", "order", "objects", "present", "environment", "open", "whole", "throughout", "refused", "required"}
	actionKeys = []string{"do", "with", "where"}
	silentKeys = []string{"actions", "depth"}
	orderKeys  = []string{"clock", "node"}
)

// file is a bind file as it is written.
type file struct {
	name string
	text []byte

	module, config string
	path           []string
	header         string // a file; "": none, or firstLine
	headerLine     bool   // each stream's first line is its header
	constants      []named
	init           *expr // nil: as the cfg states
	initLine       bool  // each stream's first line has its first state
	stream         *expr
	clock, node    *expr // of order; nil: the lines' own
	when           *expr
	event          *expr
	args           *expr
	actions        map[string]*action
	observe        []pair
	before         []pair
	silent         []*expr
	depth          int
	sets           []string
	functions      []string
	null           *expr
	preset         string

	objects     []objectKind // of a log in the trace format; nil: of another log
	snapshots   bool         // these give the first state
	present     []string     // the kinds whose objects are there from the start
	environment []string     // the kinds whose objects come and go without a step
	open        []pair       // variables, and the values that they may have after snapshots
	whole       []*expr      // the variables whose value is one object

	throughout []*expr      // what is true of all states on the way of a batched step
	refused    []objectKind // of each kind's reject lines: the rules that justify them

	required map[string][]string // of each kind: the fields that its create and snapshot lines have
}

// objectKind is a kind of objects, with expressions: what fields are that no line gives, or
// the rules of reject lines.
type objectKind struct {
	name   string
	fields []named
}

// expr is an expression of the file.
type expr struct {
	text string
	syn  syntax.Expr
}

type named struct {
	name string
	x    *expr
}

// pair is an expression that equals another one.
type pair struct{ of, is *expr }

// action is what an event represents.
type action struct {
	event string
	do    *expr
	with  []named
	where *expr
}

// parser reads one bind file.
type parser struct {
	yamldoc.Reader
	f   *file
	bad syntax.Errors
}

// The values of keys that are no expressions.
const (
	firstLine = "first line"
	snapshots = "snapshots"
	lbinria   = "lbinria"
)

// parse reads a bind file. The error has all faults, each with its place.
func parse(name string, text []byte) (*file, error) {
	root, err := yamldoc.Document(name, text)
	switch {
	case strings.HasSuffix(name, ".tla"):
		return nil, fmt.Errorf("%s is a TLA+ module, not a bind file: write a file that names it (`tracecheck help bind`). Only a module that reads the log itself is given with --module", name)
	case err != nil:
		return nil, err
	case root == nil:
		return nil, fmt.Errorf("%s: the file is empty: it needs a module", name)
	case yamldoc.Has(root, "rules"):
		return nil, fmt.Errorf("%s has rules, and is not a bind file: give it with --map", name)
	}
	p := &parser{Reader: yamldoc.Reader{File: name}, f: &file{name: name, text: text, actions: map[string]*action{}}}
	p.file(root)
	if err := errors.Join(p.Err(), p.f.marked(p.bad)); err != nil {
		return nil, err
	}
	return p.f, nil
}

func (p *parser) file(root *yaml.Node) {
	f := p.f
	pairs := p.Pairs(root, "the file", fileKeys)
	for _, m := range pairs {
		switch n := m.Value; m.Name {
		case "module":
			f.module = p.beside(p.Text(n, m.Name))
		case "config":
			f.config = p.beside(p.Text(n, m.Name))
		case "module_path":
			for _, dir := range p.texts(n, m.Name) {
				f.path = append(f.path, p.beside(dir))
			}
		case "header":
			if f.header = p.Text(n, m.Name); f.header == firstLine {
				f.header, f.headerLine = "", true
			} else {
				f.header = p.beside(f.header)
			}
		case "constants":
			f.constants = p.named(n, m.Name)
			for _, c := range f.constants {
				if name, params := operator(c.name); !isName(name) || slices.ContainsFunc(params, func(of string) bool { return !isName(of) }) {
					p.Fault(n, "%q is neither a name nor an operator such as F(x, y)", c.name)
				}
			}
		case "init":
			switch n.Value {
			case firstLine:
				f.initLine = true
			case snapshots:
				f.snapshots = true
			default:
				f.init = p.expr(n, m.Name)
			}
		case "stream":
			f.stream = p.expr(n, m.Name)
		case "when":
			f.when = p.expr(n, m.Name)
		case "event":
			f.event = p.expr(n, m.Name)
		case "args":
			f.args = p.expr(n, m.Name)
		case "actions":
			for _, a := range p.Pairs(n, m.Name, nil) {
				f.actions[a.Name] = p.action(a)
			}
		case "observe":
			f.observe = p.pairs(n, m.Name)
		case "before":
			f.before = p.pairs(n, m.Name)
		case "silent":
			p.silent(n)
		case "sets":
			f.sets = p.paths(n, m.Name)
		case "functions":
			f.functions = p.paths(n, m.Name)
		case "null":
			f.null = p.expr(n, m.Name)
		case "preset":
			if f.preset = p.Text(n, m.Name); f.preset != lbinria && f.preset != "" {
				p.Fault(n, "there is no preset %q: %s is one", f.preset, lbinria)
			}
		case "objects":
			f.objects = p.kinds(n, m.Name)
		case "refused":
			f.refused = p.kinds(n, m.Name)
		case "required":
			f.required = map[string][]string{}
			for _, k := range p.Pairs(n, m.Name, nil) {
				f.required[k.Name] = p.texts(k.Value, k.Name)
			}
		case "present":
			f.present = p.texts(n, m.Name)
		case "environment":
			f.environment = p.texts(n, m.Name)
		case "open":
			f.open = p.pairs(n, m.Name)
		case "whole":
			f.whole = p.exprs(n, m.Name)
		case "throughout":
			f.throughout = p.exprs(n, m.Name)
		case "order":
			p.order(n)
		}
	}
	if f.module == "" {
		p.Fault(root, "the file names no module")
	}
	if f.headerLine && f.initLine {
		p.Fault(root, "the first line is either the header or the first state, not both")
	}
	p.aboutObjects(root, pairs)
}

// beside is a file's name, as it is found from the bind file's folder.
func (p *parser) beside(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(p.File), os.ExpandEnv(name))
}

// items reads the items of a list.
func items[T any](p *parser, n *yaml.Node, what string, read func(*yaml.Node, string) T) (list []T) {
	if n.Kind != yaml.SequenceNode {
		p.Fault(n, "%s is a list, not %s", what, yamldoc.Shape(n))
		return nil
	}
	for _, item := range n.Content {
		list = append(list, read(p.Visit(item), "an item of "+what))
	}
	return list
}

func (p *parser) exprs(n *yaml.Node, what string) []*expr { return items(p, n, what, p.expr) }

func (p *parser) texts(n *yaml.Node, what string) []string { return items(p, n, what, p.Text) }

// paths are texts such as header.nodes or e.log[*].peers.
func (p *parser) paths(n *yaml.Node, what string) []string {
	list := p.texts(n, what)
	for i, path := range list {
		if _, ok := steps(path); !ok && path != "" {
			p.Fault(n.Content[i], "%q is not a path: it begins with e or header, followed by .field or [*], as in e.log[*].peers", path)
		}
	}
	return list
}

func (p *parser) named(n *yaml.Node, what string) (list []named) {
	for _, m := range p.Pairs(n, what, nil) {
		list = append(list, named{m.Name, p.expr(m.Value, m.Name)})
	}
	return list
}

// operator is the name of what is defined, with its parameters.
func operator(text string) (name string, params []string) {
	name, list, is := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	if !is || !strings.HasSuffix(text, ")") {
		return text, nil
	}
	for _, of := range strings.Split(list, ",") {
		params = append(params, strings.TrimSpace(of))
	}
	return name, params
}

// isName reports whether a text is an identifier of TLA+.
func isName(text string) bool {
	n, err := syntax.ParseExpr("a name", []byte(text))
	op, ok := n.(*syntax.Op)
	return err == nil && ok && len(op.Args)+len(op.Prefix) == 0 && op.Name.Name == text
}

func (p *parser) kinds(n *yaml.Node, what string) (list []objectKind) {
	for _, m := range p.Pairs(n, what, nil) {
		list = append(list, objectKind{m.Name, p.named(m.Value, m.Name)})
	}
	return list
}

func (p *parser) pairs(n *yaml.Node, what string) (list []pair) {
	for _, m := range p.Pairs(n, what, nil) {
		list = append(list, pair{p.expr(m.Key, "a key of "+what), p.expr(m.Value, m.Name)})
	}
	return list
}

func (p *parser) action(m yamldoc.Pair) *action {
	a := &action{event: m.Name}
	if m.Value.Kind != yaml.MappingNode {
		a.do = p.expr(m.Value, m.Name)
		return a
	}
	for _, k := range p.Pairs(m.Value, "an action", actionKeys) {
		switch k.Name {
		case "do":
			a.do = p.expr(k.Value, k.Name)
		case "with":
			a.with = p.named(k.Value, k.Name)
		case "where":
			a.where = p.expr(k.Value, k.Name)
		}
	}
	if a.do == nil {
		p.Fault(m.Key, "the action of %s has no do", m.Name)
	}
	return a
}

func (p *parser) silent(n *yaml.Node) {
	p.f.depth = 1
	for _, m := range p.Pairs(n, "silent", silentKeys) {
		switch m.Name {
		case "actions":
			p.f.silent = p.exprs(m.Value, "the silent actions")
		case "depth":
			if err := m.Value.Load(&p.f.depth); err != nil || p.f.depth < 1 || p.f.depth > mostSilent {
				p.Fault(m.Value, "depth is a number from 1 to %d: of silent steps before a line, at most", mostSilent)
			}
		}
	}
	if p.f.silent == nil {
		p.Fault(n, "silent has actions: a list of those that no line records")
	}
}

func (p *parser) order(n *yaml.Node) {
	for _, m := range p.Pairs(n, "order", orderKeys) {
		switch x := p.expr(m.Value, m.Name); m.Name {
		case "clock":
			p.f.clock = x
		case "node":
			p.f.node = x
		}
	}
	if (p.f.clock == nil) != (p.f.node == nil) {
		p.Fault(n, "order has a clock and a node: the line's vector clock, and whose line it is")
	}
}

// mostSilent bounds the silent steps before a line.
const mostSilent = 100

// marked are errors in the expressions, each with the line that it is in.
func (f *file) marked(list syntax.Errors) error {
	var all []error
	list = slices.CompactFunc(list, func(a, b *syntax.Error) bool { return *a == *b })
	for _, e := range list {
		if e.File == f.name {
			all = append(all, fmt.Errorf("%w%s", e, underlined(f.text, e.Span)))
		} else {
			all = append(all, e)
		}
	}
	return errors.Join(all...)
}
