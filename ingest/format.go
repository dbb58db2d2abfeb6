package ingest

import (
	"bufio"
	"errors"
	"io"

	"tracecheck/trace"
)

// Format is a format of traces other than JSON Lines. An input in it is read as a whole.
type Format struct {
	// Is reports whether an input with these first bytes has the format, and whether
	// this is already known.
	Is func(start []byte) (is, known bool)

	// Lines converts an input to lines of format 1, each with the number of its
	// place in the input. Several lines may have one place. An error of r or yield is
	// returned, perhaps wrapped. Any other error means that the input is malformed.
	Lines func(r io.Reader, yield func(place int, line []byte) error) error
}

// longestHint is the number of bytes in which a format is recognised.
const longestHint = 512

// formatOf returns the input's format, nil for JSON Lines. It waits only for as many bytes
// as it needs.
func (r *Reader) formatOf(br *bufio.Reader) *Format {
	if f := r.opts.Format; f != nil {
		return f
	}
	open := len(r.opts.Formats)
	if r.opts.Lines != nil {
		open = 0
	}
	for n := 1; n <= longestHint && open > 0; n++ {
		start, err := br.Peek(n)
		if err != nil {
			return nil
		}
		open = 0
		for i := range r.opts.Formats {
			f := &r.opts.Formats[i]
			if is, known := f.Is(start); is {
				return f
			} else if !known {
				open++
			}
		}
	}
	return nil
}

// convert sends the lines of an input in another format. It returns the last place.
func (r *Reader) convert(f *Format, src io.Reader, name string) (int, error) {
	b := r.fresh(0)
	b.file, b.line = name, 1
	place := 1
	watched := &watchedReader{src: src}
	err := f.Lines(watched, func(at int, line []byte) error {
		place = at
		if len(b.buf) > 0 && len(b.buf)+len(line) >= blockSize {
			if !r.send(b) {
				return errStopped
			}
			b = r.fresh(0)
			b.file = name
		}
		b.buf = append(append(b.buf, line...), '\n')
		b.places = append(b.places, at)
		return nil
	})
	switch {
	case errors.Is(err, errStopped):
		return place, errStopped
	case watched.err != nil:
		return place, watched.err
	case err != nil:
		return place, &trace.Error{Pos: trace.Pos{File: name}, Reason: err.Error()}
	}
	if !r.send(b) {
		return place, errStopped
	}
	return place, nil
}

// watchedReader keeps the source's own error.
type watchedReader struct {
	src io.Reader
	err error
}

func (w *watchedReader) Read(p []byte) (int, error) {
	n, err := w.src.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}
