package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"tracecheck/trace"
)

// maxWindow bounds the memory for zstd, in bytes. It is the default of the zstd command.
const maxWindow = 128 << 20

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	zstdSkip  = []byte{0x2a, 0x4d, 0x18} // after 0x50 to 0x5f: a frame that may come first
)

// compression is how an input is compressed, for errors.
type compression string

const (
	plain     compression = ""
	gzipped   compression = "gzip"
	zstandard compression = "zstd"
)

// recognise detects the compression by the first bytes. It waits only for as many bytes as
// it needs, since a live input may not have more.
func recognise(br *bufio.Reader) compression {
	for n := 1; n <= 4; n++ {
		p, err := br.Peek(n)
		if err != nil {
			return plain // too short; a later read gets the same error
		}
		switch {
		case bytes.Equal(p, gzipMagic):
			return gzipped
		case bytes.Equal(p, zstdMagic), n == 4 && skippable(p):
			return zstandard
		case !bytes.HasPrefix(gzipMagic, p) && !bytes.HasPrefix(zstdMagic, p) && !skippable(p):
			return plain
		}
	}
	return plain
}

func skippable(p []byte) bool {
	return p[0]&0xf0 == 0x50 && bytes.HasPrefix(zstdSkip, p[1:])
}

// decompress returns the content of br. done frees its resources.
func decompress(br *bufio.Reader) (content io.Reader, how compression, done func(), err error) {
	done = func() {}
	switch how = recognise(br); how {
	case gzipped:
		content = &members{br: br}
	case zstandard:
		var z *zstd.Decoder
		// With one decoder, it decodes in the calling goroutine, and returns each
		// block at once.
		z, err = zstd.NewReader(br, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
		if err == nil {
			content, done = z, z.Close
		}
	default:
		content = br
	}
	return content, how, done, err
}

// members reads concatenated gzip members. It starts each member itself: gzip.Reader
// reads a member that ends within its header as the end of the file.
type members struct {
	br   *bufio.Reader
	z    gzip.Reader
	open bool
	err  error // returned by each further read, which could otherwise look like the end
}

func (m *members) Read(p []byte) (n int, err error) {
	if m.err == nil {
		n, m.err = m.read(p)
	}
	return n, m.err
}

func (m *members) read(p []byte) (int, error) {
	for {
		if !m.open {
			if p, err := m.br.Peek(len(gzipMagic)); len(p) == 0 {
				return 0, err
			} else if !bytes.HasPrefix(gzipMagic, p) {
				return 0, gzip.ErrHeader // also of bytes that are too few for a header
			}
			if err := m.z.Reset(m.br); err == io.EOF {
				return 0, io.ErrUnexpectedEOF
			} else if err != nil {
				return 0, err
			}
			m.z.Multistream(false)
			m.open = true
		}
		n, err := m.z.Read(p)
		if err == io.EOF {
			m.open, err = false, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// damaged is the error for data that cannot be decompressed.
func damaged(how compression, err error, pos trace.Pos) error {
	var reason string
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		also := ""
		if how == zstandard { // too few bytes to tell a frame
			also = ", or a few other bytes follow it"
		}
		reason = fmt.Sprintf("the %s data is truncated%s: get the whole file, or wait until it is written", how, also)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		reason = fmt.Sprintf("the zstd data needs a window of more than %d MiB: decompress it first, with zstd -d --long=31", maxWindow>>20)
	case errors.Is(err, zstd.ErrUnknownDictionary):
		reason = "the zstd data needs a dictionary: decompress it first, with zstd -d -D"
	default:
		reason = fmt.Sprintf("the %s data is corrupt (%v): get an intact copy", how, err)
	}
	return &trace.Error{Pos: pos, Reason: reason}
}
