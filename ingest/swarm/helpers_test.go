package swarm

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/swarmtest"
)

// quick is a pace for tests, also on a busy machine.
var quick = pace{
	answer: time.Minute, settle: 300 * time.Millisecond, retry: 10 * time.Millisecond,
	retryMax: 50 * time.Millisecond, look: time.Hour, behind: 5 * time.Second,
}

// tape is a recording in the making.
type tape struct {
	t      *testing.T
	source *Source
	stop   func() error

	mu    sync.Mutex
	grown *sync.Cond
	lines []object.Line
	metas []meta // in the middle of the recording
	text  strings.Builder
	at    []place // after each batch
}

// meta is a meta line before a line, and the history limit that it states.
type meta struct {
	before int
	limit  int64
}

// place is how far a recording has come, in lines too.
type place struct {
	lines    int
	position string
}

func record(t *testing.T, f *swarmtest.Manager) *tape {
	t.Helper()
	return recordWith(t, Options{Socket: f.Socket, pace: quick})
}

// begin records an empty swarm of one node.
func begin(t *testing.T) (*swarmtest.Manager, *tape) {
	t.Helper()
	f := swarmtest.New(t)
	p := record(t, f)
	p.wait(object.OpSnapshot, "n1")
	return f, p
}

func recordWith(t *testing.T, opts Options) *tape {
	t.Helper()
	source, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	p := &tape{t: t, source: source}
	p.grown = sync.NewCond(&p.mu)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- source.Run(ctx, p.take) }()
	p.stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(time.Minute):
			return fmt.Errorf("it did not end")
		}
	})
	t.Cleanup(func() { cancel() })
	return p
}

func (p *tape) take(b Batch) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	texts := strings.SplitAfter(string(b.Lines), "\n")
	if strings.HasPrefix(texts[0], `{"kind":"meta"`) {
		p.metas = append(p.metas, meta{len(p.lines), gjson.Get(texts[0], "object.constants.max_terminated").Int()})
		texts = texts[1:]
	}
	if last := len(texts) - 1; texts[last] != "" || last != b.Events {
		p.t.Errorf("a batch of %d events is %q", b.Events, texts)
	}
	for _, text := range texts[:len(texts)-1] {
		var l object.Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			p.t.Errorf("%s: %v", text, err)
		}
		if (l.Op == object.OpSnapshot) != b.Snapshot {
			p.t.Errorf("in a batch with snapshot %v: %s", b.Snapshot, text)
		}
		p.lines = append(p.lines, l)
		p.text.WriteString(text)
	}
	p.at = append(p.at, place{len(p.lines), p.source.Position()})
	p.grown.Broadcast()
	return nil
}

// wait waits for a line of this op and id.
func (p *tape) wait(op, id string) {
	p.t.Helper()
	p.waitFor(op+" of "+id, func() bool {
		return slices.ContainsFunc(p.lines, func(l object.Line) bool { return l.Op == op && l.ID == id })
	})
}

// waitFor waits until the condition holds, which may look at the tape.
func (p *tape) waitFor(what string, holds func() bool) {
	p.t.Helper()
	late := time.AfterFunc(time.Minute, func() { p.mu.Lock(); p.grown.Broadcast(); p.mu.Unlock() })
	defer late.Stop()
	begin := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !holds() {
		if time.Since(begin) > time.Minute {
			p.t.Fatalf("never: %s, in\n%s", what, p.text.String())
		}
		p.grown.Wait()
	}
}

// end stops the recording and returns its lines.
func (p *tape) end() []object.Line {
	p.t.Helper()
	if err := p.stop(); err != nil {
		p.t.Fatal(err)
	}
	return p.lines
}

// played is what a reader of the trace has at its end.
type played struct {
	objects map[object.Key]map[string]any
	gaps    int
	txs     []string // each step: its changes, in order
}

// play reads the lines as the format states, and fails where they contradict it
// or themselves.
func play(t *testing.T, lines []object.Line) played {
	t.Helper()
	p := played{objects: map[object.Key]map[string]any{}}
	var next int64
	var tx any
	for i, l := range lines {
		k := object.Key{Kind: l.Kind, ID: l.ID}
		switch {
		case next != 0 && l.Seq > next:
			p.gaps++
			p.objects = map[object.Key]map[string]any{}
		case next != 0 && l.Seq != next:
			t.Errorf("line %d: seq is %d, want %d", i, l.Seq, next)
		}
		next = l.Seq + 1
		_, exists := p.objects[k]
		if exists != (l.Op == object.OpUpdate || l.Op == object.OpDelete) {
			t.Errorf("line %d: %s of %v, which exists: %v", i, l.Op, k, exists)
		}
		if l.Op == object.OpDelete {
			delete(p.objects, k)
		} else {
			now := maps.Clone(p.objects[k])
			if now == nil {
				now = map[string]any{}
			}
			for name, value := range *l.Object {
				if now[name] = value; value == nil {
					delete(now, name)
				}
			}
			p.objects[k] = now
		}
		if l.Op == object.OpSnapshot {
			tx = nil
			continue
		}
		text := fmt.Sprintf("%s %s", l.Op, l.ID)
		if l.Tx == nil {
			t.Errorf("line %d has no tx: %+v", i, l)
		} else if reflect.DeepEqual(tx, l.Tx) {
			p.txs[len(p.txs)-1] += ", " + text
		} else {
			p.txs = append(p.txs, text)
		}
		tx = l.Tx
	}
	return p
}

// existing is what a reader should have at the end: the manager's store.
func existing(t *testing.T, f *swarmtest.Manager) map[object.Key]map[string]any {
	t.Helper()
	c, data := cut{}, map[object.Key]map[string]any{}
	for k, o := range f.Objects() {
		c[object.Key{Kind: k.Kind, ID: k.ID}] = swarmtest.Sent(t, o)
	}
	for _, one := range newMirror(c).snapshot() {
		text, err := json.Marshal(one.Data)
		if err != nil {
			t.Fatal(err)
		}
		var o map[string]any
		if err := json.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		data[one.Key] = o
	}
	return data
}

// check ends the recording and compares what it states with the manager.
func (p *tape) check(f *swarmtest.Manager, gaps int) played {
	p.t.Helper()
	got := play(p.t, p.end())
	if want := existing(p.t, f); !reflect.DeepEqual(got.objects, want) {
		p.t.Errorf("the recording ends with\n%v\nwant\n%v", got.objects, want)
	}
	if got.gaps != gaps {
		p.t.Errorf("%d gaps, want %d, in\n%s", got.gaps, gaps, p.text.String())
	}
	return got
}

// checkSteps is check, and compares the steps.
func (p *tape) checkSteps(f *swarmtest.Manager, gaps int, want ...string) {
	p.t.Helper()
	if got := p.check(f, gaps).txs; !slices.Equal(got, want) {
		p.t.Errorf("steps are %q, want %q", got, want)
	}
}
