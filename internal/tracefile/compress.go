package tracefile

import (
	"io"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The values of --compress.
const (
	CompressNone = "none"
	CompressGzip = "gzip"
	CompressZstd = "zstd"
)

var Compressions = []string{CompressNone, CompressGzip, CompressZstd}

// CompressionOf is what a file's name promises.
func CompressionOf(name string) string {
	switch filepath.Ext(name) {
	case ".gz":
		return CompressGzip
	case ".zst":
		return CompressZstd
	}
	return CompressNone
}

// compressor writes so that what came before a Flush can be read even if
// nothing comes after it.
type compressor interface {
	io.WriteCloser
	Flush() error
}

func newCompressor(how string, w io.Writer) (compressor, error) {
	switch how {
	case CompressGzip:
		return gzip.NewWriter(w), nil
	case CompressZstd:
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) // in this goroutine
	}
	return plain{w}, nil
}

// plain compresses nothing.
type plain struct{ io.Writer }

func (plain) Flush() error { return nil }
func (plain) Close() error { return nil }
