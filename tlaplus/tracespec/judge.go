package tracespec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracecheck/internal/files"
	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/validators"
)

// Options say what is judged.
type Options struct {
	Module    string            // the file of the trace spec
	Config    string            // its cfg; "": the module's name with .cfg
	Path      []string          // further folders with modules
	Env       map[string]string // what IOEnv has
	AnyPath   bool              // one path that breaks an invariant is a violation
	MaxStates int               // states that the search makes at most; 0: DefaultStates
	Print     func(string)      // of Print and PrintT; nil: nothing
	Plain     bool              // invariants are evaluated in full in each state: slower, with the same result
	Progress  func(Progress)    // is called often, during the search; nil: nothing

	Better func(reason string) string // a better reason why the log cannot be read, "" if there is none; nil: there is none

	work int // the bound on the work; 0: by MaxStates
}

// Progress is how far a search has come.
type Progress struct {
	Lines    int // of the log that the furthest path consumed
	Total    int // that the log has; -1: not known
	Frontier int // states whose successors are still to be made
	States   int // made
}

// DefaultStates and DefaultWork bound the search, where the options do not: a
// matter of seconds.
const (
	DefaultStates = 1_000_000
	DefaultWork   = 12_000_000
)

// mostWork bounds the evaluation. Who asks for a number of states gets the time for
// them: stateWork each, which is much for a state.
func (o *Options) mostWork() int {
	switch {
	case o.work > 0:
		return o.work
	case o.MaxStates <= 0:
		return DefaultWork
	}
	return max(DefaultWork, min(o.MaxStates, math.MaxInt/stateWork)*stateWork)
}

const stateWork = 12_000

// Kind is what a violation is of.
type Kind string

// The kinds.
const (
	Transition Kind = "transition"
	Invariant  Kind = "invariant"
	Property   Kind = "property"
)

// Result is what was found.
type Result struct {
	Module   string
	Accepted bool
	Unusable string // why there is no verdict; "": there is
	Partial  bool   // the search was interrupted
	Spec     *validators.Spec
	Notes    []string

	Kind    Kind // of a violation
	Rule    string
	Line    int // of the log, from 1: the first that no path explains, or that breaks the rule
	Lines   int // that the furthest path consumed
	Total   int // that the log has, as the spec reads it; -1: not known
	States  int // made
	Nearest []*eval.Attempt
	Before  []Binding // the state before the line, on one of the furthest paths; or of the step that breaks the rule
	Wrote   []Write   // the earlier steps that gave a variable of Before its value, the oldest first
	Reads   string    // the line of the violation, as the spec reads it; "": not known
	Text    string    // of a violation: the place of the rule in the text, file:line:column
	Ends    bool      // the violation is that a path ends, or enters a loop, before the line
	Paths   int       // how many states the furthest paths lead to

	is func(line int, raw []byte) bool // search.is; nil: the cursor is not known
}

// Binding is a variable's value.
type Binding struct {
	Name, Value string
	After       string // in the state after, as far as that was made; "": not known
}

// Write is a step that changes a variable.
type Write struct {
	Name, Value string // what it has after
	Line        int    // of the log
	Reads       string // the line, as the spec reads it; "": not known
}

// UsageError is an error in the options or in a text: nothing was judged.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Judge reads the module and its cfg, and judges the log. An error of type
// *UsageError means that they cannot be read. Where the context ends, so does the
// search: the result is partial.
func Judge(ctx context.Context, o Options) (*Result, error) {
	s, r, err := o.search(ctx)
	if s != nil {
		s.judge(r)
	}
	return r, err
}

