package ingest

import (
	"bufio"
	"io"
)

// Decompress returns the content of what is perhaps compressed with gzip or
// zstd, and which of them it is, "" for neither. The caller calls done when the
// content is read.
func Decompress(stored *bufio.Reader) (content io.Reader, how string, done func(), err error) {
	content, c, done, err := decompress(stored)
	return content, string(c), done, err
}
