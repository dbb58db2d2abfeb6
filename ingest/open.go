package ingest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"tracecheck/trace"
)

// DefaultMaxLine is the longest line that is read unless Options says
// otherwise, in bytes.
const DefaultMaxLine = 4 << 20

// stdinName stands for standard input.
const stdinName = "-"

// Options are the limits of a Reader. The zero value is ready for use.
type Options struct {
	// MaxLine is the longest line in bytes, without its end; 0 is
	// DefaultMaxLine, less than 0 an error.
	MaxLine int

	// Stdin is what the name "-" reads; nil is os.Stdin. To interrupt a read
	// that blocks, the Reader sets Stdin's read deadline or, where it has
	// none, closes it if it is an io.Closer.
	Stdin io.Reader

	// Formats are those beside JSON Lines that are recognised by content; Format
	// is what every input is of, where it is set. With Lines, none is recognised.
	Formats []Format
	Format  *Format

	// Lines makes what reads the lines of a block; nil: they are format 1.
	// What it makes is used by one goroutine at a time.
	Lines func() LineDecoder
}

// LineDecoder turns the lines of a foreign log into events.
type LineDecoder interface {
	// Reset ends the life of the events decoded so far.
	Reset()

	// Decode appends the events of one line, any number, to events. They may
	// borrow the line's bytes. An error is a *trace.Error.
	Decode(events []trace.Event, line []byte, pos trace.Pos) ([]trace.Event, error)
}

// LineStreams is a LineDecoder that knows which streams a malformed line may belong
// to.
type LineStreams interface {
	Streams(line []byte) (streams []string, known bool)
}

// Open makes a Reader of the files named, in order: together they are one
// trace. "-" is standard input. gzip and zstd are recognised by content.
//
// All names are checked first; an error, never a *trace.Error, names the one
// that is missing, unreadable, a directory, or "-" for the second time. The
// files are then opened one at a time. The caller closes the Reader.
func Open(names []string, opts Options) (*Reader, error) {
	if len(names) == 0 {
		return nil, errors.New(`no trace is named: name its files, or "-" for standard input`)
	}
	if opts.MaxLine < 0 {
		return nil, fmt.Errorf("a line of at most %d bytes holds no event: give --max-line a positive number", opts.MaxLine)
	}
	if opts.MaxLine == 0 {
		opts.MaxLine = DefaultMaxLine
	}
	opts.MaxLine = min(opts.MaxLine, math.MaxInt-lineExtra)
	if opts.Stdin == nil {
		opts.Stdin = os.Stdin
	}
	var total int64
	stdin := false
	for _, name := range names {
		size := int64(-1)
		if name != stdinName {
			var err error
			if size, err = check(name); err != nil {
				return nil, err
			}
		} else if stdin {
			return nil, errors.New(`standard input ("-") is named twice, but can be read only once: name it once`)
		} else {
			stdin = true
		}
		if size < 0 || total < 0 {
			total = -1
		} else {
			total += size
		}
	}
	r := newReader(names, opts)
	r.total = total
	r.start()
	return r, nil
}

// check looks whether name can be read, and returns its size, -1 if it has
// none. It opens regular files only: to open a pipe and close it again would
// break it.
func check(name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, openError(name, err)
	}
	if info.IsDir() {
		return 0, fmt.Errorf("%s is a directory: name the files in it, such as %s", name, filepath.Join(name, "*.jsonl"))
	}
	if !info.Mode().IsRegular() {
		return -1, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return 0, openError(name, err)
	}
	return info.Size(), f.Close()
}

func openError(name string, err error) error {
	return fmt.Errorf("cannot open the trace %q: %w: check its name and permissions", name, bare(err))
}

// bare is err without the name that a PathError adds.
func bare(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
