package command

import (
	"io"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The values of --compress.
const (
	compressNone = "none"
	compressGzip = "gzip"
	compressZstd = "zstd"
)

var compressions = []string{compressNone, compressGzip, compressZstd}

// compressionOf is what a file's name promises.
func compressionOf(name string) string {
	switch filepath.Ext(name) {
	case ".gz":
		return compressGzip
	case ".zst":
		return compressZstd
	}
	return compressNone
}

// compressor writes so that what came before a Flush can be read even if
// nothing comes after it.
type compressor interface {
	io.WriteCloser
	Flush() error
}

func newCompressor(how string, w io.Writer) (compressor, error) {
	switch how {
	case compressGzip:
		return gzip.NewWriter(w), nil
	case compressZstd:
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) // in this goroutine
	}
	return plain{w}, nil
}

// plain compresses nothing.
type plain struct{ io.Writer }

func (plain) Flush() error { return nil }
func (plain) Close() error { return nil }
