package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/segmentio/kafka-go/compress"
	"github.com/segmentio/kafka-go/protocol"
)

// bundle is a record batch of Kafka: some messages of one producer, compressed together.
type bundle struct {
	first, last int64 // offsets; compaction may have deleted some messages, including the last
	attributes  protocol.Attributes
	producer    int64
	count       int    // number of remaining messages
	body        []byte // the stored bytes after the checksum
	sum         uint32
}

const (
	// bundleStart is the number of bytes before the length field.
	bundleStart = 12
	// sumEnd is the number of bytes from there to the end of the checksum. It is the
	// checksum of the rest.
	sumEnd = 9
	// bundleHead is the number of bytes from there to the messages.
	bundleHead = 49
)

var errFormat = errors.New("its messages have the format of brokers before Kafka 0.11, which cannot be read: copy them to a new topic")

// cutBundle cuts off the first bundle of the records. ok is false if there is no whole one.
func cutBundle(records []byte) (b bundle, rest []byte, ok bool, err error) {
	w := wire{rest: records}
	b.first = w.int64()
	size := int(w.int32())
	w.int32() // leader's epoch
	version := w.bytes(1)
	if w.short {
		return b, nil, false, nil
	}
	if version[0] != 2 {
		return b, nil, false, errFormat
	}
	if size < bundleHead || size > len(records)-bundleStart {
		return b, nil, false, nil
	}
	rest = records[bundleStart+size:]
	w.rest = records[bundleStart+5 : bundleStart+size]
	b.sum = uint32(w.int32())
	b.body = w.rest
	b.attributes = protocol.Attributes(w.int16())
	b.last = b.first + int64(w.int32())
	w.int64() // the first time
	w.int64() // the last
	b.producer = w.int64()
	w.int16() // producer's epoch
	w.int32() // sequence
	b.count = max(int(w.int32()), 0)
	return b, rest, b.last >= b.first, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maxInflated bounds the decompressed size of a bundle, in bytes.
const maxInflated = 256 << 20

// messages returns the bundle's messages, one after the other. It decompresses them into
// buf if they are compressed.
func (b *bundle) messages(buf []byte) (list, grown []byte, err error) {
	if crc32.Checksum(b.body, castagnoli) != b.sum {
		return nil, buf, errors.New("the batch is damaged: its checksum does not match")
	}
	stored := b.body[bundleHead-sumEnd:]
	compression := b.attributes.Compression()
	if compression == 0 {
		return stored, buf, nil
	}
	start := len(buf)
	codec := compression.Codec()
	switch {
	case codec == nil:
		return nil, buf, fmt.Errorf("the batch is compressed in an unknown way (%d)", compression)
	case compression == compress.Snappy:
		grown, err = unsnap(buf, stored)
	default:
		grown, err = inflate(buf, codec, stored)
	}
	if err != nil {
		return nil, grown[:start], fmt.Errorf("the batch cannot be decompressed: %w", err)
	}
	return grown[start:], grown, nil
}

// inflate decompresses into buf.
func inflate(buf []byte, codec compress.Codec, stored []byte) (grown []byte, err error) {
	r := codec.NewReader(bytes.NewReader(stored))
	defer r.Close() // read only: nothing is lost
	into := bytes.NewBuffer(buf)
	n, err := into.ReadFrom(io.LimitReader(r, maxInflated+1))
	if err == nil && n > maxInflated {
		err = errLarge
	}
	return into.Bytes(), err
}

var errLarge = fmt.Errorf("it holds more than %d bytes", maxInflated)

// isAbort reports whether the messages of a control bundle mark the end of an
// aborted transaction.
func isAbort(list []byte) bool {
	m, _, ok := cutMessage(list)
	return ok && len(m.key) == 4 && binary.BigEndian.Uint16(m.key[2:]) == 0
}

// message is a message of a bundle.
type message struct {
	delta      int64  // its offset, from the bundle's first
	key, value []byte // nil: null
}

// leastMessage is the size of a message without a key and a value, in bytes.
const leastMessage = 7

// cutMessage cuts off the first message of the list.
func cutMessage(list []byte) (m message, rest []byte, ok bool) {
	all := wire{rest: list}
	w := wire{rest: all.bytes(all.size())}
	w.bytes(1) // attributes
	w.varint() // time
	m.delta = w.varint()
	m.key = w.bytes(w.size())
	m.value = w.bytes(w.size())
	return m, all.rest, !w.short && !all.short && m.delta >= 0 // headers are not read
}

func (w *wire) varint() int64 {
	if b := w.rest; len(b) > 1 && b[1] < 0x80 { // most have one byte or two
		u, n := uint64(b[0]), 1
		if u >= 0x80 {
			u, n = u&0x7f|uint64(b[1])<<7, 2
		}
		w.rest = b[n:]
		return int64(u>>1) ^ -int64(u&1)
	}
	v, n := binary.Varint(w.rest)
	if n <= 0 {
		w.short = true
		return 0
	}
	w.rest = w.rest[n:]
	return v
}

// size reads the length of the next value in bytes; less than 0 means null.
func (w *wire) size() int {
	v := w.varint()
	if v > maxInflated {
		w.short = true
		return 0
	}
	return int(max(v, -1))
}
