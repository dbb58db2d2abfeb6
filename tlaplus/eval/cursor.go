package eval

import (
	"fmt"
	"maps"
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Cursor is how a trace spec goes through its log. A variable, TLCGet("level") or another
// expression may index a constant sequence, or one may have the unread lines.
type Cursor struct {
	Name     string // of the sequence
	Variable int    // by place; -1: there is none
	Log      []value.Value

	shifts []int64  // what is added to the variable where the text indexes the sequence, in order
	shift  int64    // that of the line to be read next, once an initial state is known
	at     *Formula // the other expression, or the one that has the unread lines; nil: none, or not known yet
	rests  []unread // the text takes their first element: one of them may have the unread lines
	begun  bool
}

// unread is an expression that may have the unread lines.
type unread struct {
	name string
	of   *Formula
}

// Read is how many lines a state has read; 0 where an index has no such value there. By the
// level, that is one less than level. The first state to ask about is an initial one. Of
// Log[l] and Log[l + 1], the text reads with the one that is a line even there. Of the
// expressions with unread lines, the longest counts.
func (c *Cursor) Read(r *Run, st *State, level int) int {
	if !c.begun {
		c.begin(r, st)
	}
	var at value.Value
	switch {
	case c.Variable >= 0:
		at = st.Vals[c.Variable]
	case c.at != nil:
		at, _ = r.Value(c.at, st) // an error is for the action that reads the line
	default:
		return level - 1
	}
	switch at := at.(type) {
	case value.Int:
		return max(int(at)+int(c.shift)-1, 0)
	case *value.Tuple:
		return max(len(c.Log)-len(at.Elems), 0)
	}
	return 0
}

func (c *Cursor) begin(r *Run, st *State) {
	c.begun = true
	for _, rest := range c.rests {
		v, _ := r.Value(rest.of, st)
		if t, ok := v.(*value.Tuple); ok && len(t.Elems) > len(c.Log) {
			c.Name, c.Log, c.at = rest.name, t.Elems, rest.of
		}
	}
	if c.Variable < 0 {
		return
	}
	at, _ := st.Vals[c.Variable].(value.Int)
	c.shift = c.shifts[len(c.shifts)-1]
	for _, shift := range c.shifts {
		if int64(at)+shift >= 1 {
			c.shift = shift
			break
		}
	}
}

// Known reports whether there is a log. Of a variable with the rest of the log, that is known
// once an initial state is.
func (c *Cursor) Known() bool { return c != nil && (c.rests == nil || len(c.Log) > 0) }

// Show shows a line of the log, as the text names it.
func (c *Cursor) Show(line int) string {
	name := fmt.Sprintf("%s[%d]", c.Name, line)
	if c.rests != nil {
		name = "Head(" + c.Name + ")"
	}
	return name + " = " + value.Show(c.Log[line-1])
}

// Cursor finds what goes through the log, nil where nothing does.
func (s *Spec) Cursor(r *Run) *Cursor {
	f := finder{s: s, r: r, seen: map[string]bool{}}
	for _, list := range [][]Predicate{s.ActionConstraints, s.Constraints} {
		for i := range list {
			f.walk(list[i].x.scope, list[i].x.syn, nil)
		}
	}
	for _, x := range s.next {
		f.walk(x.scope, x.syn, nil)
	}
	if c := f.best(); c != nil {
		return c
	}
	firsts := f.firsts // of the next-state relation alone
	for _, name := range slices.Sorted(maps.Keys(s.root.scope.names)) {
		if d, ok := s.root.scope.names[name].(*definition); ok {
			f.enter(d, nil)
		}
	}
	if c := f.best(); c != nil {
		return c
	}
	f.firsts = firsts
	return f.other()
}

// best is the variable that indexes the longest sequence, or the level.
func (f *finder) best() *Cursor {
	var best *Cursor
	for _, in := range f.found {
		switch {
		case best == nil || best.Variable < 0 && in.variable >= 0 || (best.Variable < 0) == (in.variable < 0) && len(in.log) > len(best.Log):
			best = &Cursor{Name: in.name, Variable: in.variable, Log: in.log, shifts: []int64{in.shift}}
		case best.Variable == in.variable && len(best.Log) == len(in.log):
			best.shifts = append(best.shifts, in.shift)
		}
	}
	if best != nil {
		slices.Sort(best.shifts)
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
