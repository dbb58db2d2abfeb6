package validators

import "tracecheck/trace/codec"

// A deadline for what the system does at once holds for some kinds of wait only.
// Nobody knows whether the system ran while nothing happened: a cluster without a
// leader is silent. So a silence counts for at most half of that deadline.

// silence is from one event's time to the next one's, in ns since 1970.
type silence struct{ from, to int64 }

// silences are the last long ones of a stream, the latest last. What was open
// before both has waited for the deadline.
type silences struct {
	seen int64 // the clock, as last seen; noTime: not yet
	last [2]silence
}

// tick sees the clock move on; a silence is longer than most (ns).
func (s *silences) tick(clock, most int64) {
	if s.seen != noTime && clock-s.seen > most {
		s.last = [2]silence{s.last[1], {s.seen, clock}}
	}
	s.seen = clock
}

// waited is for how long something has been open by now, in ns, of which each
// silence is at most most.
func (s *silences) waited(since, most int64) int64 {
	d := s.seen - since
	for _, q := range s.last {
		if q.to > since {
			d -= max(0, q.to-max(q.from, since)-most)
		}
	}
	return d
}

func (s *silences) code(c *codec.Codec) {
	codec.Int(c, &s.seen)
	for i := range s.last {
		codec.Int(c, &s.last[i].from)
		codec.Int(c, &s.last[i].to)
	}
}

// overduePrompt is overdue for the kinds of wait that are prompt. None of them
// has a gate.
func (l *Ledger) overduePrompt(now, limit int64, prompt func(*Obligation) bool, yield func(o *Obligation, waited int64)) {
	l.quiet.tick(now, limit/2)
	if l.start == noTime {
		return
	}
	for o := l.open.first(); o != nil; o = l.open.first() {
		waited := l.quiet.waited(max(o.since.nanos, l.start), limit/2)
		if waited <= limit {
			return
		}
		l.unlink(o)
		if o.Gate != nil || !prompt(o) {
			l.push(&l.past, o)
			continue
		}
		l.push(&l.late, o)
		yield(o, waited)
	}
}

// recallPast puts what is past before what is open, after another deadline was set.
func (l *Ledger) recallPast() {
	for _, move := range [...]struct{ from, to *obligations }{{&l.open, &l.past}, {&l.past, &l.open}} {
		for o := move.from.first(); o != nil; o = move.from.first() {
			l.unlink(o)
			l.push(move.to, o)
		}
	}
}

// oldestPrompt is since when the oldest obligation is open that the system would
// have met at once: of very many, the oldest of those that it looks at.
func (j *judge) oldestPrompt() (oldest Stamp, is bool) {
	if _, can := j.machine.(Reasoner); !can {
		return Stamp{}, false
	}
	l, at := &j.ledger, moment{}
	for _, list := range [...]*obligations{&l.late, &l.past, &l.open} {
		for o, n := list.first(), 0; o != nil && o != list.end && n < mostLooks; o, n = o.next, n+1 {
			if o.For == 0 || o.Gate != nil || !j.isPrompt(o) {
				continue
			}
			if !is || o.since.place < at.place {
				at, is = o.since, true
			}
			break
		}
	}
	return l.stamp(at), is
}
