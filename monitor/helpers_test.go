package monitor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
	"tracecheck/specs"
	"tracecheck/validators"
)

// running is a monitor at work.
type running struct {
	*monitor.Monitor
	t      *testing.T
	parts  []*listed
	cancel context.CancelFunc
	result chan error
}

// start has a monitor judge the parts up to their stops. What the options leave
// out is set.
func start(t *testing.T, o monitor.Options, parts ...*listed) *running {
	t.Helper()
	if o.Source == nil {
		o.Source = &list{parts}
	}
	if o.Outbox == nil {
		o.Outbox = &outbox{}
	}
	if o.Judge.Specs == nil {
		o.Judge.Specs = specs.All()
	}
	if o.Every == 0 {
		o.Every = 2 * time.Millisecond
	}
	if o.Look == 0 {
		o.Look = 100 * time.Millisecond
	}
	if o.Settle == 0 {
		o.Settle = 50 * time.Millisecond
	}
	o.Lines = 1 // as few as there may be
	m, err := monitor.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		p.ended = make(chan struct{})
		if p.batch == 0 {
			p.batch = 10
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{m, t, parts, cancel, make(chan error, 1)}
	go func() { r.result <- m.Run(ctx) }()
	go r.watch(ctx)
	return r
}

// watch looks at all there is to be seen, as pages do at any moment: for the
// race detector.
func (r *running) watch(ctx context.Context) {
	for ctx.Err() == nil {
		r.Overview()
		r.IsAlive(time.Now())
		page, _ := r.Streams(board.Query{})
		for i := range page {
			r.Stream(ctx, page[i].Stream)
		}
		found, _ := r.Violations(monitor.AllStreams, 0, 10)
		for i := range found {
			r.Violation(found[i].ID)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// judged waits until all parts are judged up to their stops.
func (r *running) judged() *running {
	r.t.Helper()
	for _, p := range r.parts {
		select {
		case <-p.ended:
		case err := <-r.result:
			r.t.Fatalf("it ended: %v", err)
		}
	}
	return r
}

// end ends the monitor as an operator does.
func (r *running) end() {
	r.t.Helper()
	r.cancel()
	if err := <-r.result; err != nil {
		r.t.Fatal(err)
	}
}

// until waits for what must come.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not come: %s", what)
		}
	}
}

func newMemory() *memory {
	return &memory{parts: map[string]map[string]string{}, heads: map[string]string{}}
}

// open is the memory as a new process has it. Its first save need not be whole.
func (m *memory) open() *keeper {
	return &keeper{memory: m, lean: true, r: rand.New(rand.NewPCG(1, 1))}
}

// kill is the end of the process: it saves no more.
func (k *keeper) kill() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.gone = true
}

// of returns the alerts of the kind, each as its stream and line.
func (o *outbox) of(kind alert.Kind) (list []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, a := range o.all {
		if a.Kind == kind {
			list = append(list, fmt.Sprintf("%s %d", a.Stream, a.Line))
		}
	}
	return list
}

// In these traces, to begin to run is legal for a service, and not for one that
// exists already.
func serviceLine(op, stream, id string) string {
	return fmt.Sprintf(`{"stream":%q,"kind":"service","op":%q,"id":%q,"object":{"replicas":1,"remove":false}}`, stream, op, id)
}

func begins(stream, id string) string   { return serviceLine("create", stream, id) }
func snapshot(stream, id string) string { return serviceLine("snapshot", stream, id) }

var swarmkit = validators.Options{Select: []string{"swarmkit"}}

// head is the part's checkpoint but for its streams.
func (m *memory) head(part string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heads[part]
}

// all is these options with the specs there are.
func all(o validators.Options) validators.Options {
	o.Specs = specs.All()
	return o
}

// state is that of the only part.
func (r *running) state() board.State {
	if o := r.Overview(); len(o.Parts) == 1 {
		return o.Parts[0].State
	}
	return ""
}
