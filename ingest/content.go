package ingest

import (
	"bufio"
	"io"
)

// Decompress returns the content of an input that may be compressed. how is "gzip", "zstd"
// or "". Call done after reading the content.
func Decompress(stored *bufio.Reader) (content io.Reader, how string, done func(), err error) {
	content, c, done, err := decompress(stored)
	return content, string(c), done, err
}
