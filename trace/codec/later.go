package codec

import "slices"

// Some writes what is left of something large, until it is all there or until
// says so, and reports whether it is all there.
type Some func(c *Codec, until func() bool) (done bool)

// later is something large whose place is at an offset of the buffer.
type later struct {
	at   int
	some Some
	own  *Codec
	full [][]byte // what comes before own's buffer, which is never so large that to grow it takes long
}

const chunk = 256 << 10

func (l *later) flush() {
	if len(l.own.buf) >= chunk {
		l.full = append(l.full, l.own.buf)
		l.own.buf = make([]byte, 0, chunk+chunk/4)
	}
}

// Divide has a writer leave to Rest what is large.
func (c *Codec) Divide() { c.divided = true }

// IsDivided reports whether what is large is left to Rest.
func (c *Codec) IsDivided() bool { return c.divided }

// Later has some write something large here, or read it: at once, or, where the
// writer is divided, when Rest is called. It then returns the Codec to which that
// is written, else nil. Its names are numbered on their own, as those that follow
// it may be written before.
func (c *Codec) Later(some Some) *Codec {
	if !c.divided {
		in := c.within
		if in == nil {
			in = &Codec{reading: c.reading}
			c.within = in
		}
		in.forgetNames()
		in.buf, in.err = c.buf, c.err
		some(in, func() bool { return false })
		c.buf, c.err, in.buf = in.buf, in.err, nil
		return nil
	}
	c.rest = append(c.rest, later{at: len(c.buf), some: some, own: &Codec{}})
	return c.rest[len(c.rest)-1].own
}

// Parts is how many times Later has left something to Rest.
func (c *Codec) Parts() int { return len(c.rest) }

// Rest writes on what is left, until it is all there or until says so, and
// reports whether it is. Before that, Data is not whole.
func (c *Codec) Rest(until func() bool) (done bool) {
	for ; c.written < len(c.rest); c.written++ {
		l := &c.rest[c.written]
		if !l.some(l.own, func() bool { l.flush(); return until() }) {
			return false
		}
	}
	return true
}

// join puts what was written later to its place.
func (c *Codec) join() {
	parts, from := [][]byte{}, 0
	for _, l := range c.rest {
		parts = append(append(append(parts, c.buf[from:l.at]), l.full...), l.own.buf)
		from = l.at
	}
	c.buf = slices.Concat(append(parts, c.buf[from:])...)
	c.rest, c.written = nil, 0
}
