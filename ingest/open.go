package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"tracecheck/internal/nearest"
	"tracecheck/trace"
)

// DefaultMaxLine is the default of Options.MaxLine, in bytes.
const DefaultMaxLine = 4 << 20

// stdinName is the name of standard input.
const stdinName = "-"

// Options are the settings of a Reader. The zero value is ready.
type Options struct {
	// MaxLine is the longest line in bytes, without its line end. 0 means
	// DefaultMaxLine; less than 0 is an error.
	MaxLine int

	// Stdin is the input of the name "-"; nil means os.Stdin. To interrupt a blocking
	// read, the Reader sets Stdin's read deadline. If it has none, the Reader closes
	// Stdin if it is an io.Closer.
	Stdin io.Reader

	// Formats are recognised by content, besides JSON Lines. Format, unless nil, is the
	// format of every input. With Lines, no format is recognised.
	Formats []Format
	Format  *Format

	// Lines returns a decoder for the lines of a block; nil: they have format 1. One
	// goroutine at a time uses a decoder.
	Lines func() LineDecoder
}

// LineDecoder turns the lines of a log in another format into events.
type LineDecoder interface {
	// Reset invalidates all events decoded so far, and reuses their memory.
	Reset()

	// Decode appends the events of one line, any number, to events. They may refer to
	// the line's bytes. An error is a *trace.Error.
	Decode(events []trace.Event, line []byte, pos trace.Pos) ([]trace.Event, error)
}

// LineStreams is a LineDecoder that can find the streams of a malformed line.
type LineStreams interface {
	Streams(line []byte) (streams []string, known bool)
}

// Open returns a Reader of the named files. In order, they are one trace. "-" is standard
// input. gzip and zstd are recognised by content.
//
// Open checks all names first. Its error, never a *trace.Error, names a file that is
// missing, unreadable or a directory, or a second "-". The Reader opens the files one at a
// time. The caller closes the Reader.
func Open(names []string, opts Options) (*Reader, error) {
	if len(names) == 0 {
		return nil, errors.New(`no trace is named: name its files, or "-" for standard input`)
	}
	if opts.MaxLine < 0 {
		return nil, fmt.Errorf("--max-line is %d, but must be positive", opts.MaxLine)
	}
	opts.MaxLine = cmp.Or(opts.MaxLine, DefaultMaxLine)
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

// check checks that the file can be read, and returns its size, -1 if unknown. It opens
// regular files only: opening and closing a pipe would break it.
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
	return fmt.Errorf("cannot open the trace %q: %w: check its name and permissions%s", name, bare(err), near(name, err))
}

// mostNames bounds the names of a folder that are compared.
const mostNames = 1000

// near asks whether a file of a similar name was meant, "" if there is none.
func near(name string, err error) string {
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	folder, err := os.Open(filepath.Dir(name))
	if err != nil {
		return ""
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(mostNames) // those before an error suffice
	slices.Sort(names)
	if found := nearest.Name(filepath.Base(name), names); found != "" {
		return fmt.Sprintf("; did you mean %s?", filepath.Join(filepath.Dir(name), found))
	}
	return ""
}

// bare returns err without the name that a PathError adds.
func bare(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
