package ingest

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// input is the file or standard input that is being read. Another goroutine can interrupt
// a blocking read.
type input struct {
	mu      sync.Mutex
	end     func() // nil: nothing is open
	stopped bool
}

var errStopped = errors.New("stopped") // no caller sees it: the Reader has ended

// set sets the function that interrupt calls. If interrupt was called already, set calls
// end itself and returns false.
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

// open opens the named input. done closes it.
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
	end := func() { f.Close() } // read only: a failure loses nothing
	if !r.input.set(end) {
		return nil, nil, errStopped
	}
	return f, func() { r.input.clear(); end() }, nil
}

// interruptStdin interrupts a read of standard input, if possible without closing it.
func interruptStdin(stdin io.Reader) {
	switch s := stdin.(type) {
	case interface{ SetReadDeadline(time.Time) error }:
		s.SetReadDeadline(time.Unix(1, 0)) // fails where reads cannot be interrupted
	case io.Closer:
		s.Close()
	}
}

// maxEmptyReads bounds consecutive reads that return neither data nor an error.
const maxEmptyReads = 100

// stored reads the stored bytes of an input, and counts them. It keeps the input's own
// error, to distinguish it from damaged compression. It never reads past the end, since a
// terminal would then wait for more input.
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

// failure returns the input's error, nil at its end.
func (s *stored) failure() error {
	if e, ok := s.err.(inputError); ok {
		return e.error
	}
	return nil
}

// inputError marks an error of the input: decompression cannot mistake it for its own.
type inputError struct{ error }
