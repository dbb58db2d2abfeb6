package monitor

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
	"tracecheck/monitor/checkpoint"
	"tracecheck/trace"
	"tracecheck/validators"
)

// part is a part of the source that this process owns. Its state changes
// between batches only, under mu.
type part struct {
	m    *Monitor
	name string
	src  Part
	log  *zap.Logger

	mu       sync.Mutex
	runner   *validators.Runner
	position Position
	of       Identity     // identifies the source of the checkpoint
	missed   *trace.Error // the latest missing events, of any stream; nil: none
	totals   totals
	before   totals // those of the previous owners
	recent   recent
	acked    acked
	lines    timelines

	discard bool // ignore the saved checkpoint: the next one is whole
	saver   saver
	view    view
}

// totals count since the part's first checkpoint.
type totals struct {
	Events     int64
	Steps      int64
	Duplicates int64
	Skipped    int64
	Known      int64
	Violations int64
	ByRule     map[string]int64 // by "spec rule"
	Bad        int64
}

func (t *totals) clone() totals {
	c := *t
	c.ByRule = maps.Clone(t.ByRule)
	return c
}

// newPart makes a part with its runner.
func newPart(m *Monitor, src Part) (p *part, err error) {
	p = &part{m: m, name: src.Name(), src: src, log: m.opts.Log.With(zap.String("part", src.Name()))}
	if p.runner, err = validators.NewRunner(p.acked.options(m.opts.Judge)); err != nil {
		return nil, err
	}
	p.totals.ByRule = map[string]int64{}
	p.view.init(p.name)
	return p, nil
}

// run loads the part, waits for its peers, and judges until ctx ends.
func (p *part) run(ctx context.Context, peers func(context.Context) error) error {
	kept, err := p.load(ctx)
	if err != nil {
		return err
	}
	if kept != nil {
		defer kept.Close()
	}
	if err := peers(ctx); err != nil {
		return err
	}
	p.set(board.Judging, "")
	p.ask(time.Now())
	p.begins()
	stop := p.look(kept)
	err = p.src.Follow(ctx, p.position, func(b *Batch) error { return p.take(ctx, b) })
	p.set(board.Stopping, "")
	stop()
	p.settle()
	if e := p.saveLast(kept); e != nil {
		p.log.Error("cannot write the last checkpoint: events after the previous one will be judged again", zap.Error(e))
	}
	return err
}

// begins logs where judging begins. The source itself logs that there is nothing to read.
func (p *part) begins() {
	p.view.mu.Lock()
	away, place := p.view.away, cmp.Or(p.view.part.Place, string(p.position))
	p.view.mu.Unlock()
	switch {
	case away != "":
	case p.position == "":
		p.log.Info("judging from the start: there is no checkpoint")
	default:
		p.log.Info("judging", zap.String("from", place), zap.Int("streams", p.view.count()))
	}
}

// miss notes that events of any stream are missing; nil: none are.
func (p *part) miss(missed *trace.Error) {
	p.missed = missed
	if missed != nil {
		missed = &trace.Error{Pos: missed.Pos, Reason: "it may have begun in the missing events: " + missed.Reason}
	}
	p.runner.LoseNew(missed)
}

// find makes alerts of the runner's findings.
func (p *part) find() []alert.Alert {
	c := p.runner.Counts()
	p.totals.Events, p.totals.Steps = p.before.Events+int64(c.Events), p.before.Steps+int64(c.Steps)
	p.totals.Known = p.before.Known + int64(c.Known)
	p.totals.Duplicates, p.totals.Skipped = p.before.Duplicates+int64(c.Duplicates), p.before.Skipped+int64(c.Skipped)
	found, troubles := p.runner.Take()
	if len(found)+len(troubles) == 0 {
		return nil
	}
	now := time.Now().UTC()
	var alerts []alert.Alert
	for i := range found {
		v := &found[i]
		p.totals.Violations++
		p.totals.ByRule[v.Spec+" "+v.Rule]++
		p.recent.add(p.lines.timeline(v, p.name, now))
		alerts = append(alerts, alert.Alert{
			ID: v.ID, Kind: alert.OfViolation, Part: p.name, Stream: v.Stream, Message: v.Message,
			File: v.File, Line: v.Line, Offset: v.Offset, Time: v.Time, Found: now, Violation: v,
		})
		p.log.Debug("violation", zap.String("id", v.ID), zap.String("stream", v.Stream), zap.String("spec", v.Spec),
			zap.String("rule", v.Rule), zap.Stringer("at", trace.Pos{File: v.File, Line: v.Line}), zap.String("message", v.Message))
	}
	for i := range troubles {
		alerts = append(alerts, p.unusable(&troubles[i], now))
	}
	return alerts
}

// unusable is the alert that a stream is not judged any more.
func (p *part) unusable(t *validators.Trouble, now time.Time) alert.Alert {
	text := "not judged from here to its next snapshot: " + t.Err.Reason
	if t.Final {
		text = "not judged any more: " + t.Err.Reason
	}
	p.log.Warn("a stream is unusable", zap.String("stream", t.Stream), zap.Stringer("at", t.Err.Pos), zap.String("message", text))
	// The time distinguishes lines that a file had at the same place at different times.
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d %q %q", t.Stream, t.Err.Pos.File, t.Err.Pos.Line, t.Err.Reason, t.After))
	a := alert.Alert{
		ID: hex.EncodeToString(sum[:12]), Kind: alert.OfUnusable, Part: p.name, Stream: t.Stream, Message: text,
		File: t.Err.Pos.File, Line: t.Err.Pos.Line, Found: now,
	}
	if offset, ok := t.Err.Pos.Offset(); ok {
		a.Offset = &offset
	}
	return a
}

// writeDeadLetters writes malformed records. It retries until it succeeds.
func (p *part) writeDeadLetters(ctx context.Context, bad []ingest.Malformed) error {
	for i := range bad {
		p.log.Warn("malformed record", zap.Strings("streams", bad[i].Streams), zap.Error(bad[i].Err))
	}
	if p.m.opts.DeadLetters == nil || len(bad) == 0 {
		return nil
	}
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, time.Minute) {
		err := p.m.opts.DeadLetters(ctx, p.name, bad)
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		p.log.Error("cannot write dead letters: judging waits", zap.Error(err), zap.Duration("retry in", pause))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// settle waits for the delivery of the part's alerts.
func (p *part) settle() {
	for end := time.Now().Add(p.m.opts.Settle); time.Now().Before(end) && len(p.m.opts.Outbox.Pending(p.name)) > 0; {
		time.Sleep(20 * time.Millisecond)
	}
	if n := len(p.m.opts.Outbox.Pending(p.name)); n > 0 {
		p.log.Warn("some alerts are not delivered yet: the next owner of the part sends them", zap.Int("alerts", n))
	}
}

// look updates what is shown, and saves when due, until stop is called.
func (p *part) look(kept checkpoint.Part) (stop func()) {
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		tick := time.NewTicker(min(p.m.opts.Look, p.m.opts.Every))
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				p.ask(now)
				idle := !p.update(now, false)
				p.saver.giveBack(now, idle)
				if kept != nil && p.isDue(now) {
					p.save(kept)
				}
			}
		}
	}()
	return func() { close(done); <-over }
}
