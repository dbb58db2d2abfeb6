// Package follow reads a growing file, line by line. It follows rotation and
// truncation, and resumes from the position of an earlier process.
package follow

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/trace"
)

// Options are the settings of a File. The zero value is ready.
type Options struct {
	// MaxLine bounds a line in bytes, without its line end; 0 is
	// ingest.DefaultMaxLine.
	MaxLine int

	// Lines returns a decoder for the lines of a batch; nil: the lines have
	// format 1. One goroutine at a time uses a decoder.
	Lines func() ingest.LineDecoder

	Log *zap.Logger

	pace pace // the zero value: defaultPace
}

// pace has the intervals and timeouts.
type pace struct {
	poll  time.Duration // longest time between checks of the file
	grace time.Duration // how long a rotated file must be quiet before it is given up
	old   time.Duration // a rotated file that is quiet for so long is complete
}

var defaultPace = pace{poll: time.Second, grace: 5 * time.Second, old: time.Minute}

// File is a file that its writer appends to, and rotates or truncates. It need
// not exist yet.
type File struct {
	name string // as the user gave it: the file of all positions
	path string // the absolute path
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
		return nil, fmt.Errorf("--max-line is %d, but must be positive", opts.MaxLine)
	}
	opts.MaxLine = cmp.Or(opts.MaxLine, ingest.DefaultMaxLine)
	opts.Log = cmp.Or(opts.Log, zap.NewNop())
	if opts.pace == (pace{}) {
		opts.pace = defaultPace
	}
	opts.Log = opts.Log.With(zap.String("file", name))
	return &File{name: name, path: path, opts: opts}, nil
}

// Path is the file's absolute path.
func (f *File) Path() string { return f.path }

// Batch is consecutive lines of one file. It and its events are valid until
// take returns.
type Batch struct {
	Events []trace.Event      // in order; their file is the followed name, also for rotated files
	Bad    []ingest.Malformed // malformed lines, in order

	// Missed is the reason why lines before the batch were lost unread, or may have
	// been; nil: none were.
	Missed *trace.Error

	Next string // the position to resume from after the batch
	Lag  int64  // bytes still to read; of compressed files, compressed bytes

	// Lines is the decoder of the events, if Options.Lines is set.
	Lines ingest.LineDecoder

	done    int64 // where it ends, as a sight has it
	begin   begin
	buf     []byte
	decoder trace.Decoder
}

// inFlight is the number of batches: one is being judged, one is ready, and one
// is being read.
const inFlight = 3

// Follow reads from the position, where "" is the start of the current file. It
// calls take for each batch, from one goroutine. It returns the error of ctx or
// take, or why the file cannot be read. It may then be called again.
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
