package monitor

import (
	"context"
	"fmt"
	"testing"

	"tracecheck/monitor/alert"
	"tracecheck/monitor/checkpoint"
	"tracecheck/trace"
	"tracecheck/validators"
)

// A checkpoint has the state at its position: it waits for what is not judged yet.
func TestCheckpointWaits(t *testing.T) {
	outbox, err := alert.NewOutbox(nil, alert.Options{MaxPending: 1 << 30, MaxBytes: 1 << 50})
	if err != nil {
		t.Fatal(err)
	}
	defer outbox.Close(t.Context())
	m, err := New(Options{Outbox: outbox, Judge: validators.Options{Shards: 2}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.open(stub{})
	if err != nil {
		t.Fatal(err)
	}
	const many = 20_000
	b := &Batch{Keep: func() func() { return func() {} }, Next: "end"}
	var d trace.Decoder
	for n := range many {
		var ev trace.Event
		if err := d.Decode([]byte(nodeLine("s", fmt.Sprint(n), n)), trace.Pos{File: "f", Line: n + 1}, &ev); err != nil {
			t.Fatal(err)
		}
		b.Events = append(b.Events, ev)
	}
	if later, _ := p.later(b); !later {
		t.Fatal("it was not judged later")
	}
	kept := &oneHead{}
	p.save(kept)
	p.saver.written.Wait()
	if h, err := ReadKept(kept.head); err != nil || h.Position != "end" || h.Counted.Events != many {
		t.Errorf("%v; the checkpoint is %s", err, kept.head)
	}
}

type stub struct{ Part }

func (stub) Name() string { return "p" }

// oneHead is a store of one head.
type oneHead struct {
	checkpoint.Part
	head []byte
}

func (*oneHead) Whole() bool { return true }

func (k *oneHead) Save(_ context.Context, c *checkpoint.Change) error {
	k.head = c.Head
	for range c.Streams {
	}
	return nil
}
