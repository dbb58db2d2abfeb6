package kafka

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"sort"
	"sync/atomic"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/fetch"
)

// call is one fetch from one partition. The library connects, finds the leader and sends
// the request. The answer is decoded here. The library's decoder omits the last offset of
// each batch, which is needed for compacted topics, and it takes 64 KiB for each batch.
type call struct {
	fetch.Request
	version int16
	raw     bytes.Buffer
	users   atomic.Int32 // packs that are not recycled yet
}

// readCommitted makes the broker omit open transactions, and list the aborted ones.
const readCommitted = 1

// maxAnswer bounds an answer, in bytes. A batch is always sent as a whole.
const maxAnswer = 1 << 30

// leastVersion is the version of Kafka 0.11, the first with transactions.
const leastVersion = 4

func newCall(span *Span, offset int64, most int32, poll int32) *call {
	c := &call{}
	c.Request = fetch.Request{
		ReplicaID: -1, MaxWaitTime: poll, MinBytes: 1, MaxBytes: maxAnswer, IsolationLevel: readCommitted,
		SessionID: 0, SessionEpoch: -1, // no session
		Topics: []fetch.RequestTopic{{Topic: span.Topic, Partitions: []fetch.RequestPartition{{
			Partition: int32(span.Partition), CurrentLeaderEpoch: -1, FetchOffset: offset,
			LogStartOffset: -1, PartitionMaxBytes: most,
		}}}},
	}
	return c
}

// Required makes the library leave the exchange to RawExchange.
func (c *call) Required(versions map[protocol.ApiKey]int16) bool {
	c.version = versions[protocol.Fetch]
	return true
}

// RawExchange sends the request and keeps the answer.
func (c *call) RawExchange(conn io.ReadWriter) (protocol.Message, error) {
	if c.version < leastVersion {
		return nil, permanent{fmt.Errorf("the broker is older than Kafka 0.11")}
	}
	if err := protocol.WriteRequest(conn, c.version, 0, clientID, &c.Request); err != nil {
		return nil, err
	}
	var head [4]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return nil, err
	}
	size := int64(int32(binary.BigEndian.Uint32(head[:])))
	if size < 0 || size > maxAnswer {
		return nil, permanent{fmt.Errorf("the broker's answer has an impossible size, %d bytes", size)}
	}
	c.raw.Reset()
	c.raw.Grow(int(min(size, int64(c.Topics[0].Partitions[0].PartitionMaxBytes)+1<<16)) + bytes.MinRead)
	if n, err := c.raw.ReadFrom(io.LimitReader(conn, size)); err != nil || n < size {
		return nil, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	return c, nil
}

// aborted is an aborted transaction: the messages of the producer from the offset first up
// to its marker.
type aborted struct{ producer, first int64 }

// answer is the answer for one partition.
type answer struct {
	throttled bool
	high      int64
	stable    int64
	aborted   []aborted // by first
	records   []byte    // whole batches; the last may be cut off
}

// fetch sends one request. The answer is valid until the call is reused.
func (s *Source) fetch(ctx context.Context, c *call) (answer, error) {
	if _, err := s.transport.RoundTrip(ctx, s.client.Addr, c); err != nil {
		return answer{}, err
	}
	return c.answer()
}

// answer decodes the stored bytes.
func (c *call) answer() (answer, error) {
	var a answer
	w := wire{rest: c.raw.Bytes()}
	w.int32() // correlation: a connection has one request at a time
	a.throttled = w.int32() > 0
	var code int16
	if c.version >= 7 {
		code = w.int16()
		w.int32() // session
	}
	topics := w.int32()
	name := w.bytes(int(w.int16()))
	partitions := w.int32()
	id := w.int32()
	if code == 0 {
		code = w.int16()
	}
	a.high, a.stable = w.int64(), w.int64()
	if c.version >= 5 {
		w.int64() // log start offset
	}
	for n := w.int32(); n > 0 && !w.short; n-- {
		a.aborted = append(a.aborted, aborted{w.int64(), w.int64()})
	}
	if c.version >= 11 {
		w.int32() // preferred read replica
	}
	a.records = w.bytes(int(w.int32()))
	request := &c.Topics[0]
	switch {
	case code != 0:
		return a, topicError{fmt.Sprintf("%s/%d", request.Topic, request.Partitions[0].Partition), kafkago.Error(code)}
	case w.short, topics != 1, partitions != 1, string(name) != request.Topic, id != request.Partitions[0].Partition:
		return a, permanent{fmt.Errorf("the broker's answer does not match the request")}
	}
	sort.Slice(a.aborted, func(i, j int) bool { return a.aborted[i].first < a.aborted[j].first })
	return a, nil
}

// wire reads values of the protocol. After the end, it reads zeros.
type wire struct {
	rest  []byte
	short bool
}

func (w *wire) bytes(n int) []byte {
	if n < 0 {
		return nil // null
	}
	if n > len(w.rest) {
		w.short, w.rest = true, nil
		return nil
	}
	b := w.rest[:n:n]
	w.rest = w.rest[n:]
	return b
}

func (w *wire) int16() int16 {
	if b := w.bytes(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (w *wire) int32() int32 {
	if b := w.bytes(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (w *wire) int64() int64 {
	if b := w.bytes(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}
