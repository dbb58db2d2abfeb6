package follow

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"tracecheck/ingest"
)

// source is one file that is open: the one that grows, or one that it was
// rotated to.
type source struct {
	path   string
	file   *os.File
	info   fs.FileInfo   // when it was last looked at
	head   []byte        // its first bytes, up to sumSize of them
	packed *bufio.Reader // of a compressed file: what is still to be read; nil: it is plain
	how    string        // it is compressed
	stored stored
	passed int64 // of stored.read, what the reader's done has
	done   func()
}

// stored reads a file as it is stored. It counts, and keeps the file's own
// error, so that it is not taken for damage.
type stored struct {
	file *os.File
	read int64
	err  error
}

func (s *stored) Read(p []byte) (int, error) {
	n, err := s.file.Read(p)
	s.read += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// openSource opens a file at its start.
func openSource(path string) (*source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // to open a pipe would wait
		return nil, fmt.Errorf("%s is no regular file: only files are followed", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &source{path: path, file: file, stored: stored{file: file}, done: func() {}}
	if err := s.begin(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *source) begin() (err error) {
	if s.info, err = s.file.Stat(); err != nil {
		return err
	}
	content, how, done, err := ingest.Decompress(bufio.NewReaderSize(&s.stored, 64<<10))
	if err != nil {
		return err
	}
	s.how, s.done = how, done
	if how == "" {
		s.head, err = s.at(0, sumSize)
		return err
	}
	s.packed = bufio.NewReaderSize(content, 64<<10)
	start, _ := s.packed.Peek(sumSize) // reading on meets the same error
	s.head = bytes.Clone(start)
	return s.stored.err
}

func (s *source) close() {
	s.done()
	s.file.Close() // it was only read: a failure loses nothing
}

// at returns up to n bytes of a plain file from an offset on, fewer at its end.
func (s *source) at(offset int64, n int) ([]byte, error) {
	p := make([]byte, n)
	n, err := s.file.ReadAt(p, offset)
	if err == io.EOF {
		err = nil
	}
	return p[:n], err
}

// errDamaged says that compressed data cannot be read on.
var errDamaged = errors.New("the data is damaged")

// read reads on at the offset; a compressed file is there already. io.EOF is
// the end that there is now.
func (s *source) read(p []byte, offset int64) (int, error) {
	if s.packed == nil {
		return s.file.ReadAt(p, offset)
	}
	n, err := s.packed.Read(p)
	return n, s.meaning(err)
}

// meaning tells the errors of the file from those of its content.
func (s *source) meaning(err error) error {
	switch {
	case s.stored.err != nil:
		return s.stored.err
	case err != nil && err != io.EOF:
		return fmt.Errorf("%w: %s: %w", errDamaged, s.how, err)
	}
	return err
}

// seek goes to an offset, if the file has these sums at its start and before the
// offset, and returns the bytes that the latter is of.
func (s *source) seek(offset int64, head, tail sum) (before []byte, ok bool, err error) {
	if !head.begins(s.head) {
		return nil, false, nil
	}
	from := offset - int64(tail.bytes)
	if s.packed == nil {
		before, err = s.at(from, tail.bytes)
	} else if _, err = io.CopyN(io.Discard, s.packed, from); err == nil {
		before = make([]byte, tail.bytes)
		_, err = io.ReadFull(s.packed, before)
	}
	if s.packed != nil && err != nil {
		return nil, false, s.stored.err // it ends before, or is damaged
	}
	return before, err == nil && sumOf(before) == tail, err
}

// still reports whether a plain file still has what was read of it: whether
// that before the offset, tail being the last of it, is the same, and what is
// behind it, of which next was read. It takes a new look at the file.
func (s *source) still(offset int64, tail, next []byte) (same, behind bool, err error) {
	known := s.info.Size()
	head, err := s.at(0, sumSize)
	if err != nil {
		return false, false, err
	}
	next = next[:min(len(next), sumSize)]
	from := offset - int64(len(tail))
	around, err := s.at(from, len(tail)+len(next))
	if err != nil {
		return false, false, err
	}
	// The size is asked for last: of a file that is cut off in between it is then
	// the new one, and not said to be less once more.
	if s.info, err = s.file.Stat(); err != nil {
		return false, false, err
	}
	if !bytes.HasPrefix(head, s.first(offset)) || !bytes.HasPrefix(around, tail) || s.info.Size() < offset {
		return false, false, nil
	}
	s.head = head
	return true, s.info.Size() >= known && bytes.Equal(around[len(tail):], next), nil
}

// isStartOf reports whether a plain file seems to be as another one begins.
func (s *source) isStartOf(other *source) (bool, error) {
	if s.packed != nil {
		return false, nil
	}
	last := max(0, s.info.Size()-sumSize)
	for _, from := range []int64{0, last} {
		mine, err := s.at(from, sumSize)
		if err != nil {
			return false, err
		}
		theirs, err := other.at(from, len(mine))
		if err != nil || !bytes.Equal(mine, theirs) {
			return false, err
		}
	}
	return true, nil
}

// first is what was read of the file's first bytes; where nothing was, it is
// what there are.
func (s *source) first(offset int64) []byte {
	if offset == 0 {
		return s.head
	}
	return s.head[:min(int64(len(s.head)), offset)]
}

// left is how many bytes there are behind the offset, as they are stored.
func (s *source) left(offset int64) int64 {
	if s.packed != nil {
		return s.info.Size() - s.stored.read
	}
	return max(0, s.info.Size()-offset)
}
