// Package follow reads the lines of a file that grows, for as long as it does:
// through its rotations, and from where an earlier process came to.
package follow

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/trace"
)

// Options are the limits of a File. The zero value is ready for use.
type Options struct {
	// MaxLine is the longest line that may be an event, in bytes, without its
	// end; 0 is ingest.DefaultMaxLine.
	MaxLine int

	// Lines makes what reads the lines of a batch; nil: they are format 1. What
	// it makes is used by one goroutine at a time.
	Lines func() ingest.LineDecoder

	Log *zap.Logger

	pace pace // the zero value: defaultPace
}

// pace is how long to wait for what.
type pace struct {
	poll  time.Duration // at most, before the file is looked at again
	grace time.Duration // how long a rotated file must be quiet before it is left
	old   time.Duration // nobody still writes to a rotated file that has been quiet so long
}

var defaultPace = pace{poll: time.Second, grace: 5 * time.Second, old: time.Minute}

// File is a file that its writer appends to, and rotates or truncates. It need
// not be there yet.
type File struct {
	name string // as the user has it: the file of all positions
	path string // the same from everywhere
	opts Options

	sight sight
}

// Open prepares to follow the file of that name.
func Open(name string, opts Options) (*File, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("cannot follow %q: %w", name, err)
	}
	if opts.MaxLine < 0 {
		return nil, fmt.Errorf("a line of at most %d bytes holds no event: give --max-line a positive number", opts.MaxLine)
	}
	if opts.MaxLine == 0 {
		opts.MaxLine = ingest.DefaultMaxLine
	}
	if opts.Log == nil {
		opts.Log = zap.NewNop()
	}
	if opts.pace == (pace{}) {
		opts.pace = defaultPace
	}
	opts.Log = opts.Log.With(zap.String("file", name))
	return &File{name: name, path: path, opts: opts}, nil
}

// Path is the file's absolute path.
func (f *File) Path() string { return f.path }

// Batch is some neighbouring lines of one file. It lives until who takes it
// returns, as do its events; Clone keeps one.
type Batch struct {
	Events []trace.Event      // in order; their file is the name that was followed, whichever it was rotated to
	Bad    []ingest.Malformed // lines that are no events, in order

	// Missed says that lines before the batch were lost before they were read,
	// or may have been where that cannot be known; nil: none were.
	Missed *trace.Error

	Next string // the position to go on from when the batch is dealt with
	Lag  int64  // how many bytes are still to be read; of compressed files, as they are stored

	// Lines is what made the events, where Options say so.
	Lines ingest.LineDecoder

	done    int64 // where it ends, as a sight has it
	begin   begin
	buf     []byte
	decoder trace.Decoder
}

// inFlight is how many batches there are: one is dealt with, one is ready, one
// is being read.
const inFlight = 3

// Follow reads on from the position, "" being the start of the file that is
// there now, and calls take for each batch, from one goroutine. It returns when
// ctx ends, with its error; with that of take; or with why the file cannot be
// read, and may be called again.
func (f *File) Follow(ctx context.Context, from string, take func(*Batch) error) error {
	at, err := parsePlace(from)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	r := f.reader(at)
	f.sight.begin()
	go func() {
		err = r.run(ctx)
		close(r.out)
	}()
	var failed error
	for b := range r.out {
		if failed != nil || ctx.Err() != nil {
			continue // to its end
		}
		if failed = take(b); failed != nil {
			cancel()
		} else {
			f.sight.dealtWith(b.done)
		}
		r.free <- b // has room
	}
	cancel()
	if failed != nil {
		return failed
	}
	return err
}
