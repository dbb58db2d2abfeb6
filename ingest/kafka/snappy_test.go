package kafka

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/segmentio/kafka-go/compress/snappy"
	"github.com/segmentio/kafka-go/protocol"
)

// Snappy is read with Java's framing and without.
func TestSnappy(t *testing.T) {
	text := strings.Repeat("an event, ", 20_000)
	for _, framing := range []snappy.Framing{snappy.Framed, snappy.Unframed} {
		var b bytes.Buffer
		w := (&snappy.Codec{Framing: framing}).NewWriter(&b)
		for at := 0; at < len(text); at += len(text) / 4 { // as blocks, where there is framing
			w.Write([]byte(text[at : at+len(text)/4]))
		}
		w.Close()
		got, err := unsnap([]byte("before"), b.Bytes())
		if err != nil || string(got) != "before"+text {
			t.Errorf("framing %v: got %d bytes, error %v; want %d", framing, len(got), err, len("before"+text))
		}
		for _, cut := range []int{1, b.Len() / 2, b.Len() - 1} {
			if got, err := unsnap(nil, b.Bytes()[:cut]); err == nil {
				t.Errorf("framing %v: no error for %d of %d bytes, but %d bytes", framing, cut, b.Len(), len(got))
			}
		}
	}
}

// A batch takes no memory for what it only claims to hold.
func TestSnappyClaims(t *testing.T) {
	block := append(binary.AppendUvarint(nil, 4<<30-1), s2.EncodeSnappy(nil, []byte("few"))...)
	long := binary.BigEndian.AppendUint32([]byte("\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01"), 1<<31-1)
	for name, stored := range map[string][]byte{
		"a block":  block,
		"a frame":  append(long, block...),
		"no block": long,
		"too much": append(binary.AppendUvarint(nil, maxInflated/2), block...),
	} {
		body := append(make([]byte, bundleHead-sumEnd), stored...)
		b := bundle{attributes: protocol.Snappy, body: body, sum: crc32.Checksum(body, castagnoli)}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := b.messages(nil)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; err == nil || taken > 1<<20 {
			t.Errorf("%s: error %v, and %d bytes taken", name, err, taken)
		}
	}
}
