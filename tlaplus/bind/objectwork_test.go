package bind

import (
	"fmt"
	"testing"

	"tracecheck/tlaplus/eval"
	"tracecheck/trace"
	"tracecheck/validators"
)

// workOf is the calls that the last of some lines takes, with so many clients there. That
// results are kept for each element is not counted.
func workOf(t *testing.T, text string, clients int, last string) int {
	t.Helper()
	b := loaded(t, lockModule+text, "", Options{Without: eval.Keeps})
	of, err := b.machine(validators.Config{Steps: validators.Atomic, Workspace: &validators.Workspace{}})
	if err != nil {
		t.Fatal(err)
	}
	m := of.(*objectMachine)
	var d trace.Decoder
	event := func(line string) *trace.Event {
		var ev trace.Event
		if err := d.Decode([]byte(line), trace.Pos{}, &ev); err != nil {
			t.Fatal(err)
		}
		return &ev
	}
	for i := range clients {
		m.Snapshot(event(fmt.Sprintf(`{"kind":"client","op":"snapshot","id":"c%d","object":{"asks":false}}`, i)))
	}
	m.SnapshotsEnd()
	found, _, err := m.Step(&trace.Step{Events: []trace.Event{*event(last)}})
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	return m.p.run.Work
}

const askers = `objects: {client: {asks: 'FALSE'}}
init: snapshots
observe: {queue: 'SetToSeq({c \in DOMAIN objects.client : objects.client[c].asks})'}
constants: {Node: 'LET Same(c) == c IN {Same(c) : c \in shown.client}', Max: 3}
`

// A constant of the objects is evaluated once for a step, though actions read it more often.
func TestConstantOnce(t *testing.T) {
	const more = 500
	one := func(clients int) int {
		return workOf(t, askers, clients, `{"kind":"client","op":"update","id":"c3","object":{"asks":true}}`)
	}
	if few, many := one(10), one(10+more); many-few > 5*more {
		t.Errorf("%d clients more take %d calls more", more, many-few)
	}
}

// Of a line that names its action, only that action is tried.
func TestNamedActionAlone(t *testing.T) {
	line := func(action string) int {
		return workOf(t, askers, 100, `{"kind":"client","op":"update","id":"c3",`+action+`"object":{"asks":true}}`)
	}
	if named, any := line(`"action":"Ask",`), line(""); 4*named > 3*any {
		t.Errorf("%d calls where the line names the action, %d where it does not", named, any)
	}
}
