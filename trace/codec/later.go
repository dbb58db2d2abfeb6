package codec

import "slices"

// Some continues to write something large until it is complete or until returns
// true. It reports whether it is complete.
type Some func(c *Codec, until func() bool) (done bool)

// later is something large that belongs at an offset of the buffer.
type later struct {
	at   int
	some Some
	own  *Codec
	full [][]byte // what precedes own's buffer, which stays small so that growing it is fast
}

const chunk = 256 << 10

func (l *later) flush() {
	if len(l.own.buf) >= chunk {
		l.full = append(l.full, l.own.buf)
		l.own.buf = make([]byte, 0, chunk+chunk/4)
	}
}

// Divide makes a writer leave large values to Rest.
func (c *Codec) Divide() { c.divided = true }

// IsDivided reports whether large values are left to Rest.
func (c *Codec) IsDivided() bool { return c.divided }

// Later writes or reads something large with some: at once or, after Divide,
// when Rest is called. In the latter case it returns the Codec that some writes
// to, else nil. That Codec numbers names on its own, since later values may be
// written first.
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

// Parts is how many values Later has left to Rest.
func (c *Codec) Parts() int { return len(c.rest) }

// Rest continues to write the remaining values until they are complete or until
// returns true. It reports whether they are complete. Data is invalid before
// that.
func (c *Codec) Rest(until func() bool) (done bool) {
	for ; c.written < len(c.rest); c.written++ {
		l := &c.rest[c.written]
		if !l.some(l.own, func() bool { l.flush(); return until() }) {
			return false
		}
		if c.err == nil {
			c.err = l.own.err
		}
	}
	return true
}

// join puts the values that were written later in their places.
func (c *Codec) join() {
	parts, from := [][]byte{}, 0
	for _, l := range c.rest {
		parts = append(append(append(parts, c.buf[from:l.at]), l.full...), l.own.buf)
		from = l.at
	}
	c.buf = slices.Concat(append(parts, c.buf[from:])...)
	c.rest, c.written = nil, 0
}
