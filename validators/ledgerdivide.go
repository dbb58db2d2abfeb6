package validators

import "tracecheck/trace/codec"

// There may be very many obligations, and they are written while they come and
// go: list by list, as each list was when that began. New ones are at its end.
// One that leaves before its turn is kept with the one that came behind it.

// division is the obligations that are being written down.
type division struct {
	of    *Ledger
	lists []*obligations // those that are not written yet
	at    *Obligation    // of the first, the next one; nil: it has not begun
	gone  map[*Obligation]*queued
}

// queued is some that have left, in their order, by next.
type queued struct{ first, last *Obligation }

// endOfList is no Wait.
const endOfList Wait = 255

// some writes on, until it is done or until says so.
func (d *division) some(c *codec.Codec, until func() bool) (done bool) {
	l := d.of
	for len(d.lists) > 0 {
		list := d.lists[0]
		if d.at == nil {
			if d.at = list.first(); d.at == nil {
				d.at = list.end
			}
		}
		for d.at != list.end && (l.division != d || d.at.mark != l.writing) {
			o := d.at
			d.left(c, o)
			o.write(c)
			o.mark, d.at = l.writing, o.next
			if until() {
				return false
			}
		}
		d.left(c, d.at)
		end := endOfList
		codec.Uint(c, &end)
		d.lists, d.at = d.lists[1:], nil
	}
	if l.division == d {
		l.division = nil
	}
	return true
}

// left writes those that have left from before o.
func (d *division) left(c *codec.Codec, o *Obligation) {
	q := d.gone[o]
	if q == nil {
		return
	}
	delete(d.gone, o)
	for g := q.first; g != nil; g = g.next {
		g.write(c)
	}
}

func (o *Obligation) write(c *codec.Codec) {
	if codec.Uint(c, &o.For); o.For == 0 {
		codec.Int(c, &o.Gate.place)
		return
	}
	a := askedBy(o)
	a.code(c)
	o.since.code(c)
}

// wasNamed is a Waiter that may be another record by now.
type wasNamed Ref

// Ref implements Waiter.
func (n wasNamed) Ref() Ref { return Ref(n) }

// unlink takes o out of its list, if it is in one.
func (l *Ledger) unlink(o *Obligation) {
	if l.division != nil && o.next != nil {
		l.division.leaves(o)
	}
	o.unlink()
}

func (d *division) leaves(o *Obligation) {
	q := d.gone[o]
	delete(d.gone, o)
	if o.mark != d.of.writing {
		g := &Obligation{Want: o.Want, since: o.since}
		if o.Of != nil {
			g.Of = wasNamed(o.Of.Ref())
		}
		q = q.and(&queued{g, g})
	}
	if q != nil {
		d.gone[o.next] = q.and(d.gone[o.next])
	}
	if d.at == o {
		d.at = o.next
	}
}

func (q *queued) and(other *queued) *queued {
	switch {
	case q == nil:
		return other
	case other != nil:
		q.last.next, q.last = other.first, other.last
	}
	return q
}

// push puts o at the end of the list. It is no part of what is being written.
func (l *Ledger) push(list *obligations, o *Obligation) {
	o.mark = l.writing
	if d := l.division; d != nil && list.end != nil {
		if q := d.gone[list.end]; q != nil {
			delete(d.gone, list.end)
			d.gone[o] = q
		}
		if d.at == list.end {
			d.at = o
		}
	}
	list.push(o)
}
