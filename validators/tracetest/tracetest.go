// Package tracetest checks, in a Go test, the steps of the code under test.
// Each change of an object is a line of a trace. If the spec does not allow a
// step, the test fails with the explanation.
package tracetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"tracecheck/report"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Trace is the trace of the code under test so far. Several goroutines may use
// it.
type Trace struct {
	Changes

	t      testing.TB
	now    func() time.Time
	lock   sync.Mutex
	runner *validators.Runner
	lines  []string
	txs    int
	failed error
	result *validators.Result
}

// New begins a trace for the specs. The test fails at its end if a step or state breaks a
// rule, or if nothing was judged.
func New(t testing.TB, specs ...*validators.Spec) *Trace {
	t.Helper()
	return Judge(t, validators.Options{Specs: specs})
}

// Judge is New with options: a profile, batched steps, constants, or a
// deadline.
func Judge(t testing.TB, opts validators.Options) *Trace {
	t.Helper()
	runner, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatalf("tracetest: %v", err)
	}
	tr := &Trace{t: t, runner: runner}
	tr.Changes = Changes{trace: tr}
	t.Cleanup(tr.check)
	return tr
}

// Clock sets the clock for the times of later changes. Deadlines need times.
func (tr *Trace) Clock(now func() time.Time) { tr.now = now }

// Tx makes the changes of do one step: their lines are one transaction.
func (tr *Trace) Tx(do func(*Changes)) {
	tr.lock.Lock()
	tr.txs++
	tx := &Changes{trace: tr, tx: tr.txs, lines: &[][]byte{}}
	tr.lock.Unlock()
	do(tx)
	tr.push(*tx.lines)
}

// Lines returns the trace so far.
func (tr *Trace) Lines() []string {
	tr.lock.Lock()
	defer tr.lock.Unlock()
	return append([]string(nil), tr.lines...)
}

// Finish ends the trace early, and returns the result. The test still fails at
// its end if the trace does not conform.
func (tr *Trace) Finish() *validators.Result {
	tr.lock.Lock()
	defer tr.lock.Unlock()
	if tr.result == nil {
		tr.result = tr.runner.Finish()
	}
	return tr.result
}

// check fails the test if the trace does not conform.
func (tr *Trace) check() {
	tr.t.Helper()
	result := tr.Finish()
	if tr.failed != nil {
		tr.t.Errorf("tracetest: %v", tr.failed)
	}
	if result.Verdict == validators.Conforming {
		return
	}
	var text bytes.Buffer
	if err := report.Text(&text, result, report.TextOptions{}); err != nil {
		tr.t.Errorf("tracetest: %v", err)
	}
	tr.t.Errorf("%s", text.Bytes())
}

// push judges the lines of one step.
func (tr *Trace) push(lines [][]byte) {
	tr.lock.Lock()
	defer tr.lock.Unlock()
	if tr.failed != nil {
		return
	}
	if tr.result != nil {
		tr.failed = fmt.Errorf("a change came after Finish: %s", lines[0])
		return
	}
	var decoder trace.Decoder
	events := make([]trace.Event, len(lines))
	for i, line := range lines {
		tr.lines = append(tr.lines, string(line))
		if err := decoder.Decode(line, trace.Pos{File: tr.t.Name(), Line: len(tr.lines)}, &events[i]); err != nil {
			tr.failed = err
			return
		}
	}
	tr.failed = tr.runner.Push(events)
}

// Changes records changes of objects. json.Marshal encodes the fields of an
// object: a struct with tags as in the format, or a map.
type Changes struct {
	trace         *Trace
	tx            int       // 0: each change is a step
	lines         *[][]byte // of the transaction
	stream        string
	actor, action string
}

// Of records changes of another stream, such as another cluster under test.
func (c *Changes) Of(stream string) *Changes {
	other := *c
	other.stream = stream
	return &other
}

// By records changes that claim an actor and an action. Either may be "".
func (c *Changes) By(actor, action string) *Changes {
	other := *c
	other.actor, other.action = actor, action
	return &other
}

// Snapshot records an object that exists before the code under test begins.
func (c *Changes) Snapshot(kind, id string, object any) { c.add(kind, "snapshot", id, object) }

// Create records that an object is created.
func (c *Changes) Create(kind, id string, object any) { c.add(kind, "create", id, object) }

// Update records new values of the given fields of an object. A null removes a
// field.
func (c *Changes) Update(kind, id string, object any) { c.add(kind, "update", id, object) }

// Delete records that an object is deleted.
func (c *Changes) Delete(kind, id string) { c.add(kind, "delete", id, nil) }

// Reject records a request that the code under test rejects. The state is
// unchanged.
func (c *Changes) Reject(kind, id string, object any) { c.add(kind, "reject", id, object) }

// change is a line of the format, with its source line in the test for reports.
type change struct {
	Time   string          `json:"time,omitempty"`
	Stream string          `json:"stream,omitempty"`
	Tx     int             `json:"tx,omitempty"`
	Kind   string          `json:"kind"`
	Op     string          `json:"op"`
	ID     string          `json:"id"`
	Actor  string          `json:"actor,omitempty"`
	Action string          `json:"action,omitempty"`
	Object json.RawMessage `json:"object,omitempty"`
	Source string          `json:"source,omitempty"`
}

func (c *Changes) add(kind, op, id string, object any) {
	tr := c.trace
	line := change{Stream: c.stream, Tx: c.tx, Kind: kind, Op: op, ID: id, Actor: c.actor, Action: c.action}
	if _, file, n, ok := runtime.Caller(2); ok {
		line.Source = fmt.Sprintf("%s:%d", filepath.Base(file), n)
	}
	if tr.now != nil {
		line.Time = tr.now().UTC().Format(time.RFC3339Nano)
	}
	raw, err := json.Marshal(object)
	if err == nil && object != nil {
		line.Object = raw
	}
	if err == nil {
		raw, err = json.Marshal(line)
	}
	if err != nil {
		tr.lock.Lock()
		tr.failed = fmt.Errorf("%s: the %s of %s %s does not encode: %w", line.Source, op, kind, id, err)
		tr.lock.Unlock()
		return
	}
	if c.lines != nil {
		*c.lines = append(*c.lines, raw)
		return
	}
	tr.push([][]byte{raw})
}
