package monitor_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/specs"
	"tracecheck/validators"
)

// holder is an outbox whose receivers lack some alerts.
type holder struct {
	outbox
	lack []alert.Pending
}

func (h *holder) Pending(string) []alert.Pending { return h.lack }

// The end of a monitor logs how many alerts are not delivered yet, and nothing if
// there are none.
func TestPendingAlertsAreLogged(t *testing.T) {
	t.Parallel()
	for name, lack := range map[string][]alert.Pending{"none": nil, "two": {{For: []string{"a"}}, {For: []string{"a", "b"}}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits for them for a while
			core, logged := observer.New(zap.WarnLevel)
			ctx, end := context.WithCancel(t.Context())
			p := &listed{name: "p", ended: make(chan struct{})}
			m, err := monitor.New(monitor.Options{
				Source: &list{parts: []*listed{p}}, Judge: validators.Options{Specs: specs.All()}, Outbox: &holder{lack: lack}, Every: time.Hour, Settle: 50 * time.Millisecond, Log: zap.New(core),
			})
			if err != nil {
				t.Fatal(err)
			}
			go func() { <-p.ended; end() }()
			if err := m.Run(ctx); err != nil {
				t.Fatal(err)
			}
			entries := logged.FilterMessageSnippet("not delivered yet").All()
			if len(lack) == 0 && len(entries) > 0 || len(lack) > 0 && (len(entries) != 1 || entries[0].ContextMap()["alerts"] != int64(len(lack))) {
				t.Errorf("with %d pending, logged %v", len(lack), entries)
			}
		})
	}
}
