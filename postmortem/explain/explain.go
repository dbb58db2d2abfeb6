// Package explain explains single steps of a trace. It shows every action that the step
// could have been, clause by clause. It finds the earlier event that made each failed
// clause fail, and the whole history of the step's objects.
//
// It judges nothing itself. It reads the trace three times. First it judges the trace. Then it
// tries the steps in question in the states before them, and again in all the states before.
package explain

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
)

// Input reads a trace from its start at each call. It pushes the events in order until push
// returns an error, and returns this error.
type Input func(push func([]trace.Event) error) error

// Options set which steps are explained. With the zero Line, these are the violating steps:
// the first of each stream or, with Judge.KeepGoing, all.
type Options struct {
	Judge  validators.Options
	Line   trace.Pos // the step of this line, also if it conforms
	Stream string    // only steps of this stream, if Only is set
	Only   bool
	After  int // number of later events in each object's history
	Steps  int // bounds the explained steps; 0: MaxSteps

	Judged func(*validators.Result) // called after the first reading, unless nil
}

// MaxSteps bounds the explained steps: the first ones are explained.
const MaxSteps = 20

// MaxObjects bounds the objects of a step that have a history: the first ones do.
const MaxObjects = validators.MaxChanges

// Account explains one step, or the run of snapshots that broke a rule.
type Account struct {
	Stream      string                 `json:"stream"`
	First       Place                  `json:"first"`
	Last        Place                  `json:"last"`
	Violations  []validators.Violation `json:"violations"`       // none: the step conforms
	Events      []validators.Event     `json:"events,omitempty"` // the step's lines, the first of them
	Total       int                    `json:"events_total"`     // the number of all lines
	Changes     []validators.Change    `json:"changes,omitempty"`
	State       []validators.Binding   `json:"state,omitempty"`   // of a module that was read: its variables
	Judged      []Judgement            `json:"judged"`            // by each spec
	Objects     []History              `json:"objects,omitempty"` // the objects of the step's lines
	MoreObjects int                    `json:"more_objects,omitempty"`
	Read        []Read                 `json:"read,omitempty"` // other objects that the nearest actions' clauses read, the latest change last
}

// Place is where an event is.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Seq  *int64 `json:"seq,omitempty"`
	Time string `json:"time,omitempty"`
}

// Judgement is a spec's result for the step.
type Judgement struct {
	Spec       string      `json:"spec"`
	By         []string    `json:"by,omitempty"` // the actions that explain it, in order
	Allowances []Allowance `json:"allowances,omitempty"`
	Parts      []Part      `json:"parts,omitempty"`
	Broken     []Part      `json:"broken,omitempty"` // of a module that was read: the clauses of the rule that the step breaks
	Causes     []Causes    `json:"causes,omitempty"` // for a step that no action explains: of the equally near actions
}

// Allowance is an allowance that the step needed.
type Allowance struct {
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	Relaxes string `json:"relaxes"`
	Source  string `json:"source"`
}

// Part is a part of the step that an action must explain, with every candidate action.
type Part struct {
	What     string               `json:"what"`
	Line     int                  `json:"line"`
	Whole    bool                 `json:"whole,omitempty"` // it is the whole step
	Attempts []validators.Attempt `json:"attempts"`

	full bool // it is not of one object alone
}

// Causes has, for an action, the causes of its failed guards. They are found by trying the
// same step in other states. Effects have no cause in earlier states.
type Causes struct {
	Action string  `json:"action"`
	Alone  bool    `json:"alone,omitempty"` // only its line was tried: the step has too many
	States int     `json:"states"`          // the number of earlier states in which the step could be tried
	Guards []Guard `json:"guards"`
}

// Guard is a clause that fails, and the earlier step that made it fail.
type Guard struct {
	Clause string `json:"clause"`
	Values string `json:"values,omitempty"` // the values that it read at the step

	Turned    bool               `json:"turned"`              // it held in an earlier state
	Held      string             `json:"held,omitempty"`      // the values that it read when it last held
	Snapshots bool               `json:"snapshots,omitempty"` // snapshots made it fail, from the line on that Events has
	Events    []validators.Event `json:"events,omitempty"`    // the step that made it fail, the first of its lines
	Total     int                `json:"events_total,omitempty"`
	Since     string             `json:"since,omitempty"` // the values that it read right after
}

