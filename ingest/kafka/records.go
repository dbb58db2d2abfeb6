package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/segmentio/kafka-go/protocol"
)

// bundle is what Kafka calls a record batch: some messages of one producer,
// compressed together.
type bundle struct {
	first, last int64 // offsets; compaction may have taken some messages, the last too
	attributes  protocol.Attributes
	producer    int64
	count       int    // of the messages that are left
	body        []byte // as it is stored, from behind the checksum on
	sum         uint32
}

const (
	// bundleStart is how many bytes come before the length's own.
	bundleStart = 12
	// sumEnd is how many come from there to the end of the checksum, which is
	// that of all that follows.
	sumEnd = 9
	// bundleHead is how many come from there to the messages.
	bundleHead = 49
)

var errFormat = errors.New("its messages are in a format of brokers older than Kafka 0.11, which is not read: copy them to a new topic")

// cutBundle takes the first bundle off the records. ok is false where they have
// no whole one.
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
	b.count = int(w.int32())
	return b, rest, b.last >= b.first, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maxInflated bounds what one bundle may be decompressed to, in bytes.
const maxInflated = 256 << 20

// messages returns the bundle's messages one behind the other, decompressed
// into buf where they are compressed.
func (b *bundle) messages(buf []byte) (list, grown []byte, err error) {
	if crc32.Checksum(b.body, castagnoli) != b.sum {
		return nil, buf, errors.New("the batch is damaged: its checksum is another")
	}
	stored := b.body[bundleHead-sumEnd:]
	compression := b.attributes.Compression()
	if compression == 0 {
		return stored, buf, nil
	}
	codec := compression.Codec()
	if codec == nil {
		return nil, buf, fmt.Errorf("the batch is compressed in an unknown way (%d)", compression)
	}
	r := codec.NewReader(bytes.NewReader(stored))
	defer r.Close() // it has nothing to lose
	start := len(buf)
	into := bytes.NewBuffer(buf)
	_, err = into.ReadFrom(io.LimitReader(r, maxInflated+1))
	grown = into.Bytes()
	switch list = grown[start:]; {
	case err != nil:
		return nil, buf, fmt.Errorf("the batch cannot be decompressed: %w", err)
	case len(list) > maxInflated:
		return nil, buf, fmt.Errorf("the batch holds more than %d bytes", maxInflated)
	}
	return list, grown, nil
}

// isAbort reports whether the messages of a control bundle mark the end of an
// aborted transaction.
func isAbort(list []byte) bool {
	m, _, ok := cutMessage(list)
	return ok && len(m.key) == 4 && binary.BigEndian.Uint16(m.key[2:]) == 0
}

// message is one of a bundle's.
type message struct {
	delta      int64  // its offset, from the bundle's first
	key, value []byte // nil: null
}

// cutMessage takes the first message off the list.
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
	v, n := binary.Varint(w.rest)
	if n <= 0 {
		w.short = true
		return 0
	}
	w.rest = w.rest[n:]
	return v
}

// size is how many bytes follow; less than 0 is null.
func (w *wire) size() int {
	v := w.varint()
	if v > maxInflated {
		w.short = true
		return 0
	}
	return int(max(v, -1))
}
