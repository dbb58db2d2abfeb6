// Package remind decides when to log a lasting condition again.
package remind

import "time"

// Reminder is for one such thing, as that a server does not answer. The zero value
// is ready: it has not begun.
type Reminder struct {
	since, next time.Time
	gap         time.Duration
}

// How far apart the log says the same: the second time, and at most.
const (
	firstGap = 10 * time.Second
	mostGap  = 10 * time.Minute
)

// Due reports whether it is to be logged: when it begins, after ten seconds, and
// then each time after twice as long, up to ten minutes.
func (r *Reminder) Due(now time.Time) bool {
	switch {
	case r.since.IsZero():
		r.since, r.gap = now, firstGap
	case now.Before(r.next):
		return false
	default:
		r.gap = min(2*r.gap, mostGap)
	}
	r.next = now.Add(r.gap)
	return true
}

// Since is when it began; zero: it is not so.
func (r *Reminder) Since() time.Time { return r.since }

// Over ends it, and reports whether it was so.
func (r *Reminder) Over() bool {
	was := !r.since.IsZero()
	*r = Reminder{}
	return was
}
