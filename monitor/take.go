package monitor

import (
	"context"

	"go.uber.org/zap"

	"tracecheck/trace"
)

// cursor is how far a batch was dealt with.
type cursor struct {
	*Batch
	missed      bool // Missed was dealt with
	events, bad int  // that were judged
	end         trace.Pos
}

// isOver reports whether all was.
func (c *cursor) isOver() bool {
	return c.events == len(c.Events) && c.bad == len(c.Bad) && (c.missed || c.Missed == nil)
}

// next is the place of what comes next, and whether that is no event. At the end
// it is that of the last one.
func (c *cursor) next() (pos trace.Pos, bad bool) {
	switch {
	case c.bad < len(c.Bad) && c.Bad[c.bad].Before <= c.events:
		return c.Bad[c.bad].Err.Pos, true
	case c.events < len(c.Events):
		return c.Events[c.events].Pos, false
	}
	return c.end, false
}

// take judges a batch, as there is room for the alerts that it makes.
func (p *part) take(ctx context.Context, b *Batch) error {
	if err := p.setAside(ctx, b.Bad); err != nil {
		return err
	}
	for c := (cursor{Batch: b}); ; {
		over, more := p.judge(&c)
		if over {
			return nil
		}
		if err := p.wait(ctx, more); err != nil {
			return err
		}
	}
}

// judge goes on with the batch until it is over, or until as many alerts are
// pending as may be: more is closed when there may be room again. The position is
// then that of what was not judged.
func (p *part) judge(c *cursor) (over bool, more <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !c.isOver() {
		left := len(c.Events) - c.events + len(c.Bad) - c.bad
		n := max(1, left)
		if c.At == nil {
			n = 1
		}
		reserved, room := p.m.opts.Outbox.Reserve(n)
		if reserved == 0 {
			if pos, _ := c.next(); c.At != nil && (c.events > 0 || c.bad > 0) {
				p.position = c.At(pos)
			}
			return false, room
		}
		if n = reserved; c.At == nil {
			n = left
		}
		p.push(c, n)
		p.m.opts.Outbox.Add(p.name, p.find(), reserved)
	}
	p.position = c.Next
	p.view.heard(c.Batch)
	return true, nil
}

// wait waits, and says so where it is for longer than a moment.
func (p *part) wait(ctx context.Context, more <-chan struct{}) error {
	defer p.whileWaiting()()
	select {
	case <-more:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// push has the runner judge the next so many events and inputs that are none, and
// all of the input that the last one is in; and first that events are missing.
func (p *part) push(c *cursor, n int) {
	if c.Missed != nil && !c.missed {
		c.missed = true
		p.log.Warn("events are missing: no stream is judged before its next snapshot", zap.Error(c.Missed))
		p.runner.LoseAll(c.Missed)
		p.miss(c.Missed)
	}
	from := c.events
	for left := len(c.Events) - c.events + len(c.Bad) - c.bad; left > 0; left-- {
		pos, bad := c.next()
		if n--; n < 0 && pos != c.end {
			break
		}
		if c.end = pos; !bad {
			c.events++
			continue
		}
		p.pushEvents(c.Events[from:c.events])
		from = c.events
		p.lose(&c.Bad[c.bad])
		c.bad++
	}
	p.pushEvents(c.Events[from:c.events])
}

func (p *part) pushEvents(events []trace.Event) {
	if len(events) == 0 {
		return
	}
	if p.lines.list == nil {
		p.lines.begin(max(p.m.opts.Lines/p.m.partCount(), leastLines))
	}
	p.lines.add(events)
	// With Recover, no event ends the run.
	if err := p.runner.Push(events); err != nil {
		p.log.Error("judging", zap.Error(err))
	}
}

// lose has the runner know of what is no event.
func (p *part) lose(bad *Bad) {
	p.totals.Bad++
	if len(bad.Streams) == 0 {
		p.runner.LoseAll(bad.Err)
	}
	for _, name := range bad.Streams {
		p.runner.Lose(name, bad.Err)
	}
}
