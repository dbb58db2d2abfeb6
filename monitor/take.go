package monitor

import (
	"context"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/trace"
)

// cursor is the progress through a batch.
type cursor struct {
	*Batch
	missed      bool // Missed was handled
	events, bad int  // judged so far
	end         trace.Pos
}

// isOver reports whether the whole batch was handled.
func (c *cursor) isOver() bool {
	return c.events == len(c.Events) && c.bad == len(c.Bad) && (c.missed || c.Missed == nil)
}

// next returns the place of the next input, and whether it is malformed. At the
// end it returns the last place.
func (c *cursor) next() (pos trace.Pos, bad bool) {
	switch {
	case c.bad < len(c.Bad) && c.Bad[c.bad].Before <= c.events:
		return c.Bad[c.bad].Err.Pos, true
	case c.events < len(c.Events):
		return c.Events[c.events].Pos, false
	}
	return c.end, false
}

// untilBad returns the number of events before the next malformed record.
func (c *cursor) untilBad() int {
	if c.bad < len(c.Bad) {
		return c.Bad[c.bad].Before - c.events
	}
	return len(c.Events) - c.events
}

// take judges a batch, as far as there is room for its alerts.
func (p *part) take(ctx context.Context, b *Batch) error {
	if err := p.writeDeadLetters(ctx, b.Bad); err != nil {
		return err
	}
	p.lines.add(b.Events, max(p.m.opts.Lines/p.m.partCount(), leastLines))
	defer p.lines.adding.Wait()
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

// judge continues the batch until its end, or until too many alerts are
// pending. more is then closed when there may be room, and the position is that
// of the next input.
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

// wait waits, and logs it if it takes longer than a moment.
func (p *part) wait(ctx context.Context, more <-chan struct{}) error {
	defer p.whileWaiting()()
	select {
	case <-more:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// push gives the runner the next n events and malformed records, and the rest
// of the last one's input. Missing events come first.
func (p *part) push(c *cursor, n int) {
	if c.Missed != nil && !c.missed {
		c.missed = true
		p.log.Warn("events are missing: no stream is judged before its next snapshot", zap.Error(c.Missed))
		p.runner.LoseAll(c.Missed)
		p.miss(c.Missed)
	}
	from := c.events
	for !c.isOver() {
		pos, bad := c.next()
		if n--; n < 0 && pos != c.end {
			break
		}
		if c.end = pos; !bad {
			c.events++
			if more := min(n, c.untilBad()); more > 0 {
				c.events, n = c.events+more, n-more
				c.end = c.Events[c.events-1].Pos
			}
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
	// With Recover, no event ends the run.
	if err := p.runner.Push(events); err != nil {
		p.log.Error("cannot judge", zap.Error(err))
	}
}

// lose gives the runner a malformed record.
func (p *part) lose(bad *ingest.Malformed) {
	p.totals.Bad++
	if len(bad.Streams) == 0 {
		p.runner.LoseAll(bad.Err)
	}
	for _, name := range bad.Streams {
		p.runner.Lose(name, bad.Err)
	}
}
