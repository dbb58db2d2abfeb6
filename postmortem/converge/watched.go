package converge

import (
	"fmt"
	"strings"
	"time"
)

// watched is a service of the wait.
type watched struct {
	word     string    // the name or id that the user gave
	id       string    // "": it was not seen
	since    time.Time // since when it has converged; zero: it has not
	picture  picture
	opened   map[string]time.Time // open ends without a task, since when
	failures map[vslot]failures
	failed   int      // how many tasks ended by themselves, in all
	worst    failures // of one slot
}

// failures are the tasks of a slot that ended by themselves.
type failures struct {
	count int
	last  *task
}

// find looks for the service by name or id, until it is found.
func (w *watched) find(s *store) {
	if w.id != "" {
		return
	}
	if _, ok := s.services[w.word]; ok {
		w.id = w.word
		return
	}
	for id, one := range s.services {
		if one.name == w.word && (w.id == "" || id < w.id) {
			w.id = id
		}
	}
}

// restart restarts the clock of stability.
func (w *watched) restart() { w.since = time.Time{} }

// forgive drops the failures after a change of the spec.
func (w *watched) forgive() { w.failures, w.failed, w.worst = map[vslot]failures{}, 0, failures{} }

// count counts a task that has ended by itself.
func (w *watched) count(s *service, before, now *task) {
	ended := now.state == "failed" || now.state == "rejected" || now.state == "complete" && !s.isJob()
	if !ended || !before.runnable() || !before.wanted() {
		return
	}
	if now.spec.differs(s.spec) && (s.updateState == "updating" || now.image != s.image) {
		return // a task of the version that is being replaced
	}
	w.failed++
	all := failures{w.failures[now.vslot()].count + 1, now}
	w.failures[now.vslot()] = all
	if all.count >= w.worst.count {
		w.worst = all
	}
}

// look updates the picture at the given time.
func (w *watched) look(g *Gate, at time.Time) {
	s := g.store.services[w.id]
	if s == nil {
		w.picture = picture{}
		w.restart()
		return
	}
	opened := map[string]time.Time{}
	p := painter{
		store: g.store, service: s, id: w.id, limit: g.limit, grace: g.opts.Grace, stable: g.opts.Stable, start: g.start,
		opened: func(key string) time.Time {
			since, ok := w.opened[key]
			if !ok {
				since = at
			}
			opened[key] = since
			return since
		},
	}
	w.picture = p.paint()
	w.opened = opened
	switch {
	case len(w.picture.waiting) > 0:
		w.restart()
	case w.since.IsZero():
		w.since = at
	}
}

// stableAt returns when the service will have been stable for long enough.
func (w *watched) stableAt(s *service, opts *Options, start time.Time) time.Time {
	at := w.since.Add(opts.Stable)
	if w.picture.unsettled {
		at = later(at, later(s.changed, start).Add(settling))
	}
	return at
}

// over returns the cause and reason if the service's state ends the wait.
func (w *watched) over(g *Gate) (Cause, string) {
	s := g.store.services[w.id]
	if s == nil {
		return CauseServiceGone, fmt.Sprintf("service %s was removed", w.word)
	}
	if cause, why := failedUpdate(s, g.store.tasks); cause != "" && s.updateSince.After(g.start) {
		return cause, why
	}
	if s.remove {
		return CauseServiceGone, fmt.Sprintf("service %s is being removed", s.name)
	}
	if g.opts.MaxFailures > 0 && w.worst.count >= g.opts.MaxFailures {
		return loop(s, w.worst)
	}
	return "", ""
}

// loop returns the cause and reason if tasks end repeatedly.
func loop(s *service, all failures) (Cause, string) {
	last := all.last
	what := fmt.Sprintf("%s of one slot of service %s ended by themselves; the last: %s", count(all.count, "task"), s.name, described(last))
	switch {
	case last.state == "rejected" && strings.Contains(last.err, "No such image"):
		return CauseImage, what
	case last.state == "rejected":
		return CauseRejected, what
	}
	return CauseCrashLoop, what
}
