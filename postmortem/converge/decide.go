package converge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tracecheck/trace"
)

// decision is a decision that comes if nothing happens until then.
type decision struct {
	at      time.Time
	verdict Verdict
	cause   Cause
	reason  string
}

// due returns the first decision that comes if nothing more happens.
func (g *Gate) due() decision {
	first := decision{at: g.start.Add(g.opts.Timeout), verdict: NotConverged, cause: CauseTimeout}
	for _, w := range g.services {
		for _, e := range w.picture.ends {
			if e.at.Before(first.at) {
				first = decision{e.at, NotConverged, e.cause, e.reason}
			}
		}
	}
	if at, ok := g.stableAt(); ok && !at.After(first.at) {
		first = decision{at: at, verdict: Converged, reason: "every service is as asked for, and has been for " + g.opts.Stable.String()}
	}
	return first
}

// ripen makes the decision that is due.
func (g *Gate) ripen(d decision) {
	g.now = later(g.now, d.at)
	if missing := g.missing(); d.cause == CauseTimeout && missing != "" {
		d.verdict, d.cause, d.reason = CannotTell, CauseUnknown, missing
	} else if d.cause == CauseTimeout {
		d.reason = fmt.Sprintf("%s have passed, and %s", g.opts.Timeout, g.openEnds())
	}
	g.decide(g.now, d.verdict, d.cause, d.reason)
}

// stableAt returns the time at which all services will have been stable for long enough.
func (g *Gate) stableAt() (at time.Time, ok bool) {
	if !g.Holds() {
		return at, false
	}
	for _, w := range g.services {
		at = later(at, w.stableAt(g.store.services[w.id], &g.opts, g.start))
	}
	return at, true
}

// Finish decides at the end of a recording. If the services were not stable for long
// enough, the verdict is CannotTell.
func (g *Gate) Finish() *Result {
	if err := g.Flush(); err != nil || g.result != nil {
		return g.result
	}
	cause, reason := CauseEnded, ""
	switch missing := g.missing(); {
	case !g.seen && g.opts.Stream != "":
		cause, reason = CauseInput, "the recording has no event of "+trace.StreamName(g.stream)
	case !g.seen:
		cause, reason = CauseInput, "the recording has no events"
	case g.now.IsZero():
		cause, reason = CauseNoTime, "no event has a time, so the duration of the state is unknown: give each event its time"
	case g.start.IsZero():
		g.look(everyOne, g.now)
		reason = fmt.Sprintf("the recording ends at %s, before --since %s", Time{g.now}, Time{g.opts.Since})
	case missing != "":
		cause, reason = CauseUnknown, missing
	case g.sequence.Lost():
		reason = "the recording ends after a gap in seq, before a snapshot of the objects"
	default:
		reason = fmt.Sprintf("the recording ends %s after the wait began, and %s", g.now.Sub(g.start), g.openEnds())
	}
	g.decide(g.now, CannotTell, cause, reason)
	return g.result
}

// missing names the services that were not seen, and the existing ones.
func (g *Gate) missing() string {
	var names []string
	for _, w := range g.services {
		if w.id == "" {
			names = append(names, w.word)
		}
	}
	if len(names) == 0 {
		return ""
	}
	var there []string
	for id, s := range g.store.services {
		there = append(there, cmp.Or(s.name, id))
	}
	slices.Sort(there)
	list := "there are none"
	if len(there) > 0 {
		list = "there are " + strings.Join(there, ", ")
	}
	return fmt.Sprintf("no service %s: %s", strings.Join(names, ", "), list)
}

// openEnds describes in a sentence what is missing.
func (g *Gate) openEnds() string {
	var all []string
	for _, w := range g.services {
		switch n := len(w.picture.waiting); {
		case n > 0:
			first := foremost(w.picture.waiting)
			why := first.Why
			if first.Task != "" {
				why = "task " + first.Task + ": " + why
			}
			if first.Err != "" {
				why += ": " + first.Err
			}
			if n > 1 {
				why += fmt.Sprintf(", and %d more", n-1)
			}
			all = append(all, fmt.Sprintf("service %s is not as asked for (%s)", w.word, why))
		case !w.since.IsZero():
			all = append(all, fmt.Sprintf("service %s is as asked for only since %s", w.word, Time{w.since}))
		}
	}
	return strings.Join(all, "; ")
}

// foremost returns the most informative open end: one with the engine's own message, or
// else one about a task.
func foremost(all []Waiting) Waiting {
	rank := func(w Waiting) int {
		switch {
		case w.Err != "":
			return 2
		case w.Task != "":
			return 1
		}
		return 0
	}
	best := all[0]
	for _, w := range all[1:] {
		if rank(w) > rank(best) {
			best = w
		}
	}
	return best
}

// decide sets the result, once.
func (g *Gate) decide(at time.Time, verdict Verdict, cause Cause, reason string) {
	if g.result != nil {
		return
	}
	g.result = g.report()
	g.result.At = moment(at)
	g.result.Verdict, g.result.Cause, g.result.Reason = verdict, cause, reason
}

// report returns the current state, without a decision.
func (g *Gate) report() *Result {
	r := &Result{Version: 1, From: moment(g.start), Services: []Service{}}
	for _, w := range g.services {
		one := Service{
			Name: w.word, ID: w.id, Converged: !w.since.IsZero(), Since: moment(w.since),
			Running: w.picture.running, Wanted: w.picture.wanted, Failures: w.failed,
			Waiting: append([]Waiting{}, w.picture.waiting...),
		}
		if s := g.store.services[w.id]; s != nil {
			one.Name, one.Mode, one.UpdateState = cmp.Or(s.name, w.id), s.mode, s.updateState
		}
		r.Services = append(r.Services, one)
	}
	return r
}

// Progress returns the state of the services while there is no decision.
func (g *Gate) Progress() []Service { return g.report().Services }