// search prepares a search, with its result. It is nil where the assumptions do not
// hold, which the result says.
func (o Options) search(ctx context.Context) (*search, *Result, error) {
	cfg, err := o.cfg()
	if err != nil {
		return nil, nil, err
	}
	spec, err := o.load(ctx, cfg, false)
	if o.MaxStates <= 0 {
		o.MaxStates = DefaultStates
	}
	var bad *eval.Error
	switch {
	case errors.As(err, &bad):
		return nil, &Result{Module: moduleName(o.Module), Unusable: o.reason(err), Partial: bad.Msg == eval.Interrupted, Total: -1}, nil
	case err != nil:
		return nil, nil, &UsageError{err}
	}
	s := &search{Options: o, ctx: ctx, spec: spec, run: spec.NewRun(), index: map[uint64][]*node{}}
	return s, &Result{Module: spec.Root, Total: -1, Spec: describe(o, cfg, spec)}, nil
}

// cfg reads the cfg. Its error is a *UsageError.
func (o *Options) cfg() (*config.Config, error) {
	if o.Config == "" {
		o.Config = defaultConfig(o.Module)
	}
	text, err := files.Read(o.Config, files.Document)
	if _, none := os.Stat(o.Module); none != nil {
		return nil, &UsageError{fmt.Errorf("cannot read the module: %w: name its .tla file with --module", none)}
	}
	if err != nil && !strings.HasSuffix(o.Module, ".tla") {
		return nil, &UsageError{fmt.Errorf("%s is not a .tla file: name the module with --module, and the log after the flags", o.Module)}
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, &UsageError{fmt.Errorf("cannot read the module's cfg: %w: write it, or name another one with --config. A module that reads no log needs a bind file instead (`tracecheck help bind`)", err)}
	}
	if err != nil {
		return nil, &UsageError{fmt.Errorf("cannot read the module's cfg: %w", err)}
	}
	cfg, err := config.Parse(filepath.Base(o.Config), text)
	if err != nil {
		return nil, &UsageError{err}
	}
	return cfg, nil
}

func defaultConfig(module string) string { return strings.TrimSuffix(module, ".tla") + ".cfg" }

// load reads the module; shown: only to show it. Narrows may pass over an evaluation error,
// which TLC reports.
func (o *Options) load(ctx context.Context, cfg *config.Config, shown bool) (*eval.Spec, error) {
	return eval.LoadSpec(o.Module, cfg, eval.Options{Path: o.Path, Env: o.Env, ReadFile: Reader(o.Module), Print: o.Print, Unassumed: shown,
		Without: eval.Narrows, MostWork: o.mostWork(), Interrupted: func() bool { return ctx.Err() != nil }})
}

func moduleName(module string) string { return strings.TrimSuffix(filepath.Base(module), ".tla") }

// Reader reads files that the module names: in the working directory, or beside the module.
func Reader(module string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		data, err := files.Read(name, files.Log)
		if errors.Is(err, os.ErrNotExist) && !filepath.IsAbs(name) {
			if beside, also := files.Read(filepath.Join(filepath.Dir(module), name), files.Log); also == nil {
				return beside, nil
			}
		}
		return data, err
	}
}

// judge searches, and asks the spec for its verdict.
func (s *search) judge(r *Result) {
	s.cursor = s.spec.Cursor(s.run)
	s.answer()
	err := s.all()
	if s.cursor.Known() {
		r.Total, r.is = len(s.cursor.Log), s.is
	}
	r.States, r.Lines = s.generated, s.furthest
	s.paths = s.ends
	if s.AnyPath && s.any != nil && s.ctx.Err() == nil {
		err = nil // TLC ends with the first violation
	}
	if err == nil {
		err = s.verdict(r)
	}
	if err != nil {
		var bad *eval.Error
		if errors.As(err, &bad) && bad.Msg == eval.Interrupted {
			err = errInterrupted
		}
		r.Unusable, r.Partial = s.unusable(err), errors.Is(err, errInterrupted)
	}
}