// History has all events of an object.
type History struct {
	Kind      string             `json:"kind"`
	ID        string             `json:"id"`
	Namespace string             `json:"namespace,omitempty"` // of a syncer, where its line has it
	Before    []validators.Event `json:"before"`              // all events before the step
	After     []validators.Event `json:"after,omitempty"`
	Values    []string           `json:"values,omitempty"` // of a variable: its value after each of Before, which are its last writes
}

// Read is another object that clauses of the nearest actions, or a broken rule, read.
type Read struct {
	Kind    string             `json:"kind"`
	ID      string             `json:"id"`
	Clauses []string           `json:"clauses"` // each once
	Events  []validators.Event `json:"events"`  // the last events before the step, at most mostRead: all, or those that changed a clause
}

// ErrConforms means that there is no violating step to explain.
var ErrConforms = errors.New("there is no violating step to explain")

// errDone ends a reading early.
var errDone = errors.New("done")

// Explain returns the accounts of the selected steps, and the result of judging the trace.
// Judging ends at the violating steps or, with Line, at the end of the trace. An error is that
// of the options or of the input. It is a *trace.Error if the input is unusable before the
// line.
func Explain(input Input, opts Options) ([]Account, *validators.Result, error) {
	if opts.Line.Line > 0 {
		opts.Judge.KeepGoing = true
	}
	unseen := opts.Only
	result, err := judge(input, opts.Judge, func(events []trace.Event) {
		unseen = unseen && !slices.ContainsFunc(events, func(ev trace.Event) bool { return ev.Stream == opts.Stream })
	})
	if err == nil && unseen && result.Verdict != validators.Unusable {
		err = fmt.Errorf("the trace has no event of %s", trace.StreamName(opts.Stream))
	}
	if err != nil {
		return nil, result, err
	}
	if opts.Judged != nil {
		opts.Judged(result)
	}
	steps, err := find(input, &opts, result)
	if err != nil {
		return nil, result, err
	}
	if len(steps) == 0 {
		return nil, result, ErrConforms
	}
	if err := traceBack(input, &opts, steps); err != nil {
		return nil, result, err
	}
	accounts := make([]Account, len(steps))
	for i, s := range steps {
		s.account.Judged = slices.DeleteFunc(s.account.Judged, func(j Judgement) bool { return !slices.Contains(result.Specs, j.Spec) })
		accounts[i] = s.account
	}
	return accounts, result, nil
}

// judge runs the whole input, and shows its events.
func judge(input Input, opts validators.Options, show func([]trace.Event)) (*validators.Result, error) {
	runner, err := validators.NewRunner(opts)
	if err != nil {
		return nil, err
	}
	err = push(input, func(events []trace.Event) error {
		show(events)
		return runner.Push(events)
	})
	if unfit, ok := errors.AsType[*trace.Error](err); ok {
		runner.Fail(unfit)
		err = nil
	}
	if errors.Is(err, validators.ErrEnough) {
		err = nil
	}
	return runner.Finish(), err
}

func push(input Input, do func([]trace.Event) error) error {
	err := input(do)
	if errors.Is(err, errDone) {
		return nil
	}
	return err
}

func event(ev *trace.Event) validators.Event {
	c := ev.Clone()
	return validators.Event{File: c.Pos.File, Line: c.Pos.Line, Raw: json.RawMessage(c.Raw)}
}

func place(ev *trace.Event) Place {
	c := ev.Clone()
	p := Place{File: c.Pos.File, Line: c.Pos.Line, Time: c.Time}
	if c.HasSeq {
		p.Seq = &c.Seq
	}
	return p
}

func notJudged(line trace.Pos, why string) error {
	return fmt.Errorf("nothing to explain at %s: %s", line, why)
}
