package validators

import "tracecheck/trace/codec"

// There may be very many obligations, so they are saved while they change: list
// by list, as each list was when the saving began. New ones are appended. One
// that is removed before its turn is kept with its successor.

// division is the progress of saving the obligations.
type division struct {
	of    *Ledger
	lists []*obligations // lists that are not saved yet
	at    *Obligation    // next of the first list; nil: the list has not begun
	gone  map[*Obligation]*queued
}

// queued are removed obligations in their order, linked by next.
type queued struct{ first, last *Obligation }

// endOfList marks the end of a list: it is not a Wait.
const endOfList Wait = 255

// some continues the saving until it is done, or until returns true.
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

// left saves removed obligations that came before o.
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
	a := keyOf(o)
	a.code(c)
	o.since.code(c)
}

// wasNamed is the Waiter of a removed obligation: its record may be in use
// again.
type wasNamed Ref

// Ref implements Waiter.
func (n wasNamed) Ref() Ref { return Ref(n) }

// unlink removes o from its list.
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
		g := &Obligation{}
		g.begin(o.Want(), o.since)
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

// push appends o to the list. It is not part of a saving in progress.
func (l *Ledger) push(list *obligations, o *Obligation) {
	o.mark = l.writing
	if l.open.end == nil {
		l.open.begin(&l.end)
	}
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
