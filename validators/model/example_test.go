package model_test

import (
	"cmp"
	"fmt"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// The module of this example:
//
//	Take(c) == state[c] = "idle"    /\ \A d \in C : state[d] = "idle" /\ state' = [state EXCEPT ![c] = "holding"]
//	Free(c) == state[c] = "holding" /\ state' = [state EXCEPT ![c] = "idle"]

var (
	kindClient = trace.NewKind("client") // of a lock
	fieldState = trace.NewField("state")
)

const (
	idle uint8 = iota + 1 // 0 is outside the type
	holding
)

var clientStates = model.Names{"?", "idle", "holding"}

type client struct{ State uint8 }

type lock struct {
	clients model.Rows[client]
	holders int // Cardinality({c \in C : state[c] = "holding"})
}

var clients = &model.Kind[lock, client]{
	Kind: kindClient, Rows: func(s *lock) *model.Rows[client] { return &s.clients },
	Init: client{idle}, NoDelete: "C is a constant",
	Columns: []model.Column[lock, client]{
		model.Enum[lock](fieldState, clientStates, func(c *client) *uint8 { return &c.State }),
	},
	Tally: func(s *lock, c *client, d int) {
		if c.State == holding {
			s.holders += d
		}
	},
}

type clientChange = model.Change[client]

// goes is an action that a client's state is part of.
func goes(name string, from, to uint8, also ...model.Clause[lock, *clientChange]) *model.Action[lock, *clientChange] {
	is := model.Is[lock](clients, "state[c]", func(c **clientChange) *clientChange { return *c }, from)
	return &model.Action[lock, *clientChange]{
		Name: name, Some: model.Changed(clients),
		Guards: append([]model.Clause[lock, *clientChange]{is}, also...),
		Effect: func(_ *lock, c **clientChange) { (*c).Write().State = to },
		Primed: []model.Primed[lock, *clientChange]{
			{Text: fmt.Sprintf(`state' = [state EXCEPT ![c] = %q]`, clientStates[to]), Of: []model.Group[lock]{clients.Of(fieldState)}},
		},
	}
}

var lockSpec = (&model.Model[lock, *clientChange]{
	Name: "lock", Module: "Lock", Doc: "At most one client holds the lock.",
	Type:   validators.RuleDoc{Name: "TypeOK", Kind: validators.OfType, Clauses: []string{`state \in [C -> ` + clientStates.Set() + `]`}},
	New:    func(validators.Config) (*lock, error) { return &lock{}, nil },
	Tables: []model.Table[lock]{clients},
	Next: []*model.Action[lock, *clientChange]{
		goes("Take", idle, holding, model.Clause[lock, *clientChange]{
			Text:  `\A d \in C : state[d] = "idle"`,
			Holds: func(s *lock, _ **clientChange) bool { return s.holders == 0 },
			Shows: func(s *lock, _ **clientChange) string { return fmt.Sprintf("%d hold it", s.holders) },
		}),
		goes("Free", holding, idle),
	},
}).Spec()

// judge prints what explains each step of the trace, and what breaks the spec.
func judge(steps validators.Steps, lines ...string) {
	runner, err := validators.NewRunner(validators.Options{
		Specs: []*validators.Spec{lockSpec}, Steps: steps,
		OnStep: func(step *trace.Step, _ string, by []string, _ []validators.Finding) {
			fmt.Printf("line %d is %s\n", step.Last().Line, cmp.Or(strings.Join(by, ", "), "not an action"))
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var decoder trace.Decoder
	for i, line := range lines {
		var event trace.Event
		if err := decoder.Decode([]byte(line), trace.Pos{Line: i + 1}, &event); err != nil {
			fmt.Println(err)
			return
		}
		if err := runner.Push([]trace.Event{event}); err != nil {
			fmt.Println(err)
			return
		}
	}
	result := runner.Finish()
	fmt.Println(result.Verdict)
	for _, v := range result.Violations {
		fmt.Printf("line %d: %s\n", v.Line, v.Message)
	}
}

// A lock as a spec: a table, two actions, and what they say of two traces.
func Example() {
	judge(validators.Atomic,
		`{"kind":"client","op":"update","id":"a","object":{"state":"holding"}}`,
		`{"kind":"client","op":"update","id":"a","object":{"state":"idle"}}`,
		`{"kind":"client","op":"update","id":"b","object":{"state":"holding"}}`,
		`{"kind":"client","op":"update","id":"a","object":{"state":"holding"}}`)
	// Output:
	// line 1 is Take
	// line 2 is Free
	// line 3 is Take
	// line 4 is not an action
	// violation
	// line 4: no action of Lock explains this step: client a: state goes from idle to holding. Nearest is Take, but not: \A d \in C : state[d] = "idle" (1 hold it)
}

// Of a batched step nothing was recorded in between: here the lock goes from one
// client to the other, which is two actions.
func ExampleModel_batched() {
	judge(validators.Batched,
		`{"kind":"client","op":"update","id":"a","object":{"state":"holding"}}`,
		`{"tx":1,"kind":"client","op":"update","id":"a","object":{"state":"idle"}}`,
		`{"tx":1,"kind":"client","op":"update","id":"b","object":{"state":"holding"}}`)
	// Output:
	// line 1 is Take
	// line 3 is Free, Take
	// conforming
}

// Where an object has no words of its own for what happens to it, the columns give
// them; and they say what is outside its type.
func ExampleKind_outside() {
	judge(validators.Atomic,
		`{"kind":"client","op":"snapshot","id":"a","object":{"state":"asleep"}}`,
		`{"kind":"client","op":"update","id":"a","object":{"state":"idle"}}`)
	// Output:
	// violation
	// line 1: client a: state "asleep" is not in {"idle", "holding"}
}
