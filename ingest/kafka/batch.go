package kafka

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"tracecheck/ingest"
	"tracecheck/trace"
)

// Batch has consecutive messages of one partition. It may have no events, if all messages
// were left out: Next is then still new.
type Batch struct {
	Span Span   // the span that it belongs to
	File string // the File in the positions of its events

	// Events are in order. They and the names in Streams are valid until take returns, or
	// longer after Keep. Clone copies an event.
	Events  []trace.Event
	Bad     []ingest.Malformed // malformed messages, in order; they own their bytes
	Streams []First            // the streams of Events, in the order in which they appear

	Messages []Message // with Options.Raw, instead of Events; valid as long

	From    int64 // the first offset that it covers
	Lost    Lost  // offsets before From that retention deleted unread
	Broken  bool  // a read failed before this batch, so the topic may have been created again
	Next    int64 // the offset after the batch, to resume from
	High    int64 // the partition's high watermark when the batch was read
	Empty   int   // number of skipped messages without a value
	Aborted int   // number of skipped messages of aborted transactions

	reader  *reader
	answer  answer // until it is divided
	asked   int64  // the offset that it was asked for: brokers send earlier messages, too
	pack    *pack  // has the memory of parts; nil: there are none
	parts   []part
	size    int // bytes of the parts
	most    int // messages of the parts, at most; 0: unknown
	decoder trace.Decoder
	lines   ingest.LineDecoder // for a log in another format; nil: decoder is used
	raw     bool
	known   map[string]bool // the streams in the batch
	decoded chan struct{}   // gets a value when the batch is decoded
	over    bool            // the batch is empty: the span has ended, or err is set
	err     error           // why the partition cannot be read further
}

// Message is a raw message.
type Message struct {
	Offset     int64
	Key, Value []byte // nil: null
}

// MaxRaw bounds the bytes that are kept of a malformed message.
const MaxRaw = 1 << 20

// First is a stream with its first event in a batch.
type First struct {
	Stream string
	Event  int // the index in Events
}

// Lost is a range of offsets, from From up to but not including To.
type Lost struct{ From, To int64 }

// decode decodes the messages.
func (b *Batch) decode(maxLine int) {
	b.decoder.Reset()
	if b.lines != nil {
		b.lines.Reset()
	}
	clear(b.known)
	if !b.raw {
		b.Events = slices.Grow(b.Events, b.most)
	}
	for i := range b.parts {
		b.read(&b.parts[i], maxLine)
	}
}

// read decodes a part's messages.
func (b *Batch) read(p *part, maxLine int) {
	if p.refused != "" {
		b.refuse(p, p.refused)
		return
	}
	list := p.list
	for range p.count {
		m, rest, ok := cutMessage(list)
		if !ok {
			b.refuse(p, "the batch is damaged: its messages do not follow one another")
			return
		}
		list = rest
		if offset := p.first + m.delta; offset >= b.asked && offset < b.Span.End {
			if b.raw {
				b.Messages = append(b.Messages, Message{offset, m.key, m.value})
			} else {
				b.add(offset, m.key, m.value, maxLine)
			}
		}
	}
	if len(list) > 0 {
		b.refuse(p, "the batch is damaged: it has more messages than its header states")
	}
}

// refuse records a malformed bundle.
func (b *Batch) refuse(p *part, reason string) {
	b.Bad = append(b.Bad, ingest.Malformed{
		Before: len(b.Events), Last: p.last, Err: &trace.Error{Pos: trace.MessagePos(b.File, max(p.first, b.asked)), Reason: reason},
	})
}

// add decodes a message.
func (b *Batch) add(offset int64, key, value []byte, maxLine int) {
	whole := value
	if n := len(value); n > 0 && (value[0] <= ' ' || value[n-1] <= ' ') {
		value = bytes.Trim(value, " \t\r\n")
	}
	if len(value) == 0 {
		b.Empty++
		return
	}
	pos := trace.MessagePos(b.File, offset)
	stream := unsafe.String(unsafe.SliceData(key), len(key))
	bad := func(err error, streams ...string) {
		e, ok := err.(*trace.Error)
		if !ok {
			e = &trace.Error{Pos: pos, Stream: strings.Clone(stream), Reason: err.Error()}
		}
		for i := range streams {
			streams[i] = strings.Clone(streams[i])
		}
		b.Bad = append(b.Bad, ingest.Malformed{
			Before: len(b.Events), Last: offset, Streams: streams, Err: e,
			Key: bytes.Clone(key), Raw: bytes.Clone(whole[:min(len(whole), MaxRaw)]),
		})
	}
	switch {
	case b.lines == nil && !utf8.Valid(key):
		bad(errKey)
		return
	case len(value) > maxLine:
		bad(fmt.Errorf("the message is longer than %d bytes: if it is an event, raise the limit with --max-line", maxLine), b.mayBe(nil, stream)...)
		return
	}
	n := len(b.Events)
	if b.lines != nil {
		if err := b.foreign(value, pos, stream); err != nil {
			b.Events = b.Events[:n]
			bad(err, b.mayBe(value, stream)...)
			return
		}
		for i := n; i < len(b.Events); i++ {
			b.note(i)
		}
		return
	}
	b.Events = slices.Grow(b.Events, 1)[:n+1] // Decode sets all of it
	ev := &b.Events[n]
	if err := b.decoder.Decode(value, pos, ev); err != nil {
		streams := []string{stream}
		if named := err.(*trace.Error).Stream; named != "" && named != stream {
			streams = append(streams, named)
		}
		b.Events = b.Events[:n]
		bad(err, streams...)
		return
	}
	switch {
	case ev.Stream == "":
		ev.Stream = stream
	case stream != "" && ev.Stream != stream:
		named := ev.Stream
		b.Events = b.Events[:n]
		bad(fmt.Errorf("the key names the stream %q, but the line names %q: use the same name, or leave one out", stream, named), stream, named)
		return
	}
	b.note(n)
}

// foreign decodes a message of a log in another format.
func (b *Batch) foreign(value []byte, pos trace.Pos, key string) (err error) {
	n := len(b.Events)
	b.Events, err = b.lines.Decode(b.Events, value, pos)
	for i := n; i < len(b.Events); i++ {
		ev := &b.Events[i]
		if ev.Stream != "" {
			continue
		}
		if ev.Stream = key; !utf8.ValidString(key) {
			return errKey
		}
	}
	return err
}

var errKey = errors.New("the key is not valid UTF-8: it is the name of the stream")

// mayBe returns the streams that a malformed message may belong to; none: any stream. A nil
// value is unknown.
func (b *Batch) mayBe(value []byte, key string) []string {
	if b.lines == nil {
		return []string{key}
	}
	l, ok := b.lines.(ingest.LineStreams)
	if !ok {
		return nil
	}
	list, known := l.Streams(value)
	if !known {
		return nil
	}
	for i := range list {
		list[i] = cmp.Or(list[i], key)
	}
	return list
}

// note records the first event of a stream.
func (b *Batch) note(n int) {
	ev := &b.Events[n]
	if n > 0 && b.Events[n-1].Stream == ev.Stream || b.known[ev.Stream] {
		return
	}
	b.known[ev.Stream] = true
	b.Streams = append(b.Streams, First{ev.Stream, n})
}
