package eval

import (
	"cmp"
	"slices"
	"strings"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Why finds out why no step is possible: the conjuncts that each action gets past,
// and the one that stops it.
type Why struct {
	// Full asks for more: the values of the clauses that held, and how those fare that
	// come after the first that failed.
	Full bool

	trail
	of     *outline
	held   []noted
	says   int // how much the held clauses compare with the line
	best   []*Attempt
	beyond *beyond // nil: no clause of the path has failed
}

// noted is a clause that holds.
type noted struct {
	Clause
	x *expr
	f *frame
}

// trail is the disjuncts that the current path has taken, the outermost first.
type trail struct{ taken []syntax.Node }

// begin explains the formula of the outline until the end is called.
func (w *Why) begin(r *Run, of *outline) (end func()) {
	w.of = of
	r.why, r.trail = w, &w.trail
	return func() { r.why, r.trail, w.taken = nil, nil, nil }
}

// Clause is a conjunct of the text.
type Clause struct {
	Text   string
	Place  string // file:line:column
	Values string // what it reads, of one that does not hold
	Holds  bool
}

// Attempt is how far an action got: the clauses that held, and the first that did
// not.
type Attempt struct {
	Action string
	Held   []Clause
	Failed Clause
	// Says is how much the clauses say that held: 2 of each that compares a value of
	// the next state that is given, 1 of a test in the state before, 0 of one that
	// gives a variable its value.
	Says int

	Beyond  []Clause      // that come after, with Full, on the path that breaks the fewest
	Stopped string        // the error that ends Beyond; "": none
	Made    []value.Value // of the next state by the place of the variable; nil where none is given
}

func (a *Attempt) before(says, held int) bool {
	return a.Says > says || a.Says == says && len(a.Held) >= held
}

// Attempts are those that were made, the one that got furthest first.
func (w *Why) Attempts() []*Attempt {
	list := slices.Clone(w.best)
	slices.SortStableFunc(list, func(a, b *Attempt) int {
		return cmp.Or(b.Says-a.Says, len(b.Held)-len(a.Held))
	})
	return list
}

// Explain is Successors, and records why clauses fail. Steps that next does not let
// pass count as failed, too.
func (s *Spec) Explain(r *Run, from *State, why *Why, yield func(*State) bool) error {
	end := why.begin(r, s.nextOutline())
	defer end()
	return s.steps(r, from, func(st *State) bool {
		if why.beyond != nil {
			return why.beyond.whole(st)
		}
		return yield(st)
	})
}

// steps yields each state that a step leads to which the action constraints allow, as
// part of it.
func (s *Spec) steps(r *Run, from *State, yield func(*State) bool) error {
	return r.protect(func() {
		r.cur, r.next, r.initial = from, s.NewState(), false
		list := slices.Clone(s.next)
		for i := range s.ActionConstraints {
			list = append(list, s.ActionConstraints[i].x)
		}
		s.conjunction(r, list, func() bool { return yield(s.complete(r.next, "next")) })
	})
}

// test notes a clause, and goes on if it holds.
func (w *Why) test(r *Run, x *expr, f *frame, holds bool, on func(*Run) bool) bool {
	says := 1
	if x.level >= action {
		says = 2
	}
	return w.note(r, x, f, holds, says, on)
}

// assigned notes a clause that gives a variable its value.
func (w *Why) assigned(r *Run, x *expr, f *frame, on func(*Run) bool) bool {
	return w.note(r, x, f, true, 0, on)
}

func (w *Why) note(r *Run, x *expr, f *frame, holds bool, says int, on func(*Run) bool) bool {
	if op, ok := x.syn.(*syntax.Op); ok && holds && op.Name.Name == "TRUE" {
		return on(r) // says nothing
	}
	c := Clause{Text: r.text(x), Place: x.scope.place(x.syn).String(), Holds: holds}
	if x.unchanged {
		c.Text = "UNCHANGED " + c.Text
	}
	if w.beyond != nil {
		return w.beyond.note(r, noted{c, x, f}, on)
	}
	if holds {
		w.held = append(w.held, noted{c, x, f})
		w.says += says
		ok := on(r)
		w.held = w.held[:len(w.held)-1]
		w.says -= says
		return ok
	}
	name := w.of.action(w.taken).Name
	i := slices.IndexFunc(w.best, func(a *Attempt) bool { return a.Action == name })
	switch {
	case i < 0:
		w.best = append(w.best, &Attempt{Action: name})
		i = len(w.best) - 1
	case w.best[i].before(w.says, len(w.held)):
		return true
	}
	c.Values = r.reads(x, f)
	w.fill(r, w.best[i], c)
	if w.Full && on != nil {
		w.goBeyond(r, w.best[i], on)
	}
	return true
}

// fill takes over how far the current path got.
func (w *Why) fill(r *Run, a *Attempt, failed Clause) {
	a.Failed, a.Says = failed, w.says
	a.Held, a.Beyond, a.Stopped, a.Made = nil, nil, "", nil
	for _, h := range w.held {
		if w.Full {
			h.Values = r.reads(h.x, h.f)
		}
		a.Held = append(a.Held, h.Clause)
	}
	if r.next != nil {
		a.Made = slices.Clone(r.next.Vals)
	}
}

// Path is the current path as an attempt that fails nowhere: when a state is yielded.
func (w *Why) Path(r *Run) *Attempt {
	a := &Attempt{Action: w.of.action(w.taken).Name}
	w.fill(r, a, Clause{})
	return a
}

// exists notes a quantifier of which no element is tried.
func (w *Why) exists(r *Run, x *expr, f *frame, try func(any func()) bool) bool {
	any := false
	on := try(func() { any = true })
	if !any {
		w.test(r, x, f, false, nil)
	}
	return on
}

// mostReads bounds the values that a clause shows.
const mostReads = 6

// mostConstant bounds the characters of a constant that is shown.
const mostConstant = 200

// reads shows what an expression reads.
func (r *Run) reads(x *expr, f *frame) string {
	var parts []string
	seen := map[string]bool{}
	var walk func(n syntax.Expr, primed bool)
	show := func(n syntax.Expr) {
		text := r.Text(x.scope.mod.syn.File, n.Place())
		if seen[text] || len(parts) == mostReads {
			return
		}
		seen[text] = true
		leaf := r.shown(x.scope, n)
		if leaf == nil {
			return // the name of an operator
		}
		fork := r.Fork()
		err := fork.protect(func() {
			g := f
			if more := x.scope.fn.slots - len(f.vals); more > 0 { // for names that it binds
				g = &frame{append(slices.Clone(f.vals), make([]any, more)...), f.up}
			}
			is := value.Show(leaf.code(fork, g))
			if leaf.level == constant && len(is) > mostConstant {
				return // such as the whole log
			}
			parts = append(parts, text+" = "+is)
			if x.unchanged {
				fork.primed(func() { parts = append(parts, text+"' = "+value.Show(leaf.code(fork, g))) })
			}
		})
		_ = err // one that has no value is left out
	}
	walk = func(n syntax.Expr, primed bool) {
		switch n := n.(type) {
		case *syntax.Paren:
			walk(n.Expr, primed)
		case *syntax.Op:
			if n.Name.Name == "'" || len(n.Args) == 0 && len(n.Prefix) == 0 {
				if builtins[n.Name.Name] == nil || n.Name.Name == "'" {
					show(n)
				}
				return
			}
			if builtins[n.Name.Name] == nil && !symbolic(n.Name.Name) {
				show(n)
			}
			for _, a := range n.Args {
				walk(a, primed)
			}
		case *syntax.FcnApply, *syntax.Dot:
			show(n)
		case *syntax.Junction:
			for _, item := range n.Items {
				walk(item, primed)
			}
		case *syntax.Quant:
			for i := range n.Bounds {
				walk(n.Bounds[i].Set, primed)
			}
		case *syntax.Except:
			walk(n.Fcn, primed)
			for i := range n.Updates {
				for _, step := range n.Updates[i].Path {
					for _, at := range step.Index {
						walk(at, primed)
					}
				}
				walk(n.Updates[i].Value, primed)
			}
		case *syntax.Tuple:
			for _, item := range n.Items {
				walk(item, primed)
			}
		case *syntax.SetEnum:
			for _, item := range n.Items {
				walk(item, primed)
			}
		case *syntax.If:
			walk(n.Cond, primed)
		}
	}
	walk(x.syn, false)
	return strings.Join(parts, ", ")
}

// shown compiles a piece of an expression; nil where it is none by itself.
func (p *Program) shown(s *scope, n syntax.Expr) (x *expr) {
	known := len(p.problems)
	if x = p.expr(s, n); len(p.problems) > known {
		p.problems = p.problems[:known]
		return nil
	}
	return x
}

// symbolic reports whether an operator's name is no word.
func symbolic(name string) bool {
	c := name[0]
	return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_')
}
