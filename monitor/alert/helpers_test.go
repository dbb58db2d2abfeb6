package alert

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"tracecheck/validators"
)

// fake takes alerts unless it is set otherwise.
type fake struct {
	name string
	mu   sync.Mutex
	deny func(alerts []Alert) error // called before alerts are taken; nil: none is denied
	got  []string                   // ids, in order
	shut bool
}

var errDown = errors.New("down")

func (f *fake) Name() string { return f.name }

func (f *fake) Deliver(_ context.Context, alerts []Alert) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	if f.deny != nil {
		err = f.deny(alerts)
	}
	refused, _ := errors.AsType[*RefusedError](err)
	if err != nil && refused == nil {
		return err
	}
next:
	for i := range alerts {
		if refused != nil {
			for _, r := range refused.Refusals {
				if r.Index == i {
					continue next
				}
			}
		}
		f.got = append(f.got, alerts[i].ID)
	}
	return err
}

func (f *fake) Close() error {
	f.shut = true
	return nil
}

func (f *fake) ids() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.got...)
}

// set changes what is denied.
func (f *fake) set(deny func([]Alert) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deny = deny
}

func down([]Alert) error { return errDown }

var found = time.Date(2026, 11, 21, 10, 0, 0, 123_456_789, time.UTC)

func simple(ids ...string) []Alert {
	var list []Alert
	for _, id := range ids {
		list = append(list, Alert{ID: id, Kind: OfUnusable, Part: "p", Stream: "s", Message: "because", Found: found})
	}
	return list
}

// violated is an alert with all that one has.
func violated(id, stream string) Alert {
	offset, seq := int64(17), int64(4)
	return Alert{
		ID: id, Kind: OfViolation, Part: "kafka:events/3", Stream: stream, Message: "no sequence of actions explains this step",
		File: "kafka:events/3", Line: 18, Offset: &offset, Time: "2026-11-21T09:59:59Z", Found: found,
		Violation: &validators.Violation{
			ID: id, Stream: stream, Spec: "swarmkit", Kind: validators.OfTransition, Rule: "Next",
			File: "kafka:events/3", Line: 18, Offset: &offset, FirstLine: 18, LastLine: 18, Seq: &seq,
			Message: "no sequence of actions explains this step",
			Nearest: []validators.Near{{Action: "CleanupService", Actor: "orchestrator", Failed: []string{"services[sid].remove = TRUE", "TasksOf(sid) = {}"}, Values: []string{"", "5 tasks"}}},
			Changes: []validators.Change{{Kind: "service", ID: "web", Before: []byte(`{"replicas":1}`), After: []byte("null")}},
			Events:  []validators.Event{{File: "kafka:events/3", Line: 18, Raw: []byte(`{"kind":"service","op":"delete","id":"web"}`)}},
			History: []validators.Event{{File: "kafka:events/3", Line: 2, Raw: []byte(`{"kind":"service","op":"create","id":"web"}`)}},
		},
	}
}

func numbered(part string, from, n int) []Alert {
	var list []Alert
	for i := from; i < from+n; i++ {
		a := simple(fmt.Sprint(part, "-", i))[0]
		a.Part = part
		list = append(list, a)
	}
	return list
}

func newQueue(t *testing.T, opts Options, receivers ...Receiver) *Queue {
	t.Helper()
	q, err := NewOutbox(receivers, opts)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// add adds what as many events make, each one alert: as they are let in.
func add(ctx context.Context, q *Queue, part string, alerts []Alert) error {
	for len(alerts) > 0 {
		n, more := q.Reserve(len(alerts))
		if n == 0 {
			select {
			case <-more:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		q.Add(part, alerts[:n], n)
		alerts = alerts[n:]
	}
	return nil
}

func mustAdd(t *testing.T, q *Queue, part string, alerts ...Alert) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := add(ctx, q, part, alerts); err != nil {
		t.Fatal(err)
	}
}