func (s *search) unusable(err error) string {
	var bad *eval.Error
	tired := errors.As(err, &bad) && bad.Msg == eval.OutOfWork
	if errors.Is(err, errStates) || tired {
		text := fmt.Sprintf("the search ended without an answer after %d states: the furthest path explains %d lines of the log; raise --max-states",
			s.generated, s.furthest)
		if tired && s.run.Work-s.spent > s.run.MostWork/2 { // most of it since the last state
			text += fmt.Sprintf(". The evaluation at %s is long", bad.Place)
		}
		return text
	}
	if errors.Is(err, errInterrupted) {
		return fmt.Sprintf("the search was interrupted after %d states: the furthest path explains %d lines of the log", s.generated, s.furthest)
	}
	return s.reason(err)
}

// is reports whether the spec reads that line of the log as the file has it. It may sort or
// change the lines.
func (s *search) is(line int, raw []byte) bool {
	v, err := s.run.FromJSON(raw)
	return err == nil && value.Identical(v, s.cursor.Log[line-1])
}

// reason returns why there is no verdict, and what to do about it.
func (o *Options) reason(err error) string {
	text := err.Error()
	if o.Better == nil {
		return text
	}
	return cmp.Or(o.Better(text), text)
}

// verdict fills in what was found.
func (s *search) verdict(r *Result) error {
	accepted, err := s.accepted(r)
	if err != nil {
		return err
	}
	s.spare()
	ends := s.paths
	r.Paths = len(ends)
	if b := s.breach(ends); b != nil {
		r.Kind, r.Rule, r.Line, r.Text = b.kind, b.rule, b.line, b.text
		why := &eval.Why{}
		if err := s.refusal(b, why); err != nil {
			r.Notes = append(r.Notes, "the explanation ends with an error: "+err.Error())
		}
		r.Nearest, r.Reads, s.broken = why.Attempts(), s.reads(b.line), b
		if r.Before = s.bindings(b.before, b.after.state.Vals); b.before != nil {
			r.Wrote = s.wrote(b.before, Named(r.Nearest, 1), mostWrote)
		}
		return nil
	}
	if accepted && s.untested {
		return errUntested
	}
	if accepted {
		r.Accepted = true
		switch {
		case r.Total > 0 && s.furthest < r.Total && s.run.Exit:
			r.Notes = append(r.Notes, fmt.Sprintf("the spec accepts the log at line %d of %d: it has stopped the search itself", s.furthest, r.Total))
		case s.furthest == 0:
			r.Notes = append(r.Notes, "the spec accepts the log, and no line of it was judged: check that this is the right log")
		}
		return nil
	}
	if b := s.unmet; b != nil && r.Total > 0 && s.furthest >= r.Total {
		r.Kind, r.Rule, r.Line, r.Text, r.Before = b.kind, b.rule, b.line, b.text, s.bindings(b.before, nil)
		r.Notes = append(r.Notes, fmt.Sprintf("some path consumes the log; another ends, or enters a loop, after %d lines: %s does not hold of it", b.before.lines, b.rule))
		r.Ends = true
		why := &eval.Why{}
		if err := s.failure(b.before, why); err != nil {
			r.Notes = append(r.Notes, "the explanation ends with an error: "+err.Error())
		}
		r.Nearest = why.Attempts()
		return nil
	}
	r.Kind, r.Rule, r.Line = Transition, "Next", s.furthest+1
	if !s.cursor.Known() {
		r.Notes = append(r.Notes, "no variable of the module indexes a log: each step counts as a line")
	}
	r.Reads = s.reads(r.Line)
	why, says, held := &eval.Why{}, -1, -1
	for _, n := range s.ends[:min(len(s.ends), mostExplained)] {
		if err := s.failure(n, why); err != nil {
			r.Notes = append(r.Notes, "the explanation ends with an error: "+err.Error())
			break
		}
		if best := why.Attempts(); len(best) > 0 && (best[0].Says > says || best[0].Says == says && len(best[0].Held) > held) {
			says, held, s.nearest = best[0].Says, len(best[0].Held), n
		}
	}
	if s.nearest != nil {
		list := why.Attempts()
		r.Before, r.Wrote = s.bindings(s.nearest, nil), s.wrote(s.nearest, Named(list, 1), mostWrote)
	}
	if r.Nearest = why.Attempts(); len(r.Nearest) > 0 {
		r.Text = r.Nearest[0].Failed.Place
	}
	return nil
}

