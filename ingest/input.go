package ingest

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// input is the file or stdin that is being read. It lets another goroutine end
// a read that blocks.
type input struct {
	mu      sync.Mutex
	end     func() // nil: nothing is open
	stopped bool
}

var errStopped = errors.New("stopped") // reaches nobody: the Reader is done

// set makes end what interrupt calls. If that has been called already, set
// calls end itself and reports false.
func (in *input) set(end func()) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.stopped {
		end()
		return false
	}
	in.end = end
	return true
}

func (in *input) clear() {
	in.mu.Lock()
	in.end = nil
	in.mu.Unlock()
}

func (in *input) interrupt() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stopped = true
	if in.end != nil {
		in.end()
		in.end = nil
	}
}

// open opens name; done gives it up.
func (r *Reader) open(name string) (src io.Reader, done func(), err error) {
	if name == stdinName {
		src = r.opts.Stdin
		if !r.input.set(func() { interruptStdin(src) }) {
			return nil, nil, errStopped
		}
		return src, r.input.clear, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, openError(name, err)
	}
	end := func() { f.Close() } // it was only read: a failure loses nothing
	if !r.input.set(end) {
		return nil, nil, errStopped
	}
	return f, func() { r.input.clear(); end() }, nil
}

// interruptStdin leaves open, if it can, what the Reader has not opened.
func interruptStdin(stdin io.Reader) {
	switch s := stdin.(type) {
	case interface{ SetReadDeadline(time.Time) error }:
		s.SetReadDeadline(time.Unix(1, 0)) // fails where reads cannot be interrupted
	case io.Closer:
		s.Close()
	}
}

// maxEmptyReads is how often in a row a source may return nothing at all.
const maxEmptyReads = 100

// stored reads an input as it is stored and counts the bytes. It keeps the
// input's own error, so that it is not taken for damaged compression, and is
// not read past its end: a terminal would ask for that again.
type stored struct {
	src   io.Reader
	count *atomic.Int64
	empty int
	err   error
}

func (s *stored) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.src.Read(p)
	s.count.Add(int64(n))
	if n > 0 {
		s.empty = 0
	} else if s.empty++; err == nil && s.empty == maxEmptyReads {
		err = io.ErrNoProgress
	}
	if err != nil && err != io.EOF {
		err = inputError{err}
	}
	s.err = err
	return n, err
}

// failure is the input's error, nil at its end.
func (s *stored) failure() error {
	if e, ok := s.err.(inputError); ok {
		return e.error
	}
	return nil
}

// inputError differs from every error that decompression gives a meaning to.
type inputError struct{ error }
