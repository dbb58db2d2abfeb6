package topic

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"tracecheck/monitor/checkpoint"
	"tracecheck/trace/codec"
)

// version is the version of the record format.
const version = 2

// kind is the type of a record.
type kind uint8

const (
	layout kind = iota + 1 // the number of partitions in use; the topic's first record
	claim                  // a process owns a part
	state                  // of a stream
	named                  // of a stream with a name that is too long for a key
	top                    // the head of a checkpoint
	commit                 // makes a checkpoint current
	known                  // the part has had a checkpoint; in the first partition
	kinds
)

// space is the keys of one owner. Other owners cannot overwrite them.
type space struct {
	epoch uint64
	owner string
}

// key is the key of a record.
type key struct {
	kind   kind
	part   string
	space  space
	stream string // its name, or a checksum of it
	slot   uint8  // 0 or 1
	chunk  uint32
}

func (k *key) code(c *codec.Codec) {
	v := uint8(version)
	switch codec.Uint(c, &v); {
	case v != 0 && v < version:
		c.Fail("it has version %d, of an earlier tracecheck", v)
	case v != version:
		c.Fail("it has version %d", v)
	}
	codec.Uint(c, &k.kind)
	codec.String(c, &k.part)
	codec.Uint(c, &k.space.epoch)
	codec.String(c, &k.space.owner)
	codec.String(c, &k.stream)
	codec.Uint(c, &k.slot)
	codec.Uint(c, &k.chunk)
	if k.kind == 0 || k.kind >= kinds || k.slot > 1 {
		c.Fail("it has kind %d, slot %d", k.kind, k.slot)
	}
}

func (k *key) bytes() []byte {
	c := codec.Writer(nil)
	k.code(c)
	return c.Data()
}

func readKey(data []byte) (key, error) {
	var k key
	c := codec.Reader(data)
	k.code(c)
	return k, c.Close()
}

// id identifies what has two slots: a stream's state, or the head.
type id struct {
	kind   kind
	stream string
}

// longest is the longest stream name in a key, in bytes.
const longest = 1 << 10

// idOf returns the id of a stream, and the bytes before its state.
func idOf(stream string) (id, []byte) {
	if len(stream) <= longest {
		return id{state, stream}, nil
	}
	sum := sha256.Sum256([]byte(stream))
	return id{named, string(sum[:])}, append(binary.AppendUvarint(nil, uint64(len(stream))), stream...)
}

// nameOf is the inverse of idOf.
func nameOf(of id, data []byte) (stream string, rest []byte, err error) {
	if of.kind != named {
		return of.stream, data, nil
	}
	size, n := binary.Uvarint(data)
	if n <= 0 || size > uint64(len(data)-n) {
		return "", nil, errShort
	}
	return string(data[n : n+int(size)]), data[n+int(size):], nil
}

// chunk is the value of a state or head, or a piece of it. Its data share
// memory with the record.
type chunk struct {
	n    uint64 // number of the checkpoint that wrote it, from 1
	of   uint32 // number of chunks, from 1; 0: the stream is deleted
	data []byte
}

func (c *chunk) seal(key []byte) []byte {
	b := make([]byte, checkpoint.SealSize, checkpoint.SealSize+2*binary.MaxVarintLen64+len(c.data))
	b = binary.AppendUvarint(b, c.n)
	b = binary.AppendUvarint(b, uint64(c.of))
	return checkpoint.Seal(checkpoint.At(key), append(b, c.data...))
}

// sealed encodes a value of a checksum and numbers.
func sealed(key []byte, numbers ...uint64) []byte {
	b := make([]byte, checkpoint.SealSize)
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return checkpoint.Seal(checkpoint.At(key), b)
}

var errShort = errors.New("it ends too early")

func readChunk(key, value []byte) (c chunk, err error) {
	var of uint64
	if c.data, err = unseal(key, value, &c.n, &of); err != nil {
		return c, err
	}
	if c.of = uint32(of); c.n == 0 || uint64(c.of) != of {
		return c, fmt.Errorf("it is for checkpoint %d, of %d chunks", c.n, of)
	}
	return c, nil
}

// mark is the value of a commit: the current checkpoint and its tally. Two
// slots hold the last mark and the one before.
type mark struct {
	n       uint64
	streams uint64 // with the head
	sum     uint64
}

func (m *mark) seal(key []byte) []byte { return sealed(key, m.n, m.streams, m.sum) }

func readMark(key, value []byte) (m mark, err error) {
	rest, err := unseal(key, value, &m.n, &m.streams, &m.sum)
	if err == nil && (len(rest) > 0 || m.n == 0) {
		err = errors.New("its numbers are invalid")
	}
	return m, err
}

// unseal reads the numbers at the start of a value, and returns the rest.
func unseal(key, value []byte, into ...*uint64) (rest []byte, err error) {
	if value, err = checkpoint.Unseal(checkpoint.At(key), value); err != nil {
		return nil, err
	}
	for _, v := range into {
		x, n := binary.Uvarint(value)
		if n <= 0 {
			return nil, errShort
		}
		*v, value = x, value[n:]
	}
	return value, nil
}
