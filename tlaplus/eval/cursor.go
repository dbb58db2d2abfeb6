package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Cursor is how a trace spec goes through its log: by a variable that indexes a
// constant sequence, or by TLCGet("level").
type Cursor struct {
	Name     string // of the sequence
	Variable int    // by place; -1: the level
	Log      []value.Value
}

// Cursor finds what indexes the log, nil where nothing does.
func (s *Spec) Cursor(r *Run) *Cursor {
	f := finder{s: s}
	var mods []string
	for name := range s.files {
		mods = append(mods, name)
	}
	slices.Sort(mods)
	for _, name := range mods {
		if m := s.files[name]; m.Name == s.Root || s.inRoot(m.Name) {
			for _, u := range m.Units {
				if d, ok := u.(*syntax.OpDef); ok {
					f.params = d.Params
					f.levels = map[string]bool{}
					f.walk(d.Body)
				}
			}
		}
	}
	best := (*Cursor)(nil)
	for _, c := range f.found {
		log, ok := s.sequence(r, c.log)
		if !ok {
			continue
		}
		if best == nil || best.Variable < 0 && c.variable >= 0 || len(log) > len(best.Log) && (best.Variable < 0) == (c.variable < 0) {
			best = &Cursor{c.log, c.variable, log}
		}
	}
	return best
}

// Stops reports whether the text can stop the search: it has TLCSet("exit", …).
func (s *Spec) Stops() bool {
	found := false
	var walk func(n syntax.Node)
	walk = func(n syntax.Node) {
		if op, ok := n.(*syntax.Op); ok && op.Name.Name == "TLCSet" && len(op.Args) == 2 {
			what, ok := unparen(op.Args[0]).(*syntax.String)
			found = found || ok && what.Value == "exit"
		}
		syntax.Children(n, walk)
	}
	for _, m := range s.files {
		for _, u := range m.Units {
			walk(u)
		}
	}
	return found
}

// inRoot reports whether what the module defines is the root module's, too.
func (s *Spec) inRoot(name string) bool {
	m := s.files[name]
	for _, u := range m.Units {
		if d, ok := u.(*syntax.OpDef); ok {
			// The cfg may replace some of them.
			if sym, _ := s.root.scope.names[d.Name.Name].(*definition); sym != nil && sym.syn == syntax.Node(d) {
				return true
			}
		}
	}
	return false
}

type indexed struct {
	log      string
	variable int
}

type finder struct {
	s      *Spec
	params []syntax.Param
	levels map[string]bool // names of a LET that are the level
	found  []indexed
}

// sequence is the value of a constant definition, where it is a sequence.
func (s *Spec) sequence(r *Run, name string) ([]value.Value, bool) {
	d, ok := s.root.scope.names[name].(*definition)
	if !ok || len(d.params) > 0 || d.body().level != constant {
		return nil, false
	}
	var log []value.Value
	err := r.Fork().protect(func() {
		x := s.compileIn(s.root.scope, &syntax.Op{Span: d.syn.Place(), Name: syntax.Ident{Span: d.syn.Place(), Name: name}})
		if t, isTuple := x.code(r, x.frame(nil)).(*value.Tuple); isTuple {
			log = t.Elems
		}
	})
	return log, err == nil && log != nil
}

// level reports whether the expression is TLCGet("level").
func (f *finder) level(n syntax.Expr) bool {
	op, ok := unparen(n).(*syntax.Op)
	if !ok {
		return false
	}
	if len(op.Args) == 0 {
		return f.levels[op.Name.Name]
	}
	arg, ok := op.Args[0].(*syntax.String)
	return op.Name.Name == "TLCGet" && ok && arg.Value == "level"
}

func (f *finder) walk(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.FcnApply:
		if log, ok := unparen(n.Fcn).(*syntax.Op); ok && len(log.Args) == 0 && len(n.Args) == 1 {
			if at, ok := unparen(n.Args[0]).(*syntax.Op); ok && len(at.Args) == 0 && len(at.Prefix) == 0 {
				if v, ok := f.s.vars[at.Name.Name]; ok {
					f.found = append(f.found, indexed{log.Name.Name, v.n})
				}
			}
			if f.level(n.Args[0]) {
				f.found = append(f.found, indexed{log.Name.Name, -1})
			}
		}
	case *syntax.Let:
		for _, u := range n.Defs {
			if d, ok := u.(*syntax.OpDef); ok && len(d.Params) == 0 && f.level(d.Body) {
				f.levels[d.Name.Name] = true
			}
		}
	}
	syntax.Children(n, f.walk)
}
