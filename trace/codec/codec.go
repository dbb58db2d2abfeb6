// Package codec writes down the state of a stream and makes it again. One
// function does both: it shows each value to a Codec, which appends it to its
// bytes or sets it from them, so that what is written and what is read cannot
// differ.
package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// Codec is a writer or a reader. It is for one goroutine. What a reader sets
// after the first error means nothing.
type Codec struct {
	reading bool
	buf     []byte // written so far, or still to read
	err     error
	numbers map[string]uint64 // of the names written
	names   []string          // read

	divided bool
	rest    []later // in the order of their places
	written int     // how many of them are all there
	within  *Codec  // of what Later has written or read at once
}

// Writer returns a Codec that appends to buf, which may be nil.
func Writer(buf []byte) *Codec { return &Codec{buf: buf} }

// Reader returns a Codec that reads what a Writer has written. What it sets
// borrows nothing of data.
func Reader(data []byte) *Codec { return &Codec{reading: true, buf: data} }

// Reset makes a writer begin anew, with the room it has, and undivided.
func (c *Codec) Reset() {
	c.buf, c.err = c.buf[:0], nil
	c.divided, c.rest, c.written = false, nil, 0
	c.forgetNames()
}

func (c *Codec) forgetNames() {
	c.names = nil
	if len(c.numbers) > manyNames { // to clear it costs what it once held, each time
		c.numbers = nil
	}
	clear(c.numbers)
}

const manyNames = 1000

// Reading reports whether values are set, rather than written.
func (c *Codec) Reading() bool { return c.reading }

// Data is what was written.
func (c *Codec) Data() []byte {
	if len(c.rest) > 0 {
		c.join()
	}
	return c.buf
}

// Err is the first error.
func (c *Codec) Err() error { return c.err }

// Fail notes that what was read makes no sense.
func (c *Codec) Fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
	c.buf = c.buf[:0]
}

// Close ends the reading: an error if something was wrong, or is left over.
func (c *Codec) Close() error {
	if c.reading && c.err == nil && len(c.buf) > 0 {
		c.err = fmt.Errorf("%d bytes are left over", len(c.buf))
	}
	return c.err
}

var errShort = errors.New("it ends too early")

func (c *Codec) uvarint() uint64 {
	v, n := binary.Uvarint(c.buf)
	if n <= 0 {
		c.short()
		return 0
	}
	c.buf = c.buf[n:]
	return v
}

func (c *Codec) short() {
	if c.err == nil {
		c.err = errShort
	}
	c.buf = nil
}

// Signed is the types that Int takes.
type Signed interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64
}

// Int writes or sets an integer.
func Int[T Signed](c *Codec, v *T) {
	if !c.reading {
		c.buf = binary.AppendVarint(c.buf, int64(*v))
		return
	}
	x, n := binary.Varint(c.buf)
	if n <= 0 {
		c.short()
		return
	}
	c.buf = c.buf[n:]
	if *v = T(x); int64(*v) != x {
		c.Fail("%d is out of range", x)
	}
}

// Unsigned is the types that Uint takes.
type Unsigned interface {
	~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Uint writes or sets an unsigned integer.
func Uint[T Unsigned](c *Codec, v *T) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, uint64(*v))
		return
	}
	x := c.uvarint()
	if *v = T(x); uint64(*v) != x {
		c.Fail("%d is out of range", x)
	}
}

// Bool writes or sets a truth value.
func Bool[T ~bool](c *Codec, v *T) {
	var n uint8
	if *v {
		n = 1
	}
	Uint(c, &n)
	if n > 1 {
		c.Fail("%d is no truth value", n)
	}
	*v = n == 1
}

// String writes or sets a text.
func String[T ~string](c *Codec, v *T) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, uint64(len(*v)))
		c.buf = append(c.buf, *v...)
		return
	}
	n := c.uvarint()
	if n > uint64(len(c.buf)) {
		c.short()
		n = 0
	}
	*v = T(c.buf[:n])
	c.buf = c.buf[n:]
}

// Name writes or sets a text that is likely to come again, such as the id of a
// service that tasks name: the second time it is a number.
func (c *Codec) Name(v *string) {
	if !c.reading {
		n, known := c.numbers[*v]
		if !known {
			if c.numbers == nil {
				c.numbers = map[string]uint64{}
			}
			n = uint64(len(c.numbers))
			c.numbers[*v] = n
		}
		Uint(c, &n)
		if !known {
			String(c, v)
		}
		return
	}
	n := c.uvarint()
	switch {
	case n < uint64(len(c.names)):
		*v = c.names[n]
	case n == uint64(len(c.names)):
		String(c, v)
		c.names = append(c.names, *v)
	default:
		c.Fail("name %d is not known", n)
	}
}

// Len writes n, which is how many things follow, or returns what was written.
// Each of them takes at least a byte, so that damaged input asks for no more
// memory than it has bytes.
func (c *Codec) Len(n int) int {
	u := uint64(n)
	Uint(c, &u)
	if c.reading && u > uint64(min(len(c.buf), math.MaxInt32)) {
		c.short()
		return 0
	}
	return int(u)
}

// Slice writes or sets a list, each element by each. A list that is empty is
// set to nil.
func Slice[T any](c *Codec, list *[]T, each func(*T)) {
	n := c.Len(len(*list))
	if c.reading {
		*list = nil
		if n > 0 {
			// Grown as it is read: an element may be larger than its bytes.
			*list = make([]T, 0, min(n, 1+4096/int(unsafe.Sizeof(*new(T))+1)))
		}
	}
	for i := range n {
		if c.reading {
			*list = append(*list, *new(T))
		}
		if each(&(*list)[i]); c.err != nil {
			return
		}
	}
}
