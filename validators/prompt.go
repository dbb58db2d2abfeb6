package validators

import "tracecheck/trace/codec"

// Some deadlines hold only for what the system does at once. Without events, it
// is unknown whether the system ran: a cluster without a leader is silent. So a
// silence counts for at most half of that deadline.

// silence is the time between two events, in ns since 1970.
type silence struct{ from, to int64 }

// silences are the last two long silences of a stream, the latest last. An
// obligation that was open before both has waited for the deadline.
type silences struct {
	seen int64 // the clock at the last event; noTime: no event yet
	last [2]silence
}

// tick advances the clock. A gap of more than most (ns) is a silence.
func (s *silences) tick(clock, most int64) {
	if s.seen != noTime && clock-s.seen > most {
		s.last = [2]silence{s.last[1], {s.seen, clock}}
	}
	s.seen = clock
}

// waited is how long something has been open, in ns. Each silence counts for at
// most most.
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

// overduePrompt is overdue for prompt kinds of waits. They have no gates.
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

// recallPast moves past obligations back to open ones, after the deadline has
// changed.
func (l *Ledger) recallPast() {
	for _, move := range [...]struct{ from, to *obligations }{{&l.open, &l.past}, {&l.past, &l.open}} {
		for o := move.from.first(); o != nil; o = move.from.first() {
			l.unlink(o)
			l.push(move.to, o)
		}
	}
}

// oldestPrompt is when the oldest prompt obligation began. Of very many
// obligations, it looks at some only.
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
