package kafka

import (
	"context"
	"sync/atomic"
)

// pack is the memory that consecutive batches share: an answer, and what was decompressed of it.
type pack struct {
	call  *call
	buf   []byte
	users atomic.Int32 // batches that are not recycled yet
}

// part is consecutive messages of one bundle, or says why they cannot be read.
type part struct {
	first, last int64 // the bundle's offsets
	list        []byte
	count       int
	refused     string
}

// divide divides each answer into batches. They go to the receiver and to the decoders.
func (r *reader) divide(ctx context.Context) {
	for {
		var b *Batch
		select {
		case b = <-r.fetched:
		case <-ctx.Done():
			return
		}
		if b.over {
			select {
			case r.out <- b:
			case <-ctx.Done():
			}
			return
		}
		d := r.flow.division(b)
		d.send = func(b *Batch) bool {
			select {
			case r.out <- b:
			case <-ctx.Done():
				return false
			}
			select {
			case r.flow.work <- b:
			case <-ctx.Done():
				return false
			}
			return true
		}
		if !d.run() {
			return
		}
	}
}

// division divides an answer into batches of about the same size. Small batches stay in a
// processor's caches until they are judged.
type division struct {
	flow *flow
	part int               // bytes of a batch
	send func(*Batch) bool // returns false if reading has ended

	b    *Batch // not sent yet; at first it has the answer
	full bool   // nothing more may be added to it
	next int64  // the offset after the bundles so far
	end  int64  // the offset after the answer
}

func (f *flow) division(b *Batch) division {
	return division{flow: f, part: int(f.src.opts.part), b: b, next: b.From, end: b.Next}
}

func (d *division) run() bool {
	marked := d.b.answer.aborted
	open := map[int64]bool{} // producers with an aborted transaction
	for rest := d.b.answer.records; len(rest) > 0; {
		u, after, ok, _ := cutBundle(rest) // as in reach
		if !ok || u.first >= d.b.Span.End {
			break
		}
		rest = after
		if u.last < d.b.asked {
			continue // brokers send whole bundles
		}
		for len(marked) > 0 && marked[0].first <= u.last {
			open[marked[0].producer] = true
			marked = marked[1:]
		}
		if d.full && !d.begin(min(d.next, d.end), len(d.b.pack.buf) < d.part) {
			return false
		}
		p := d.b.pack
		list, buf, err := u.messages(p.buf)
		p.buf = buf[:len(p.buf)]
		switch {
		case err != nil:
			d.b.parts = append(d.b.parts, part{first: u.first, last: u.last, refused: err.Error()})
		case u.attributes.Control():
			if isAbort(list) {
				delete(open, u.producer)
			}
		case u.attributes.Transactional() && open[u.producer]:
			d.b.Aborted += u.count
		default:
			if p.buf = buf; !d.add(&u, list) {
				return false
			}
		}
		d.next = max(d.next, u.last+1)
	}
	d.b.Next = d.end
	return d.send(d.b)
}

// add adds a bundle's messages. Many are divided.
func (d *division) add(u *bundle, list []byte) bool {
	all := d.b.size + len(list)
	step := all / max(1, (all+d.part/2)/d.part)
	from, before := 0, 0
	if step < all {
		for _, c := range u.cuts(list, step-d.b.size, step) {
			if c.offset <= d.next || c.offset >= d.end {
				continue
			}
			d.take(u, list[from:c.at], c.before-before)
			if from, before = c.at, c.before; !d.begin(c.offset, true) {
				return false
			}
		}
	}
	d.take(u, list[from:], u.count-before)
	d.full = d.b.size >= d.part || from > 0 // if divided, nothing else uses its memory
	return true
}

func (d *division) take(u *bundle, list []byte, count int) {
	d.b.parts = append(d.b.parts, part{first: u.first, last: u.last, list: list, count: count})
	d.b.size += len(list)
	if len(list) < 2*d.part { // else it may be damaged
		d.b.most += min(count, len(list)/leastMessage)
	}
}

// begin sends the batch, and begins the next one, at an offset. It may share memory.
func (d *division) begin(at int64, shares bool) bool {
	b, next := d.b, d.flow.fresh()
	next.reader, next.Span, next.File, next.raw, next.asked = b.reader, b.Span, b.File, b.raw, b.asked
	next.From, next.High = at, b.High
	if shares {
		next.pack = b.pack
		next.pack.users.Add(1)
	} else {
		next.pack = d.flow.pack(b.pack.call)
	}
	b.Next = at
	d.b, d.full = next, false
	return d.send(b)
}

// cut is a place between two messages of a bundle.
type cut struct {
	at     int   // bytes before it
	before int   // messages before it
	offset int64 // of the message after it
}

// cuts returns places about step bytes apart, the first one after so many. There are none
// if the messages are damaged, or their offsets do not ascend.
func (u *bundle) cuts(list []byte, first, step int) (all []cut) {
	rest, last := list, int64(-1)
	for n := range u.count {
		m, after, ok := cutMessage(rest)
		if !ok || m.delta <= last {
			return nil
		}
		if at := len(list) - len(rest); at > 0 && at >= first {
			all = append(all, cut{at, n, u.first + m.delta})
			first = at + step
		}
		rest, last = after, m.delta
	}
	if len(rest) > 0 {
		return nil
	}
	return all
}