// reads is a line as the spec reads it, "" where it is not known.
func (s *search) reads(line int) string {
	if !s.cursor.Known() || line > len(s.cursor.Log) {
		return ""
	}
	return s.cursor.Show(line)
}

// unchanged compares by the values' hashes: they may be of different kinds.
func unchanged(a, b *node, i int) bool {
	was, is := a.state.Vals[i], b.state.Vals[i]
	return value.Same(was, is) || value.Hash(was) == value.Hash(is)
}

// mostWrote is how many of the steps that changed a variable are listed.
const mostWrote = 5

// mostExplained bounds the states that an explanation looks at.
const mostExplained = 50

// spare leaves a tenth of the work that is allowed for what comes after the search.
func (s *search) spare() { s.run.Work = min(s.run.Work, s.run.MostWork/10*9) }

// failure finds out why no step is possible in a state.
func (s *search) failure(n *node, why *eval.Why) error {
	s.stand(n)
	return s.spec.Explain(s.run, n.state, why, func(*eval.State) bool { return true })
}

// refusal finds out which clause of its rule a step breaks.
func (s *search) refusal(b *breach, why *eval.Why) error {
	if b.before != nil {
		s.stand(b.before)
	}
	if b.step != nil {
		return b.step.Refuses(s.run, b.before.state, b.after.state, why)
	}
	return b.state.Fails(s.run, b.after.state, why)
}

// bindings are the variables before and after; a value that is not known is nil.
func (s *search) bindings(n *node, after []value.Value) []Binding {
	var list []Binding
	for i, name := range s.spec.Variables {
		b := Binding{Name: name}
		if n != nil {
			b.Value = value.Show(n.state.Vals[i])
		}
		if i < len(after) && after[i] != nil {
			b.After = value.Show(after[i])
		}
		list = append(list, b)
	}
	return list
}

// wrote are the steps on the way to the node that change one of the variables, but
// that which counts the lines: of each the last ones.
func (s *search) wrote(n *node, names map[string]bool, most int) []Write {
	var list []Write
	left := map[int]int{}
	for i, name := range s.spec.Variables {
		if names[name] && (s.cursor == nil || s.cursor.Variable != i) {
			left[i] = most
		}
	}
	for ; n.parent != nil && len(left) > 0; n = n.parent {
		for i, name := range s.spec.Variables {
			if left[i] == 0 || unchanged(n.parent, n, i) {
				continue
			}
			line := n.parent.lines + 1
			list = append(list, Write{name, value.Show(n.state.Vals[i]), line, s.reads(line)})
			if left[i]--; left[i] == 0 {
				delete(left, i)
			}
		}
	}
	slices.Reverse(list)
	return list
}

// accepted is the spec's own test.
func (s *search) accepted(r *Result) (bool, error) {
	tested := false
	for _, p := range s.spec.Properties {
		tested = tested || len(p.Once)+len(p.Live) > 0
	}
	if s.stuck {
		return false, nil
	}
	unmet, err := s.liveness(r)
	if err != nil || unmet != nil {
		s.unmet = unmet
		return false, err
	}
	s.run.Level, s.at = 0, nil
	tested = tested || len(s.spec.Postconditions) > 0
	for _, post := range slices.Concat(s.spec.Postconditions, s.spec.Possible) {
		if post.Constant() {
			return false, &eval.Error{Place: post.Place(), Msg: "the postcondition " + post.Name + " is a constant: it has to read what TLCGet answers"}
		}
		ok, err := post.Holds(s.run, nil, nil)
		if err != nil || !ok {
			return false, err
		}
	}
	if !tested {
		if !s.cursor.Known() {
			s.untested = true
			return true, nil
		}
		return s.furthest >= len(s.cursor.Log), nil
	}
	return true, nil
}
