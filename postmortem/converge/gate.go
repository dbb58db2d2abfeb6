package converge

import (
	"errors"
	"fmt"
	"time"

	"tracecheck/trace"
)

// Gate follows one stream until it can decide. It is for one goroutine.
type Gate struct {
	opts     Options
	sequence trace.Sequencer
	store    *store
	limit    int64 // of the history
	stream   string
	seen     bool      // an event of stream
	start    time.Time // when the wait began; zero: it has not
	now      time.Time // the latest known time
	services []*watched
	result   *Result
}

// New returns a Gate. An error means that the options are wrong.
func New(opts Options) (*Gate, error) {
	if len(opts.Services) == 0 {
		return nil, errors.New("no service to wait for: name each with --service")
	}
	if opts.Stable > opts.Timeout {
		return nil, fmt.Errorf("--stable %v is longer than --timeout %v: set a longer --timeout", opts.Stable, opts.Timeout)
	}
	g := &Gate{opts: opts, store: newStore(), limit: -1, stream: opts.Stream}
	g.sequence.OnGap = trace.ResyncOnGap // after a gap come snapshots of everything
	seen := map[string]bool{}
	for _, word := range opts.Services {
		if word == "" {
			return nil, errors.New("a service to wait for has an empty name")
		}
		if !seen[word] {
			g.services = append(g.services, &watched{word: word, failures: map[vslot]failures{}})
		}
		seen[word] = true
	}
	return g, nil
}

// Push takes the next events. Events after the decision do not count. An error is a
// *trace.Error: the input is unusable, and the Gate has decided CannotTell.
func (g *Gate) Push(events []trace.Event) error {
	for i := range events {
		ev := &events[i]
		if g.result != nil {
			return nil
		}
		if !g.seen && g.opts.Stream == "" {
			g.stream = ev.Clone().Stream
		}
		if ev.Stream != g.stream {
			if g.opts.Stream != "" {
				continue
			}
			return g.fail(&trace.Error{Pos: ev.Pos, Stream: ev.Stream, Reason: fmt.Sprintf(
				"the trace has more than one stream (%s, %s): choose one with --stream", trace.StreamName(g.stream), trace.StreamName(ev.Stream))})
		}
		g.seen = true
		if err := g.sequence.Push(ev, (*sink)(g)); err != nil {
			return g.fail(err)
		}
	}
	g.sequence.Own()
	return nil
}

// Flush reports that the last transaction is complete.
func (g *Gate) Flush() error {
	if g.result != nil {
		return nil
	}
	if err := g.sequence.Flush((*sink)(g)); err != nil {
		return g.fail(err)
	}
	return nil
}

// Fail decides that the input cannot be judged, with the reason.
func (g *Gate) Fail(err error) { g.decide(g.now, CannotTell, CauseInput, err.Error()) }

func (g *Gate) fail(err error) error {
	g.Fail(err)
	return err
}

// Listed reports that all live objects have been pushed. An unseen service does not exist.
func (g *Gate) Listed() {
	if missing := g.missing(); g.result == nil && missing != "" {
		g.decide(g.now, CannotTell, CauseUnknown, missing)
	}
}

// Advance sets the current time. Nothing has happened since the last event. Time never goes
// backwards.
func (g *Gate) Advance(now time.Time) {
	if g.result != nil || now.Before(g.now) {
		return
	}
	if g.start.IsZero() {
		if now.Before(g.opts.Since) {
			g.now = now
			return
		}
		g.begin(now)
	}
	if d := g.due(); !d.at.After(now) {
		g.ripen(d)
		return
	}
	g.now = now
}

// begin starts the wait.
func (g *Gate) begin(now time.Time) {
	g.start = now
	if !g.opts.Since.IsZero() {
		g.start = g.opts.Since
	}
	g.now = g.start
	g.lookAt(everyOne, g.start)
}

// lookAt updates some services, and ends the wait if one of them requires it.
func (g *Gate) lookAt(which func(*watched) bool, at time.Time) {
	g.look(which, at)
	for _, w := range g.services {
		if w.id == "" || !which(w) {
			continue
		}
		if cause, why := w.over(g); cause != "" {
			g.decide(at, NotConverged, cause, why)
		}
	}
}

// look updates the pictures of some services.
func (g *Gate) look(which func(*watched) bool, at time.Time) {
	for _, w := range g.services {
		w.find(g.store)
		if w.id != "" && which(w) {
			w.look(g, at)
		}
	}
}

// everyOne selects all services.
func everyOne(*watched) bool { return true }

// Holds reports whether all services have converged now.
func (g *Gate) Holds() bool {
	for _, w := range g.services {
		if w.since.IsZero() {
			return false
		}
	}
	return !g.start.IsZero()
}

// Restart takes back the decision: the clocks of stability restart.
func (g *Gate) Restart(now time.Time) {
	g.result = nil
	for _, w := range g.services {
		if !w.since.IsZero() {
			w.since = later(w.since, now)
		}
	}
}

// Unreachable decides CannotTell, since the manager does not answer.
func (g *Gate) Unreachable(why string) {
	g.result = nil
	g.decide(g.now, CannotTell, CauseAway, why)
}

// Interrupt decides CannotTell, since the user interrupted the wait.
func (g *Gate) Interrupt() {
	if g.result == nil {
		g.decide(g.now, CannotTell, CauseInterrupted, "the wait was interrupted")
	}
}

// Result returns the decision, nil while there is none.
func (g *Gate) Result() *Result { return g.result }
