package tracespec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

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
	Progress  func(Progress)    // is called often, while the search goes on; nil: nothing
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
func mostWork(maxStates int) int {
	if maxStates <= 0 {
		return DefaultWork
	}
	return max(DefaultWork, min(maxStates, math.MaxInt/stateWork)*stateWork)
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
	Before  []Binding // the state before the line, on one of the furthest paths
	Reads   string    // the line of the violation, as the spec reads it; "": not known
	Text    string    // of a violation: the place of the rule in the text, file:line:column
	Paths   int       // how many states the furthest paths lead to
}

// Binding is a variable's value.
type Binding struct{ Name, Value string }

// UsageError is an error in what is asked for, or in a text: nothing was judged.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Judge reads the module and its cfg, and judges the log. An error of type
// *UsageError says that they cannot be read. Where the context ends, so does the
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
	work := mostWork(o.MaxStates)
	if o.MaxStates <= 0 {
		o.MaxStates = DefaultStates
	}
	spec, err := o.load(cfg, false)
	var bad *eval.Error
	switch {
	case errors.As(err, &bad):
		return nil, &Result{Module: name(o.Module), Unusable: err.Error(), Total: -1}, nil
	case err != nil:
		return nil, nil, &UsageError{err}
	}
	s := &search{Options: o, ctx: ctx, spec: spec, run: spec.NewRun(), index: map[uint64][]*node{}}
	s.run.MostWork = work
	return s, &Result{Module: spec.Root, Total: -1, Spec: describe(o, cfg, spec)}, nil
}

// cfg reads the cfg. Its error is a *UsageError.
func (o *Options) cfg() (*config.Config, error) {
	if o.Config == "" {
		o.Config = defaultConfig(o.Module)
	}
	text, err := os.ReadFile(o.Config)
	if err != nil {
		return nil, &UsageError{err}
	}
	cfg, err := config.Parse(filepath.Base(o.Config), text)
	if err != nil {
		return nil, &UsageError{err}
	}
	return cfg, nil
}

func defaultConfig(module string) string { return strings.TrimSuffix(module, ".tla") + ".cfg" }

// load reads the module; shown: only to show it.
func (o *Options) load(cfg *config.Config, shown bool) (*eval.Spec, error) {
	return eval.LoadSpec(o.Module, cfg, eval.Options{Path: o.Path, Env: o.Env, ReadFile: reader(o.Module), Print: o.Print, Unassumed: shown})
}

func name(module string) string { return strings.TrimSuffix(filepath.Base(module), ".tla") }

// reader reads files in the working directory, then beside the module.
func reader(module string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		data, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) && !filepath.IsAbs(name) {
			if beside, also := os.ReadFile(filepath.Join(filepath.Dir(module), name)); also == nil {
				return beside, nil
			}
		}
		return data, err
	}
}

// judge searches, and asks the spec for its verdict.
func (s *search) judge(r *Result) {
	s.cursor = s.spec.Cursor(s.run)
	if s.cursor != nil {
		r.Total = len(s.cursor.Log)
	}
	s.answer()
	err := s.all()
	r.States, r.Lines = s.generated, s.furthest
	s.paths = s.ends
	if err != nil {
		r.Unusable, r.Partial = s.unusable(err), errors.Is(err, errInterrupted)
		return
	}
	s.verdict(r)
}

func (s *search) unusable(err error) string {
	if errors.Is(err, errStates) || strings.HasSuffix(err.Error(), eval.OutOfWork) {
		return fmt.Sprintf("the search ended without an answer after %d states: the furthest path explains %d lines of the log; allow more with --max-states",
			s.generated, s.furthest)
	}
	if errors.Is(err, errInterrupted) {
		return fmt.Sprintf("the search was interrupted after %d states: the furthest path explains %d lines of the log", s.generated, s.furthest)
	}
	return err.Error()
}

// verdict fills in what was found.
func (s *search) verdict(r *Result) {
	accepted, err := s.accepted(r)
	if err != nil {
		r.Unusable = err.Error()
		return
	}
	if accepted && len(s.done) > 0 {
		s.paths = s.done
	}
	ends := s.paths
	r.Paths = len(ends)
	if b := s.breach(ends); b != nil {
		r.Kind, r.Rule, r.Line, r.Text = b.kind, b.rule, b.line, b.text
		r.Before = s.bindings(b.before)
		if b.step != nil {
			why := &eval.Why{}
			s.run.Level = b.before.level
			if err := b.step.Refuses(s.run, b.before.state, b.after.state, why); err != nil {
				r.Notes = append(r.Notes, "the explanation ends with an error: "+err.Error())
			}
			r.Nearest, r.Reads = why.Attempts(), s.reads(b.line)
		}
		return
	}
	if accepted {
		r.Accepted = true
		if r.Total > 0 && s.furthest < r.Total && s.run.Exit {
			r.Notes = append(r.Notes, fmt.Sprintf("the spec accepts the log at line %d of %d: it has stopped the search itself", s.furthest, r.Total))
		}
		return
	}
	r.Kind, r.Rule, r.Line = Transition, "Next", s.furthest+1
	r.Reads = s.reads(r.Line)
	why, says, held := &eval.Why{}, -1, -1
	for _, n := range s.ends[:min(len(s.ends), mostExplained)] {
		s.run.Level = n.level
		if err := s.spec.Explain(s.run, n.state, why, func(*eval.State) bool { return true }); err != nil {
			r.Notes = append(r.Notes, "the explanation ends with an error: "+err.Error())
			break
		}
		if best := why.Attempts(); len(best) > 0 && (best[0].Says > says || best[0].Says == says && len(best[0].Held) > held) {
			says, held, r.Before = best[0].Says, len(best[0].Held), s.bindings(n)
		}
	}
	if r.Nearest = why.Attempts(); len(r.Nearest) > 0 {
		r.Text = r.Nearest[0].Failed.Place
	}
}

// reads is a line as the spec reads it, "" where it is not known.
func (s *search) reads(line int) string {
	if s.cursor == nil || line > len(s.cursor.Log) {
		return ""
	}
	return fmt.Sprintf("%s[%d] = %s", s.cursor.Name, line, value.Show(s.cursor.Log[line-1]))
}

// mostExplained bounds the states that an explanation looks at.
const mostExplained = 50

func (s *search) bindings(n *node) []Binding {
	if n == nil {
		return nil
	}
	list := make([]Binding, len(s.spec.Variables))
	for i, name := range s.spec.Variables {
		list[i] = Binding{name, value.Show(n.state.Vals[i])}
	}
	return list
}

// accepted is the spec's own test.
func (s *search) accepted(r *Result) (bool, error) {
	tested := false
	for _, p := range s.spec.Properties {
		for i := range p.Finally {
			tested = true
			if !s.reached[&p.Finally[i]] {
				return false, nil
			}
		}
		tested = tested || len(p.Always)+len(p.Once) > 0
		if p.Fair {
			r.Notes = append(r.Notes, fmt.Sprintf("%s asks for fairness, which is not judged", p.Name))
		}
	}
	if s.stuck {
		return false, nil
	}
	s.run.Level = 0
	for i := range s.spec.Postconditions {
		tested = true
		ok, err := s.spec.Postconditions[i].Holds(s.run, nil, nil)
		if err != nil || !ok {
			return false, err
		}
	}
	if !tested {
		return s.cursor == nil || s.furthest >= len(s.cursor.Log), nil
	}
	return true, nil
}
