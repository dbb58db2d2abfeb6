// Package codec encodes and decodes the state of a stream. One function does
// both: it passes each value to a Codec, which appends it to its bytes or sets
// it from them. So the encoding and the decoding cannot differ.
package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// Codec is a writer or a reader, for one goroutine. After the first error, the
// values that a reader sets are meaningless.
type Codec struct {
	reading bool
	buf     []byte // written so far, or still to read
	err     error
	numbers map[string]uint64 // numbers of the names written
	names   []string          // names read

	divided bool
	rest    []later // in the order of their places
	written int     // how many of them are complete
	within  *Codec  // the Codec of a Later that was written or read at once
}

// Writer returns a Codec that appends to buf, which may be nil.
func Writer(buf []byte) *Codec { return &Codec{buf: buf} }

// Reader returns a Codec that decodes what a Writer has encoded. It keeps no
// reference to data.
func Reader(data []byte) *Codec { return &Codec{reading: true, buf: data} }

// Reset empties a writer. It keeps the memory, and ends Divide.
func (c *Codec) Reset() {
	c.buf, c.err = c.buf[:0], nil
	c.divided, c.rest, c.written = false, nil, 0
	c.forgetNames()
}

func (c *Codec) forgetNames() {
	c.names = nil
	if len(c.numbers) > manyNames { // clearing costs as much as the map's largest size
		c.numbers = nil
	}
	clear(c.numbers)
}

const manyNames = 1000

// Reading reports whether the Codec decodes.
func (c *Codec) Reading() bool { return c.reading }

// Data is what was written.
func (c *Codec) Data() []byte {
	if len(c.rest) > 0 {
		c.join()
	}
	return c.buf
}

// Err returns the first error.
func (c *Codec) Err() error { return c.err }

// Fail reports that the data are invalid.
func (c *Codec) Fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
	c.buf = c.buf[:0]
}

// Close ends the reading. It returns the first error, or an error if data are
// left.
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

// Signed are the types of Int.
type Signed interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64
}

// Int writes or reads an integer.
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

// Unsigned are the types of Uint.
type Unsigned interface {
	~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Uint writes or reads an unsigned integer.
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

// Bool writes or reads a boolean.
func Bool[T ~bool](c *Codec, v *T) {
	var n uint8
	if *v {
		n = 1
	}
	Uint(c, &n)
	if n > 1 {
		c.Fail("%d is not a boolean", n)
	}
	*v = n == 1
}

// String writes or reads a string.
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

// Name writes or reads a string that is likely to be repeated, such as a service's id in its
// tasks. A repetition is written as a number.
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
		c.Fail("unknown name %d", n)
	}
}

// Len writes n, the number of elements that follow, or returns the number read.
// Each element takes at least a byte, so damaged input cannot ask for more
// memory than its size.
func (c *Codec) Len(n int) int {
	u := uint64(n)
	Uint(c, &u)
	if c.reading && u > uint64(min(len(c.buf), math.MaxInt32)) {
		c.short()
		return 0
	}
	return int(u)
}

// Slice writes or reads a list, element by element. An empty list is read as
// nil.
func Slice[T any](c *Codec, list *[]T, each func(*T)) {
	n := c.Len(len(*list))
	if c.reading {
		*list = nil
		if n > 0 {
			// Grow step by step: an element may be larger than its bytes.
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
