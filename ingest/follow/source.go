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

// source is an open file: the growing one, or a rotated one.
type source struct {
	path   string
	file   *os.File
	info   fs.FileInfo   // as last checked
	head   []byte        // its first bytes, up to sumSize
	packed *bufio.Reader // of a compressed file: the data still to read; nil: it is plain
	how    string        // its compression
	stored stored
	passed int64 // bytes of stored.read that the reader's done includes
	done   func()
}

// stored reads a file as stored. It counts bytes, and remembers I/O errors, to
// distinguish them from damaged data.
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
	if !info.Mode().IsRegular() { // opening a pipe would block
		return nil, fmt.Errorf("%s is not a regular file: only regular files can be followed", path)
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
	start, _ := s.packed.Peek(sumSize) // reading will meet the same error
	s.head = bytes.Clone(start)
	return s.stored.err
}

func (s *source) close() {
	s.done()
	s.file.Close() // read only
}

// at returns up to n bytes of a plain file from an offset on.
func (s *source) at(offset int64, n int) ([]byte, error) {
	p := make([]byte, n)
	n, err := s.file.ReadAt(p, offset)
	if err == io.EOF {
		err = nil
	}
	return p[:n], err
}

// errDamaged means that compressed data are damaged.
var errDamaged = errors.New("the data is damaged")

// read reads at the offset; a compressed file is there already. io.EOF is the
// current end.
func (s *source) read(p []byte, offset int64) (int, error) {
	if s.packed == nil {
		return s.file.ReadAt(p, offset)
	}
	n, err := s.packed.Read(p)
	return n, s.meaning(err)
}

// meaning distinguishes I/O errors from damaged content.
func (s *source) meaning(err error) error {
	switch {
	case s.stored.err != nil:
		return s.stored.err
	case err != nil && err != io.EOF:
		return fmt.Errorf("%w: %s: %w", errDamaged, s.how, err)
	}
	return err
}

// seek moves to an offset, if the file has these sums at its start and before
// the offset. It returns the bytes before the offset.
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

// still checks again whether a plain file has the content that was read. same
// is about the bytes before the offset, which end in tail. behind is about
// next, which was read after the offset.
func (s *source) still(offset int64, tail, next []byte) (same, behind bool, err error) {
	known := s.info.Size()
	same, behind, err = s.compare(known, offset, tail, next)
	if same && !behind && err == nil { // it may have changed after the first read: look again
		same, _, err = s.compare(known, offset, tail, next)
	}
	return same, behind, err
}

// compare is one look for still. known is the size before.
func (s *source) compare(known, offset int64, tail, next []byte) (same, behind bool, err error) {
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
	// Get the size last. If the file is truncated meanwhile, this is its new
	// size.
	if s.info, err = s.file.Stat(); err != nil {
		return false, false, err
	}
	if !bytes.HasPrefix(head, s.first(offset)) || !bytes.HasPrefix(around, tail) || s.info.Size() < offset {
		return false, false, nil
	}
	s.head = head
	return true, s.info.Size() >= known && bytes.Equal(around[len(tail):], next), nil
}

// isStartOf reports whether a plain file seems to be the start of another one.
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

// first is the content of the first bytes that were read, or the first bytes if
// nothing was read.
func (s *source) first(offset int64) []byte {
	if offset == 0 {
		return s.head
	}
	return s.head[:min(int64(len(s.head)), offset)]
}

// left is the number of stored bytes after the offset.
func (s *source) left(offset int64) int64 {
	if s.packed != nil {
		return s.info.Size() - s.stored.read
	}
	return max(0, s.info.Size()-offset)
}
