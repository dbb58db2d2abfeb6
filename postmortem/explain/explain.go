// Package explain explains single steps of a trace. It shows every action that the step
// could have been, clause by clause. It finds the earlier event that made each failed
// clause fail, and the whole history of the step's objects.
//
// It judges nothing itself. It reads the trace three times: to judge it, to try
// the steps in question in the states before them, and to try them again in all
// the states before.
package explain

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
)

// Input reads a trace, at each call from its start, and pushes its events
// in order, until push returns an error, which it returns.
type Input func(push func([]trace.Event) error) error

// Options is what is to be explained. The zero Line asks for the violating steps:
// the first of each stream or, if Judge keeps going, all.
type Options struct {
	Judge  validators.Options
	Line   trace.Pos // the step of this line, also if it conforms
	Stream string    // only steps of this stream, where Only is set
	Only   bool
	After  int // later events that each object's history has
	Steps  int // that are explained at most; 0: MaxSteps

	Judged func(*validators.Result) // is called after the first reading, unless it is nil
}

// MaxSteps bounds the steps that are explained at a time: the first ones.
const MaxSteps = 20

// MaxObjects bounds the objects of a step that are looked into: the first ones.
const MaxObjects = validators.MaxChanges

// Account explains one step, or the run of snapshots that broke a rule.
type Account struct {
	Stream      string                 `json:"stream"`
	First       Place                  `json:"first"`
	Last        Place                  `json:"last"`
	Violations  []validators.Violation `json:"violations"`       // none: it conforms
	Events      []validators.Event     `json:"events,omitempty"` // the step's lines, the first of them
	Total       int                    `json:"events_total"`     // how many they are
	Changes     []validators.Change    `json:"changes,omitempty"`
	State       []validators.Binding   `json:"state,omitempty"`   // of a module that was read: its variables
	Judged      []Judgement            `json:"judged"`            // by each spec
	Objects     []History              `json:"objects,omitempty"` // those of the step's lines
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

// Judgement is what a spec says of the step.
type Judgement struct {
	Spec       string      `json:"spec"`
	By         []string    `json:"by,omitempty"` // the actions that explain it, in order
	Allowances []Allowance `json:"allowances,omitempty"`
	Parts      []Part      `json:"parts,omitempty"`
	Broken     []Part      `json:"broken,omitempty"` // of a module that was read: the clauses of the rule that the step breaks
	Causes     []Causes    `json:"causes,omitempty"` // of a step that no action explains: of the actions that came equally near
}

// Allowance is one that the step needed.
type Allowance struct {
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	Relaxes string `json:"relaxes"`
	Source  string `json:"source"`
}

// Part is what some action has to explain, with every action that could have
// been meant.
type Part struct {
	What     string               `json:"what"`
	Line     int                  `json:"line"`
	Whole    bool                 `json:"whole,omitempty"`
	Attempts []validators.Attempt `json:"attempts"`
}

// Causes says of an action why its guards fail: what they were in other states is
// found by trying the same step there. What changes (effects) has no cause in
// earlier states.
type Causes struct {
	Action string  `json:"action"`
	Alone  bool    `json:"alone,omitempty"` // only its line was tried: the step has very many
	States int     `json:"states"`          // in how many earlier states the step could be tried
	Guards []Guard `json:"guards"`
}

// Guard is a clause that fails, and the earlier step that made it fail.
type Guard struct {
	Clause string `json:"clause"`
	Values string `json:"values,omitempty"` // what it saw at the step

	Turned    bool               `json:"turned"`              // it held in an earlier state
	Held      string             `json:"held,omitempty"`      // what it saw then, at last
	Snapshots bool               `json:"snapshots,omitempty"` // snapshots made it fail, from the line on that Events has
	Events    []validators.Event `json:"events,omitempty"`    // the step that made it fail, the first of its lines
	Total     int                `json:"events_total,omitempty"`
	Since     string             `json:"since,omitempty"` // what it saw right after
}

// History is all that the trace says of an object.
type History struct {
	Kind   string             `json:"kind"`
	ID     string             `json:"id"`
	Before []validators.Event `json:"before"` // all events before the step
	After  []validators.Event `json:"after,omitempty"`
	Values []string           `json:"values,omitempty"` // of a variable, after each of Before: these are its last writes
}

// Read is another object that clauses of the nearest actions, or a broken rule, read.
type Read struct {
	Kind    string             `json:"kind"`
	ID      string             `json:"id"`
	Clauses []string           `json:"clauses"` // each once
	Events  []validators.Event `json:"events"`  // before the step, the last at most mostRead: all, or those that changed what the clauses saw
}

// ErrConforms says that there is no violating step to explain.
var ErrConforms = errors.New("there is no violating step to explain")

// errDone ends a reading early.
var errDone = errors.New("done")

// Explain returns what there is to say of the steps that the options name, and
// the result of judging the trace: up to the violating steps, or all of it where
// a line is named. An error is one of the options or of the input's reader, or a
// *trace.Error where the input cannot be judged as far as the line.
func Explain(input Input, opts Options) ([]Account, *validators.Result, error) {
	if opts.Line.Line > 0 {
		opts.Judge.KeepGoing = true
	}
	result, err := judge(input, opts.Judge)
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

// judge runs the whole input.
func judge(input Input, opts validators.Options) (*validators.Result, error) {
	runner, err := validators.NewRunner(opts)
	if err != nil {
		return nil, err
	}
	err = push(input, runner.Push)
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
