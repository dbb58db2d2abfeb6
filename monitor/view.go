package monitor

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"tracecheck/monitor/board"
	"tracecheck/validators"
)

// view is the shown state of a part, as of the last update.
type view struct {
	mu        sync.Mutex
	part      board.Part
	totals    board.Totals
	counted   board.Counters
	streams   map[string]sight
	events    int64 // at the last update
	looked    time.Time
	firstPoll time.Time // when the source was first polled; zero: not yet
	away      string    // as in a Report
}

func (w *view) init(name string) {
	w.part = board.Part{Name: name, State: board.Loading, Lag: -1, Began: time.Now()}
	w.streams = map[string]sight{}
}

// set changes the state of the part.
func (p *part) set(s board.State, reason string) {
	p.view.mu.Lock()
	p.view.part.State, p.view.part.Reason = s, reason
	p.view.mu.Unlock()
	p.m.wake()
}

// shown returns the part for the board; w.mu is held.
func (w *view) shown() board.Part {
	p := w.part
	if p.State == board.Judging && w.away != "" {
		p.State, p.Reason = board.Absent, w.away
	}
	return p
}

func (w *view) state() board.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.part.State
}

func (w *view) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.streams)
}

// heard records a batch.
func (w *view) heard(b *Batch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.part.LastRead, w.part.Lag, w.part.Unit = time.Now(), b.Lag, b.Unit
}

// ask asks the source for its state.
func (p *part) ask(now time.Time) {
	src, ok := p.src.(Reporter)
	if !ok {
		return
	}
	p.mu.Lock()
	position := p.position
	p.mu.Unlock()
	r := src.Report(position)
	w := &p.view
	w.mu.Lock()
	if w.part.Lag != r.Lag || w.away != r.Away || w.part.Blocked.IsZero() != r.Blocked.IsZero() {
		defer p.m.wake()
	}
	defer w.mu.Unlock()
	if w.firstPoll.IsZero() {
		w.firstPoll = now
	}
	if w.part.Answered = r.Answered; r.Answered.Before(w.firstPoll) {
		w.part.Answered = w.firstPoll
	}
	w.part.Lag, w.part.Unit, w.part.Blocked, w.part.Place, w.away = r.Lag, r.Unit, r.Blocked, r.Place, r.Away
}

// whileWaiting shows that judging waits for the delivery of alerts, if that
// takes longer than a moment. It is over when the returned function is called.
func (p *part) whileWaiting() func() {
	done := make(chan struct{})
	t := time.AfterFunc(p.m.opts.Look, func() {
		p.set(board.Waiting, "")
		close(done)
	})
	return func() {
		if !t.Stop() {
			<-done
			p.set(board.Judging, "")
		}
	}
}

// statusShare is the number of streams to read while judging is stopped once.
const statusShare = 2000

// update reads the part's streams that have had an event since the last update,
// or all. all is for streams just restored from a checkpoint. It reports
// whether something has changed. There is one update at a time.
func (p *part) update(now time.Time, all bool) (changed bool) {
	w := &p.view
	p.mu.Lock()
	status := p.runner.BeginStatus(all)
	streams, acked := p.runner.Counts().Streams, len(p.acked.all)
	t := p.totals.clone()
	before := p.before // it does not change
	position := p.position
	p.mu.Unlock()
	w.mu.Lock()
	elapsed := now.Sub(w.looked).Seconds()
	if w.looked.IsZero() {
		elapsed = 0
	}
	w.mu.Unlock()
	rate := func(events int64) float64 {
		if elapsed <= 0 {
			return 0
		}
		return float64(events) / elapsed
	}
	heard := now
	if all {
		heard = time.Time{}
	}
	var updated []seen
	for done := false; !done; {
		updated = updated[:0]
		p.mu.Lock()
		done = status.Share(statusShare, func(s *validators.StreamStatus) {
			updated = append(updated, seen{sight: sightOf(s, &heard), name: s.Stream})
		})
		p.mu.Unlock()
		changed = changed || len(updated) > 0
		w.mu.Lock()
		for i := range updated {
			s := &updated[i]
			if old, known := w.streams[s.name]; known {
				s.rate = float32(rate(int64(s.events - old.events)))
			}
			w.streams[s.name] = s.sight
		}
		w.mu.Unlock()
	}
	sum := w.tally(&t) // only this goroutine changes the streams: readers need not wait

	w.mu.Lock()
	changed = changed || w.events != t.Events || w.totals.Bad != t.Bad
	w.part.Position, w.part.Events, w.part.Streams = string(position), t.Events, streams
	if w.events > 0 || t.Events == 0 {
		w.part.Rate = rate(t.Events - w.events)
	}
	p.saver.mu.Lock()
	w.part.Saved, w.part.Bytes = p.saver.last, p.saver.bytes
	w.part.Pause, w.part.PauseSum, w.part.Took = p.saver.pause, p.saver.noting, p.saver.took
	p.saver.mu.Unlock()
	w.events, w.looked = t.Events, now
	sum.Rate = w.part.Rate
	w.totals = sum
	w.totals.Acked = acked
	w.counted = since(&t, &before)
	if w.part.Fallback != "" {
		w.counted.Fallbacks = 1
	}
	w.mu.Unlock()
	if changed {
		p.m.wake()
	}
	return changed
}

// tally sums up the streams.
func (w *view) tally(t *totals) board.Totals {
	sum := board.Totals{Events: t.Events, Steps: t.Steps, Duplicates: t.Duplicates, Skipped: t.Skipped, Violations: t.Violations, Bad: t.Bad, Streams: len(w.streams)}
	sum.ByRule = byRule(t, &totals{})
	var oldest, prompt int64
	first := func(a, b int64) int64 {
		if a == 0 || b != 0 && b < a {
			return b
		}
		return a
	}
	for _, s := range w.streams {
		if s.unusable {
			sum.Unusable++
		}
		if s.undesired {
			sum.Undesired++
		}
		sum.Objects += int(s.objects)
		sum.Open += int(s.open)
		oldest, prompt = first(oldest, s.oldest), first(prompt, s.prompt)
	}
	sum.Oldest, sum.Prompt = moment(oldest), moment(prompt)
	return sum
}

// earlier returns the earlier of two times; the zero time is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// since returns the counts since the totals before.
func since(t, before *totals) board.Counters {
	return board.Counters{
		Events: t.Events - before.Events, Steps: t.Steps - before.Steps, Duplicates: t.Duplicates - before.Duplicates, Skipped: t.Skipped - before.Skipped, Known: t.Known - before.Known, Bad: t.Bad - before.Bad, ByRule: byRule(t, before),
	}
}

func byRule(t, before *totals) []board.RuleCount {
	var list []board.RuleCount
	for _, key := range slices.Sorted(maps.Keys(t.ByRule)) {
		spec, rule, _ := strings.Cut(key, " ")
		if n := t.ByRule[key] - before.ByRule[key]; n > 0 {
			list = append(list, board.RuleCount{Spec: spec, Rule: rule, Count: n})
		}
	}
	return list
}
